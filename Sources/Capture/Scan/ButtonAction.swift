/// What a press of a hardware button is for (DockKit's accessory events, with the rig's own). The configuration names it.
public enum ButtonAction: Sendable, Hashable {
  /// One button for everything: starts a scan when idle, takes a shot by hand while one runs, answers the open prompt as
  /// advised, goes on when paused.
  case shutter
  /// Starts a scan when idle, answers the open prompt as advised, goes on when paused.
  case start
  /// Stops: pauses a running scan, gives up a paused one.
  case stop
  /// Answers the open prompt as advised, goes on when paused. When idle it takes up the last scan, where that was cut off.
  case answer
  /// Answers the open prompt with `flipped`.
  case flip
  /// Asks for a zoom; an event only.
  case zoom
  /// A name of the user's own; an event only.
  case custom(String)

  /// The action of a configured name. Any other name is the user's own.
  public init(name: String) {
    switch name {
    case "shutter": self = .shutter
    case "start": self = .start
    case "stop": self = .stop
    case "answer": self = .answer
    case "flip": self = .flip
    case "zoom": self = .zoom
    default: self = .custom(name)
    }
  }

  /// The configured name.
  public var name: String {
    switch self {
    case .shutter: "shutter"
    case .start: "start"
    case .stop: "stop"
    case .answer: "answer"
    case .flip: "flip"
    case .zoom: "zoom"
    case .custom(let name): name
    }
  }
}
