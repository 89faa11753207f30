import Rig

/// LED and buzzer on lines, either of which may be missing.
public actor LineSignal: Signal {
  private let led: (any OutputLine)?
  private let buzzer: (any OutputLine)?
  private let clock: any RigClock
  private var shown = SignalPattern.off
  private var player: Task<Void, Never>?

  /// A signal on these lines, whose rhythms go by `clock`.
  public init(led: (any OutputLine)?, buzzer: (any OutputLine)?, clock: any RigClock) {
    self.led = led
    self.buzzer = buzzer
    self.clock = clock
  }

  deinit { player?.cancel() }

  /// Shows a pattern until the next one. The one that is shown already goes on as it is.
  public func show(_ pattern: SignalPattern) async {
    guard pattern != shown else { return }
    shown = pattern
    player?.cancel()
    let before = player
    let rhythm = SignalRhythm.of(pattern)
    player = Task { [led, buzzer, clock] in
      await before?.value
      repeat {
        for step in rhythm.steps {
          // a broken LED must not stop a scan, and what cannot blink may still beep
          try? await led?.set(step.led)
          try? await buzzer?.set(step.buzzer)
          guard (try? await clock.sleep(for: step.time)) != nil else { return }
        }
      } while rhythm.repeats
    }
  }
}
