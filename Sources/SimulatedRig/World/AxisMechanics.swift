import Imaging
import Rig
import Synchronization

#if canImport(Glibc)
  import Glibc
#endif

/// The mechanics of one axis: where it truly is at any moment, given what its drive was told.
final class AxisMechanics: Sendable {
  let settings: AxisSettings
  private let phase: Double
  private let gear: Double
  private let state: Mutex<State>

  private struct State {
    var motions: [Motion]  // newest last
    var slip = 0.0  // lost steps, radians
    var outer: OuterDrive?
  }

  /// A drive that is none of this world's: where its driver says it is, and where the axis was when it was looked at last.
  private struct OuterDrive {
    let position: @Sendable () -> Angle
    var axis: Double
  }

  init(_ settings: AxisSettings, name: String, seed: UInt64) {
    self.settings = settings
    var random = SeededRandom(seed: seed, stream: "axis " + name)
    phase = random.uniform(0...2 * .pi)
    gear = Double(Int(random.uniform(6...12)))
    // wherever it was left
    let at = random.uniform(-0.05...0.05)
    let play = settings.backlash.radians / 2
    state = Mutex(State(motions: [.rest(at: at, axis: at + random.uniform(-play...play), since: .zero)]))
  }

  /// Where the drive is and how fast it moves.
  func drive(at time: Duration) -> (position: Double, velocity: Double) {
    state.withLock { current($0, time).drive(at: time) }
  }

  /// The true angle, with backlash, the gear's error, lost steps and vibration.
  func angle(at time: Duration) -> Angle {
    state.withLock { state in
      if let angle = outerAngle(&state) { return angle }
      let motion = current(state, time)
      let drive = motion.drive(at: time).position
      let axis = motion.axis(at: time, backlash: settings.backlash.radians)
      let error = settings.periodicError.radians * (sin(gear * drive + phase) - sin(phase))
      return Angle(radians: axis + error + state.slip + vibration(state, time))
    }
  }

  /// Turns with a drive outside of this world from now on, as that says where it is when somebody looks.
  func follow(_ position: @escaping @Sendable () -> Angle) {
    state.withLock { $0.outer = OuterDrive(position: position, axis: position().radians) }
  }

  private func outerAngle(_ state: inout State) -> Angle? {
    guard let outer = state.outer else { return nil }
    let drive = outer.position().radians
    let play = settings.backlash.radians / 2
    let axis = min(max(outer.axis, drive - play), drive + play)
    state.outer?.axis = axis
    return Angle(radians: axis + settings.periodicError.radians * (sin(gear * drive + phase) - sin(phase)))
  }

  /// The share of its motion's vibration left at a moment, radians.
  func vibration(at time: Duration) -> Angle { state.withLock { Angle(radians: vibration($0, time)) } }

  /// Adds a motion that begins now.
  func begin(_ time: Duration, _ make: (_ position: Double, _ axis: Double, _ velocity: Double) -> Motion) -> Motion {
    state.withLock { state in
      let last = current(state, time)
      let drive = last.drive(at: time)
      let motion = make(drive.position, last.axis(at: time, backlash: settings.backlash.radians), drive.velocity)
      state.motions.removeAll { $0.start > time }
      state.motions.append(motion)
      if state.motions.count > 12 { state.motions.removeFirst() }
      return motion
    }
  }

  /// Adds a motion that begins when the last one ends.
  func then(_ make: (_ start: Duration, _ position: Double, _ axis: Double) -> Motion) -> Motion {
    state.withLock { state in
      let last = state.motions[state.motions.count - 1]
      let end = last.end
      let motion = make(end, last.drive(at: end).position, last.axis(at: end, backlash: settings.backlash.radians))
      state.motions.append(motion)
      if state.motions.count > 12 { state.motions.removeFirst() }
      return motion
    }
  }

  /// The axis falls behind its drive.
  func slip(by angle: Angle) { state.withLock { $0.slip -= angle.radians } }

  /// The endstop is where it is: what was lost is made up for.
  func forgetSlip() { state.withLock { $0.slip = 0 } }

  private func current(_ state: State, _ time: Duration) -> Motion {
    state.motions.last { $0.start <= time } ?? state.motions[0]
  }

  /// Every stop rings; what rings is the sum of the last stops.
  private func vibration(_ state: State, _ time: Duration) -> Double {
    let top = settings.limits.topSpeed.radians
    let decay = settings.vibrationDecay.inSeconds
    guard top > 0, decay > 0 else { return 0 }
    var sum = 0.0
    for motion in state.motions where motion.peakSpeed > 0 && motion.comesToRest {
      let since = (time - motion.end).inSeconds
      guard since >= 0 else { continue }
      let strength = settings.vibration.radians * min(1, motion.peakSpeed / top) * exp(-since / decay)
      if strength > settings.vibration.radians * 0.004 { sum += strength * sin(2 * .pi * 16 * since) }
    }
    return sum
  }
}
