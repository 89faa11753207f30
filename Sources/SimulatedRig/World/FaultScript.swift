import Imaging
import Rig
import Synchronization

#if canImport(Glibc)
  import Glibc
#endif

/// What is still to go wrong. Events of the world arm faults; the device concerned takes an armed one.
final class FaultScript: Sendable {
  private struct State {
    var waiting: [SimulatedFault]
    var armed: [SimulatedFault.Kind] = []
    var shots = 0
    var moves: [String: Int] = [:]
  }
  private let state: Mutex<State>
  private let clock: SimulatedClock

  init(_ faults: [SimulatedFault], clock: SimulatedClock) {
    state = Mutex(State(waiting: faults))
    self.clock = clock
  }

  /// A full-size capture begins.
  func noteShot() {
    let number = state.withLock { state in
      state.shots += 1
      return state.shots
    }
    arm { $0.at == .shot(number) }
  }

  /// An axis begins a move.
  func noteMove(of axis: String, at time: Duration) {
    let number = state.withLock { state in
      state.moves[axis, default: 0] += 1
      return state.moves[axis, default: 0]
    }
    arm { fault in
      guard case .move(number) = fault.at else { return false }
      switch fault.kind {
      case .stall(let name), .lostSteps(let name, _): return name == axis
      default: return axis == "turntable"
      }
    }
  }

  /// Whether this fault is due now; it is then over.
  func takes(_ kind: SimulatedFault.Kind) -> Bool { take { $0 == kind } != nil }

  /// By how much the axis falls behind now.
  func takesLostSteps(of axis: String) -> Angle? {
    guard case .lostSteps(_, let angle) = take({ if case .lostSteps(axis, _) = $0 { true } else { false } }) else {
      return nil
    }
    return angle
  }

  /// For how long the gauge is silent from now on.
  func takesSilence(of gauge: String) -> Duration? {
    guard case .gaugeSilent(_, let time) = take({ if case .gaugeSilent(gauge, _) = $0 { true } else { false } }) else {
      return nil
    }
    return time
  }

  private func take(_ matches: (SimulatedFault.Kind) -> Bool) -> SimulatedFault.Kind? {
    arm { _ in false }
    return state.withLock { state in
      guard let place = state.armed.firstIndex(where: matches) else { return nil }
      return state.armed.remove(at: place)
    }
  }

  private func arm(_ matches: (SimulatedFault) -> Bool) {
    let now = clock.now.sinceOrigin
    let powerCut = state.withLock { state -> Bool in
      state.waiting.removeAll { fault in
        var due = matches(fault)
        if case .time(let time) = fault.at, time <= now { due = true }
        if due { state.armed.append(fault.kind) }
        return due
      }
      return state.armed.contains(.powerCut)
    }
    if powerCut { kill(getpid(), SIGKILL) }
  }
}
