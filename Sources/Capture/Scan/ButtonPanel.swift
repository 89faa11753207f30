import Rig

/// A button went down or up.
public struct ButtonPress: Sendable, Hashable {
  /// The button's number.
  public var id: Int
  /// Down or up.
  public var pressed: Bool
  /// What it is for.
  public var action: ButtonAction
  /// What the press did, for a person; nil where it meant nothing just then.
  public var effect: String?
}

/// The rig's buttons, at work on a scan: with these alone a scan runs from start to model.
public struct ButtonPanel: Sendable {
  private let buttons: [Button]

  /// The panel of a rig's buttons.
  public init(buttons: [Button]) { self.buttons = buttons }

  /// Does what the buttons say until the task is cancelled. `report` hears of every press and release after it took
  /// effect; `trouble` of lines that cannot be watched, while the others go on.
  public func run(
    on controller: ScanController, report: @escaping @Sendable (ButtonPress) async -> Void,
    trouble: @escaping @Sendable (DeviceError) async -> Void
  ) async {
    await withTaskGroup(of: Void.self) { group in
      for button in buttons {
        group.addTask {
          do throws(DeviceError) {
            let action = ButtonAction(name: button.action)
            for await edge in try await button.line.edges() {
              let effect = edge.active ? await controller.press(action) : nil
              await report(ButtonPress(id: button.id, pressed: edge.active, action: action, effect: effect))
            }
          } catch {
            await trouble(error)
          }
        }
      }
    }
  }
}

extension ScanController {
  /// Does what a button press is for. Returns what it did, for a person, or nil where it means nothing just now.
  public func press(_ action: ButtonAction) async -> String? {
    do throws(ScanRefusal) {
      switch action {
      case .shutter:
        if let done = try await answerOrGoOn() { return done }
        if machine.state.isIdle { return "started session \(try await start(settings.buttonRequest))" }
        try shot()
        return "a shot by hand"
      case .start:
        if let done = try await answerOrGoOn() { return done }
        if machine.state.isIdle { return "started session \(try await start(settings.buttonRequest))" }
        try await unpause()
        return "going on"
      case .stop: return try stopOrCancel()
      case .answer:
        if let done = try await answerOrGoOn() { return done }
        guard machine.state.isIdle, let resumable else { return nil }
        try await resume(resumable)
        return "took up session \(resumable)"
      case .flip:
        guard let prompt = machine.prompt, prompt.options.contains(.flipped) else { return nil }
        try answer(prompt.id, .flipped)
        return "answered flipped"
      case .zoom, .custom: return nil
      }
    } catch {
      hub.send(.notice(error.message))
      return nil
    }
  }

  /// What the rig waits for: the answer to a prompt, or somebody who has seen to what the scan paused for.
  private func answerOrGoOn() async throws(ScanRefusal) -> String? {
    if let prompt = machine.prompt {
      try answer(prompt.id, prompt.advice)
      return "answered \(prompt.advice.rawValue)"
    }
    guard case .paused = machine.phase else { return nil }
    try await unpause()
    return "going on"
  }

  /// The first press pauses, the second gives up; what cannot pause is given up at once.
  private func stopOrCancel() throws(ScanRefusal) -> String? {
    if machine.state.isIdle { return nil }
    if machine.state == .capturing, machine.prompt == nil {
      try pause()
      return "pausing"
    }
    try cancel()
    return "cancelling"
  }
}
