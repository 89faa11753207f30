import Imaging
import Rig

/// An axis that has not been homed, and the clock it moves by. `takesItsTime` says that waiting on the clock costs real
/// time, so that something else can happen during a move; `resolution` is the smallest move it can make.
public struct AxisFixture: Sendable {
  /// The axis.
  public var axis: any Axis
  /// The rig's clock.
  public var clock: any RigClock
  /// Whether a move of a second takes a second.
  public var takesItsTime: Bool
  /// The angle of a step.
  public var resolution: Angle

  /// A fixture.
  public init(axis: any Axis, clock: any RigClock, takesItsTime: Bool, resolution: Angle = .degrees(0.02)) {
    self.resolution = resolution
    self.axis = axis
    self.clock = clock
    self.takesItsTime = takesItsTime
  }
}

/// What every axis promises.
public enum AxisContract {
  private static let somewhere = Angle.degrees(12)

  /// Promises that hold on any clock.
  public static let cases: [ContractCase<AxisFixture>] = [
    ContractCase("position is unknown before homing") { f in
      let position = await f.axis.position
      try require(position == nil, "position is \(String(describing: position)) before homing")
    },
    ContractCase("homing finds the origin") { f in
      try await f.axis.home()
      try await require(f, isAt: .zero)
    },
    ContractCase("an endless axis counts from its mark again when it is homed again") { f in
      guard f.axis.limits.range == nil else { return }
      try await f.axis.home()
      try await f.axis.move(to: .degrees(400), speed: nil)
      try await f.axis.home()
      try await require(f, isAt: .zero)
      try await f.axis.move(to: somewhere, speed: nil)
      try await require(f, isAt: somewhere)
    },
    ContractCase("a move before homing is refused") { f in
      try await require(.faulty) { try await f.axis.move(to: somewhere, speed: nil) }
    },
    ContractCase("a move ends where it was told to") { f in
      try await f.axis.home()
      for target in [12.0, -7.5, 0] {
        try await f.axis.move(to: .degrees(target), speed: nil)
        try await require(f, isAt: .degrees(target))
      }
    },
    ContractCase("a move takes at least the time its speed allows") { f in
      try await f.axis.home()
      let speed = f.axis.limits.topSpeed * 0.5
      let began = f.clock.now
      try await f.axis.move(to: somewhere, speed: speed)
      let took = began.duration(to: f.clock.now)
      try require(took >= .seconds(somewhere.degrees / speed.degrees), "12° at \(speed.degrees)°/s took \(took)")
    },
    ContractCase("a move outside the range is refused and nothing moves") { f in
      guard let range = f.axis.limits.range else { return }
      try await f.axis.home()
      try await require(.outOfRange) {
        try await f.axis.move(to: range.upperBound + .degrees(1), speed: nil)
      }
      try await require(f, isAt: .zero)
    },
    ContractCase("a speed beyond the limit, none, or backwards is refused") { f in
      try await f.axis.home()
      for speed in [f.axis.limits.topSpeed * 1.5, .zero, .degrees(-1)] {
        try await require(.outOfRange) { try await f.axis.move(to: somewhere, speed: speed) }
      }
      try await require(f, isAt: .zero)
    },
    ContractCase("a position that is no number is refused") { f in
      try await f.axis.home()
      try await require(.outOfRange) {
        try await f.axis.move(to: .degrees(.nan), speed: nil)
      }
    },
    ContractCase("an endless axis spins until it is stopped, a bounded one refuses to") { f in
      try await f.axis.home()
      let velocity = f.axis.limits.topSpeed * 0.5
      guard f.axis.limits.range == nil else {
        try await require(.unsupported) { try await f.axis.spin(velocity: velocity) }
        return
      }
      try await f.axis.spin(velocity: velocity)
      let first = await f.axis.position
      try await f.clock.sleep(for: .milliseconds(200))
      let second = await f.axis.position
      await f.axis.stop()
      let third = await f.axis.position
      try await f.clock.sleep(for: .milliseconds(200))
      let fourth = await f.axis.position
      try require(
        // steps that come late are not made up for
        (second?.degrees ?? 0) - (first?.degrees ?? 0) >= velocity.degrees * 0.15 - f.resolution.degrees,
        "turned from \(first?.degrees ?? .nan)° to \(second?.degrees ?? .nan)° in 0.2 s at \(velocity.degrees)°/s")
      try require(third == fourth, "went on after it was stopped")
    },
    ContractCase("spinning beyond the top speed is refused") { f in
      guard f.axis.limits.range == nil else { return }
      try await f.axis.home()
      try await require(.outOfRange) {
        try await f.axis.spin(velocity: f.axis.limits.topSpeed * -2)
      }
    },
    ContractCase("stop and release may come at any time, and a released axis moves again") { f in
      await f.axis.stop()
      await f.axis.release()
      try await f.axis.home()
      await f.axis.release()
      await f.axis.release()
      try await f.axis.move(to: somewhere, speed: nil)
      try await require(f, isAt: somewhere)
    }
  ]

  /// Promises that show only while a move is under way: for fixtures that take their time.
  public static let timedCases: [ContractCase<AxisFixture>] = [
    ContractCase("a move that is stopped says that it was cancelled, and the axis stands") { f in
      try await f.axis.home()
      let target = far(f.axis)
      let move = Task { try await f.axis.move(to: target, speed: nil) }
      try await waitUntilItMoves(f)
      await f.axis.stop()
      try await require(.cancelled) { try await move.value }
      let position = await f.axis.position
      try require(position.map { $0 > .zero && $0 < target } ?? false, "stands at \(String(describing: position))")
      try await standsStill(f)
    },
    ContractCase("a move whose task is cancelled stops the axis") { f in
      try await f.axis.home()
      let move = Task { try await f.axis.move(to: far(f.axis), speed: nil) }
      try await waitUntilItMoves(f)
      move.cancel()
      try await require(.cancelled) { try await move.value }
      try await standsStill(f)
    },
    ContractCase("a new move overtakes one that is under way") { f in
      try await f.axis.home()
      let move = Task { try await f.axis.move(to: far(f.axis), speed: nil) }
      try await waitUntilItMoves(f)
      try await f.axis.move(to: somewhere, speed: nil)
      try await require(.cancelled) { try await move.value }
      try await require(f, isAt: somewhere)
    }
  ]

  private static func far(_ axis: any Axis) -> Angle { axis.limits.range?.upperBound ?? .degrees(180) }

  private static func waitUntilItMoves(_ f: AxisFixture) async throws {
    for _ in 0..<2000 {
      if let position = await f.axis.position, position > .degrees(0.5) { return }
      try await f.clock.sleep(for: .milliseconds(2))
    }
    throw ContractViolation(description: "it did not begin to move")
  }

  private static func standsStill(_ f: AxisFixture) async throws {
    let first = await f.axis.position
    try await f.clock.sleep(for: .milliseconds(50))
    let second = await f.axis.position
    try require(first == second, "moves on from \(String(describing: first)) to \(String(describing: second))")
  }

  private static func require(_ f: AxisFixture, isAt target: Angle) async throws {
    let position = await f.axis.position
    try RigContract.require(
      position.map { ($0 - target).degrees.magnitude < f.resolution.degrees } ?? false,
      "stands at \(position?.degrees ?? .nan)° instead of \(target.degrees)°")
  }

  private static func require(_ holds: Bool, _ found: @autoclosure () -> String) throws {
    try RigContract.require(holds, found())
  }

  private static func require(
    _ kind: DeviceError.Kind, _ body: () async throws -> Void
  ) async throws {
    try await requireRefusal(kind, body)
  }
}

/// The operation must fail in the way named.
func requireRefusal(_ kind: DeviceError.Kind, _ body: () async throws -> Void) async throws {
  do {
    try await body()
  } catch let error as DeviceError {
    try require(error.kind == kind, "failed with “\(error)” instead of \(kind.rawValue)")
    return
  }
  throw ContractViolation(description: "was not refused as \(kind.rawValue)")
}
