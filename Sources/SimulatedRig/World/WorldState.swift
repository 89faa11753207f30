import Imaging
import Rig
import Synchronization

/// What is where in the world, and the mechanics that move it. The devices and the person share it.
final class Surroundings: Sendable {
  /// The rig as it truly is.
  let geometry: RigGeometry
  /// The turntable's, pan's and tilt's mechanics.
  let turntable: AxisMechanics, pan: AxisMechanics?, tilt: AxisMechanics?
  private let state: Mutex<State>

  private struct State {
    var discFromObject: RigidTransform?
    /// Takes table coordinates to the left camera's frame at pan = tilt = 0: moved by hand for another height.
    var leftFromTable: RigidTransform
    var lamps: [Double]
  }

  init(
    geometry: RigGeometry, turntable: AxisMechanics, pan: AxisMechanics?, tilt: AxisMechanics?, lamps: Int
  ) {
    self.geometry = geometry
    self.turntable = turntable
    self.pan = pan
    self.tilt = tilt
    state = Mutex(
      State(
        discFromObject: nil, leftFromTable: geometry.leftFromTable,
        lamps: [Double](repeating: 0, count: lamps)))
  }

  /// Where the object is on the disc, in the object frame; nil while it is off the table.
  var discFromObject: RigidTransform? {
    get { state.withLock { $0.discFromObject } }
    set { state.withLock { $0.discFromObject = newValue } }
  }

  /// Where the head stands, with its axes at zero.
  var leftFromTable: RigidTransform {
    get { state.withLock { $0.leftFromTable } }
    set { state.withLock { $0.leftFromTable = newValue } }
  }

  /// Sets one lamp.
  func set(lamp index: Int, level: Double) { state.withLock { $0.lamps[index] = level } }

  /// All there is to see at a moment. Motion that no camera could resolve is left out, so that a scene at rest is one.
  func scene(at time: Duration) -> SceneState {
    let (discFromObject, head, lamps) = state.withLock { ($0.discFromObject, $0.leftFromTable, $0.lamps) }
    var placed = geometry
    placed.leftFromTable = head
    // a stop of the table shakes the whole stand a little
    let shake = turntable.vibration(at: time) * 0.08
    let turn = turntable.angle(at: time)
    let aside = pan?.angle(at: time) ?? .zero
    let nod = (tilt?.angle(at: time) ?? .zero) + shake
    return SceneState(
      turn: rounded(turn), leftFromTable: placed.leftFromTable(pan: rounded(aside), tilt: rounded(nod)),
      discFromObject: discFromObject, lamps: lamps, shadowTurn: rounded(turn, to: 5e-5),
      leftFromRoom: placed.leftFromTable(pan: rounded(aside, to: 5e-5), tilt: rounded(nod, to: 5e-5)))
  }

  /// To a multiple of so many radians: of 5e-6, 0.01 pixels or so.
  private func rounded(_ angle: Angle, to step: Double = 5e-6) -> Angle {
    Angle(radians: (angle.radians / step).rounded() * step)
  }
}
