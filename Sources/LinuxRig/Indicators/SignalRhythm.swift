import Rig

/// How a pattern looks and sounds: what LED and buzzer do, one step after the other.
package struct SignalRhythm: Sendable, Hashable {
  /// A while in which nothing changes.
  package struct Step: Sendable, Hashable {
    package var led: Bool, buzzer: Bool
    package var time: Duration
  }

  /// The steps, in order.
  package var steps: [Step]
  /// Whether it goes on from its first step; else the last one stays.
  package var repeats: Bool

  /// What a pattern is: prompts call (two beeps and fast blinking, as often as it takes; how many blinks says which prompt),
  /// states only show.
  package static func of(_ pattern: SignalPattern) -> SignalRhythm {
    switch pattern {
    case .off: SignalRhythm(steps: [rest(.seconds(1))], repeats: false)
    case .ready: SignalRhythm(steps: [glow(.milliseconds(100)), rest(.milliseconds(2900))], repeats: true)
    case .busy: SignalRhythm(steps: [glow(.seconds(1))], repeats: false)
    case .clear: call(blinks: 1)
    case .place: call(blinks: 2)
    case .flip: call(blinks: 3)
    case .height: call(blinks: 4)
    case .done:
      SignalRhythm(
        steps: [beep(.milliseconds(600)), rest(.milliseconds(100)), glow(.seconds(3)), rest(.seconds(1))],
        repeats: false)
    case .failed:
      SignalRhythm(
        steps: [
          beep(.milliseconds(150)), rest(.milliseconds(100)), beep(.milliseconds(150)), rest(.milliseconds(100)),
          beep(.milliseconds(150)), rest(.milliseconds(100)), glow(.seconds(10)), rest(.seconds(1))
        ], repeats: false)
    case .warning: SignalRhythm(steps: [beep(.milliseconds(50)), rest(.milliseconds(1950))], repeats: true)
    }
  }

  /// Two beeps, then so many blinks, and again.
  private static func call(blinks: Int) -> SignalRhythm {
    var steps = [beep(.milliseconds(120)), rest(.milliseconds(120)), beep(.milliseconds(120)), rest(.milliseconds(500))]
    for _ in 0..<blinks { steps += [glow(.milliseconds(250)), rest(.milliseconds(250))] }
    return SignalRhythm(steps: steps + [rest(.seconds(2))], repeats: true)
  }

  private static func glow(_ time: Duration) -> Step { Step(led: true, buzzer: false, time: time) }
  private static func beep(_ time: Duration) -> Step { Step(led: true, buzzer: true, time: time) }
  private static func rest(_ time: Duration) -> Step { Step(led: false, buzzer: false, time: time) }
}
