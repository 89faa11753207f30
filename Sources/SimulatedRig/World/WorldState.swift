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
    let nod = (tilt?.angle(at: time) ?? .zero) + shake
    let view = placed.leftFromTable(
      pan: rounded(pan?.angle(at: time) ?? .zero), tilt: rounded(nod))
    return SceneState(
      turn: rounded(turntable.angle(at: time)), leftFromTable: view, discFromObject: discFromObject, lamps: lamps)
  }

  /// To a millionth of a turn or so: 0.02 pixels at most.
  private func rounded(_ angle: Angle) -> Angle { Angle(radians: (angle.radians * 2e5).rounded() / 2e5) }
}
