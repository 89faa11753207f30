import CLinux
import Rig

/// Focusing once, and waiting for it.
extension TwinStream {
  /// Lenses that look for their focus, and whom to tell.
  struct Focusing {
    /// What became of the left and the right one: where it stands, or that it failed; nil: it is still looking.
    var outcomes: [Outcome?] = [nil, nil]
    var deadline: Int64
    var range: ClosedRange<Double>
    var reply: Reply<LensFocus?>

    enum Outcome {
      case focused(Double)
      case failed
    }
  }

  /// How long a lens may look, in nanoseconds: contrast is measured for some frames at each of some dozen places, and by many
  /// pipelines no more than 30 times a second.
  private var focusPatience: Int64 {
    let exposure = (wanted.exposureMicroseconds ?? 0) * 1e3
    return max(5_000_000_000, Int64(240 * max(exposure, 1e9 / mode.framesPerSecond)))
  }

  func focus(in windows: [PictureWindow], _ reply: Reply<LensFocus?>) {
    if let failure { return reply.send(.failure(failure.during("focus"))) }
    guard source.limits.hasAutofocus, let range = source.limits.lens else { return reply.send(.success(nil)) }
    endFocusing(.cancelled)
    focusing = Focusing(deadline: linux_now() + focusPatience, range: range, reply: reply)
    source.focus(in: windows)
  }

  func noteFocus(_ frame: CompletedFrame, _ side: Side) {
    guard var current = focusing, current.outcomes[side.rawValue] == nil else { return }
    switch frame.focusing {
    case nil, .scanning: return
    // a lens that does not say where it stands cannot be put there again
    case .focused: current.outcomes[side.rawValue] = frame.controls.lensPosition.map { .focused($0) } ?? .failed
    case .failed: current.outcomes[side.rawValue] = .failed
    }
    focusing = current
    if !current.outcomes.contains(where: { $0 == nil }) { answerFocusing(current) }
  }

  func expireFocusing(_ now: Int64) {
    guard let current = focusing, current.deadline <= now else { return }
    answerFocusing(current)
  }

  private func answerFocusing(_ current: Focusing) {
    focusing = nil
    let positions = current.outcomes.map { (outcome) -> Double? in
      guard case .focused(let position) = outcome else { return nil }
      return position
    }
    current.reply.send(.success(LensFocus(left: positions[0], right: positions[1], range: current.range)))
  }

  func endFocusing(_ kind: DeviceError.Kind) { endFocusing(DeviceError(kind, device: device, operation: "focus")) }

  func endFocusing(_ error: DeviceError) {
    focusing?.reply.send(.failure(error.during("focus")))
    focusing = nil
  }
}
