import Rig
import Session

/// A step of the scan that went wrong, sorted by what can be done about it.
package struct ScanFault: Error, Sendable, Hashable {
  /// Whose fault it is.
  package enum Source: Sendable, Hashable, CaseIterable {
    /// The cameras: they can be restarted.
    case camera
    /// An axis: it can be homed again.
    case axis
    /// Nobody's: somebody stopped an axis.
    case stopped
    /// The session's files.
    case disk
    /// Anything else.
    case other
  }
  /// Whose fault it is.
  package var source: Source
  /// For a person.
  package var message: String
  /// What a person can do, where the device itself knows better than its kind: it is not there, or not ours.
  package var remedy: String?

  package init(_ source: Source, _ message: String, remedy: String? = nil) {
    self.source = source
    self.message = message
    self.remedy = remedy
  }
  package init(camera error: DeviceError) {
    // what the cameras cannot do they cannot do after a restart either
    let isFinal = error.kind == .outOfRange || error.kind == .unsupported
    self.init(isFinal ? .other : .camera, isFinal ? "\(error)" : Self.fact(error), remedy: Self.remedy(error))
  }
  package init(axis error: DeviceError) {
    self.init(error.kind == .cancelled ? .stopped : .axis, Self.fact(error), remedy: Self.remedy(error))
  }
  package init(disk error: SessionError) { self.init(.disk, "\(error)") }

  private static func remedy(_ error: DeviceError) -> String? {
    [.absent, .busy, .denied].contains(error.kind) ? error.remedy : nil
  }

  /// What happened without what to do about it: that depends on how far the scan got with mending it by itself.
  private static func fact(_ error: DeviceError) -> String {
    var fact = error
    fact.remedy = nil
    return "\(fact)"
  }
}

/// What the rig thinks the next pass should be.
package struct PassAdvice: Sendable, Hashable {
  /// `flipped`, `height` or `finish`.
  package var choice: ScanChoice
  /// Why, for a person.
  package var reason: String
  /// Whether a turned-over pass could be registered to the others.
  package var isFlippable: Bool

  package init(choice: ScanChoice, reason: String, isFlippable: Bool) {
    self.choice = choice
    self.reason = reason
    self.isFlippable = isFlippable
  }
}
