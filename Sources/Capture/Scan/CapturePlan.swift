import Imaging
import Session

/// A place from which the object is to be seen.
public struct Viewpoint: Sendable, Hashable {
  /// Position in the pass's plan, from 0.
  public var index: Int
  /// Angles of all axes.
  public var axes: AxisAngles
}

/// Which viewpoints a scan visits, and in what order.
///
/// The turntable goes round once a pass, always the same way, so that its backlash does not matter. Every second pass
/// starts half a step on: between them the passes see twice as many directions.
public struct CapturePlan: Sendable, Hashable {
  /// Stops in a pass.
  public var stops: Int
  /// Passes.
  public var passes: Int
  /// Head angles of all viewpoints.
  public var pan: Angle
  /// Head angles of all viewpoints.
  public var tilt: Angle

  /// A plan of `stops` equal steps a pass.
  public init(stops: Int, passes: Int, pan: Angle = .zero, tilt: Angle = .zero) {
    self.stops = stops
    self.passes = passes
    self.pan = pan
    self.tilt = tilt
  }

  /// The viewpoints of a pass (1, 2, …), in path order.
  public func viewpoints(pass: Int) -> [Viewpoint] {
    let step = 360.0 / Double(stops)
    let offset = pass.isMultiple(of: 2) ? step / 2 : 0
    return (0..<stops).map { index in
      let turntable = Angle(degrees: offset + step * Double(index))
      return Viewpoint(index: index, axes: AxisAngles(turntable: turntable, pan: pan, tilt: tilt))
    }
  }

  /// Stops that over-capture shoots where `stops` were asked for: half as many again.
  static func overcaptured(_ stops: Int) -> Int { stops + (stops + 1) / 2 }
}
