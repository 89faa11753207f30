import Dispatch
import Imaging
import Rig
import Synchronization

/// The person beside the rig: hears the signal, does what it asks for with human inexactness, and presses the answer
/// button if that is theirs to do. What they do to the world is done when `hear` returns.
final class Person: Sendable {
  private let conduct: SimulatedPerson
  private let reaction: Duration
  private let surroundings: Surroundings
  private let object: Deferred<ObjectModel>
  private let answer: SimulatedButton?
  private let starter: SimulatedButton?
  private let truth: TruthFile?
  private let memory: (path: String, world: String)?
  private let state: Mutex<State>
  /// Whether the object is still to be put down, before anyone looks.
  private let isToSettle = Mutex(false)

  private struct State {
    var random: SeededRandom
    var pattern: SignalPattern?
    var hasActed = false
    /// Whether everything stands as it was left before the world was built anew.
    var isRestored = false
    /// How often they still go on with a scan that stopped by itself.
    var patience = 3
    /// Directions of the object that have pointed down, latest last.
    var sides: [SIMD3<Double>] = []
  }

  init(
    _ conduct: SimulatedPerson, reaction: Duration, surroundings: Surroundings, object: Deferred<ObjectModel>,
    answer: SimulatedButton?, starter: SimulatedButton?, truth: TruthFile?, seed: UInt64,
    memory: (path: String, world: String)? = nil
  ) {
    self.conduct = conduct
    self.reaction = reaction
    self.surroundings = surroundings
    self.object = object
    self.answer = answer
    self.starter = starter
    self.truth = truth
    self.memory = memory
    state = Mutex(State(random: SeededRandom(seed: seed, stream: "person")))
  }

  /// Finds everything as it was left. Where nothing is remembered, there may be an object for them to put down.
  func arrive(findingTheObject isThere: Bool) throws(DeviceError) {
    guard let memory, let left = try WorldMemory.read(memory.path, of: memory.world) else {
      isToSettle.withLock { $0 = isThere }
      return
    }
    surroundings.discFromObject = left.discFromObject
    surroundings.leftFromTable = left.leftFromTable
    state.withLock { state in
      state.sides = left.sides
      state.random = left.random
      state.isRestored = true
    }
  }

  /// Puts down what is to be put down before anyone looks. Building the object takes a second.
  func settle() {
    isToSettle.withLock { isToSettle in
      if isToSettle { putDown() }
      isToSettle = false
    }
  }

  private func remember() {
    guard let memory else { return }
    let (sides, random) = state.withLock { ($0.sides, $0.random) }
    WorldMemory(
      world: memory.world, discFromObject: surroundings.discFromObject, leftFromTable: surroundings.leftFromTable,
      sides: sides, random: random
    ).write(memory.path)
  }

  /// Settles, and has the object at hand. What builds it, or waits for that, must not be a thread that others need.
  private func lookAtTheObject() async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        self.settle()
        _ = try? self.object.get()
        continuation.resume()
      }
    }
  }

  /// Puts the object on the table as it is meant to stand, roughly in the middle and roughly facing the cameras.
  private func putDown() {
    guard let object = try? object.get() else { return }
    let down = object.rest(down: [0, -1, 0]).down
    let pose = state.withLock { state in
      state.sides = [down]
      return place(object, down, yaw: Angle.degrees(state.random.normal(6)), &state.random)
    }
    surroundings.discFromObject = pose
    tell("placed")
  }

  /// The signal shows `pattern`.
  func hear(_ pattern: SignalPattern) async {
    let (acts, began) = state.withLock { state -> (Bool, Bool) in
      let before = state.pattern
      state.pattern = pattern
      switch pattern {
      case .warning: return (false, false)
      case .clear, .place, .flip, .height:
        // the same wish again, e.g. after a warning, is not a new one
        let acts = !(state.hasActed && before.map { $0 == pattern || $0 == .warning } ?? false)
        state.hasActed = true
        return (acts, false)
      case .busy:
        state.hasActed = false
        // after a failure a scan is taken up again: everything stays where it is
        return (false, before == nil && !state.isRestored || before == .ready || before == .done)
      case .off, .ready, .done, .failed:
        state.hasActed = false
        return (false, false)
      }
    }
    guard conduct != .absent else { return }
    if began || acts { await lookAtTheObject() }
    if began { beginScan() }
    if conduct == .startsAndAnswers { operate(pattern) }
    guard acts else { return }
    switch pattern {
    case .clear: surroundings.discFromObject = nil
    case .place: putDown()
    case .flip: turnOver()
    case .height: moveHead()
    default: return
    }
    remember()
    if conduct != .flips, let answer { press(answer, for: pattern) }
  }

  /// Starts a scan when the station is ready, and goes on a few times with one that stopped.
  private func operate(_ pattern: SignalPattern) {
    switch pattern {
    case .ready: if let starter { press(starter, for: pattern) }
    case .warning, .failed:
      let goesOn = state.withLock { state in
        state.patience -= 1
        return state.patience >= 0
      }
      if goesOn, let answer { press(answer, for: pattern) }
    case .off, .busy, .flip, .height, .clear, .place, .done: break
    }
  }

  /// Presses a button after a while, if the rig still waits for it.
  private func press(_ button: SimulatedButton, for pattern: SignalPattern) {
    Task.detached { [reaction] in
      try? await ContinuousClock().sleep(for: reaction)
      let isWaiting = self.state.withLock { $0.pattern == pattern || $0.pattern == .warning }
      if isWaiting { await button.press() }
    }
  }

  /// Before a new scan the head goes back to where it belongs.
  private func beginScan() {
    surroundings.leftFromTable = surroundings.geometry.leftFromTable
    if surroundings.discFromObject != nil { tell("placed") }
    remember()
  }

  /// Writes into the truth file, where there is one, what they have done.
  private func tell(_ event: String) {
    guard let truth, let object = try? object.get() else { return }
    truth.write(object, in: surroundings, event: event)
  }

  private func moveHead() {
    let geometry = surroundings.geometry
    let view = state.withLock { state in
      let elevation = Angle.degrees(state.random.uniform(46...54))
      return geometry.headMoved(elevation: elevation, distance: 455, random: &state.random)
    }
    surroundings.leftFromTable = view
    tell("height")
  }

  /// Lays the object on another side: turned right over if it then stands, otherwise on the side on which it stands most
  /// firmly among those that have not been down yet.
  private func turnOver() {
    guard surroundings.discFromObject != nil, let object = try? object.get() else { return }
    let pose = state.withLock { state -> RigidTransform in
      let down = state.sides.last ?? [0, -1, 0]
      let side = otherSide(of: object, than: down, seen: state.sides)
      state.sides.append(side)
      return place(object, side, yaw: Angle.degrees(state.random.uniform(0...360)), &state.random)
    }
    surroundings.discFromObject = pose
    tell("flipped")
  }

  private func otherSide(of object: ObjectModel, than down: SIMD3<Double>, seen: [SIMD3<Double>]) -> SIMD3<Double> {
    let over = object.rest(down: -down)
    let isNew = { (d: SIMD3<Double>) in seen.allSatisfy { $0.dot(d) < 0.5 } }
    if isNew(over.down), over.firmness > 0.004 * object.radius { return over.down }
    let helper: SIMD3<Double> = down.x.magnitude < 0.7 ? [1, 0, 0] : [0, 0, 1]
    let u = down.cross(helper).normalized
    let v = down.cross(u)
    var best: (down: SIMD3<Double>, firmness: Double)?
    for way in [u, v, -u, -v, u - down, v - down, -u - down, -v - down] {
      let rest = object.rest(down: way)
      if isNew(rest.down), rest.firmness > best?.firmness ?? 0 { best = rest }
    }
    return best?.down ?? over.down
  }

  private func place(
    _ object: ObjectModel, _ down: SIMD3<Double>, yaw: Angle, _ random: inout SeededRandom
  ) -> RigidTransform {
    object.placed(down: down, yaw: yaw, at: SIMD2(random.normal(3), random.normal(3)))
  }
}
