import Rig

/// Whether a device is there, and what to do about one that is not: a value without clock or device.
///
/// One that is lost is opened again at once, for a glitch, and then after pauses that double up to a bound. What is worth
/// telling is told once, not at every try.
package struct Presence: Sendable, Hashable {
  /// What is known of the device.
  package enum State: Sendable, Hashable {
    /// Nobody has tried yet.
    case untried
    /// It was opened, and has not been lost since.
    case present
    /// It cannot be opened, or was lost, for this reason.
    case absent(DeviceError)
  }

  /// What happened.
  package enum Event: Sendable, Hashable {
    /// Opening it succeeded.
    case opened
    /// Opening it failed.
    case refused(DeviceError)
    /// It was there, and an operation found it gone.
    case lost(DeviceError)
    /// It gave a sign of life some while after it was opened.
    case answered
  }

  /// What to do.
  package enum Action: Sendable, Hashable {
    /// Try to open it, after a while.
    case open(after: Duration)
    /// Say that it is there now, or why it is not.
    case tell(DeviceError?)
  }

  /// What is known of it.
  package private(set) var state = State.untried
  private let firstPause: Duration
  private let longestPause: Duration
  private var pause: Duration

  /// One that was never opened. Pauses between tries grow from `firstPause` to `longestPause`.
  package init(firstPause: Duration = .seconds(1), longestPause: Duration = .seconds(30)) {
    self.firstPause = firstPause
    self.longestPause = longestPause
    pause = firstPause
  }

  /// Takes an event; returns what is to be done, in order.
  package mutating func handle(_ event: Event) -> [Action] {
    switch (event, state) {
    case (.opened, .untried):
      state = .present
      return []
    case (.opened, .absent):
      state = .present
      return [.tell(nil)]
    case (.refused(let error), .absent(let before)):
      state = .absent(error)
      return (error == before ? [] : [.tell(error)]) + [.open(after: nextPause())]
    case (.refused(let error), .untried):
      state = .absent(error)
      return [.tell(error), .open(after: nextPause())]
    case (.lost(let error), .present):
      state = .absent(error)
      // one that comes and goes is not opened at once each time
      let isGlitch = pause == firstPause
      return [.tell(error), .open(after: isGlitch ? .zero : nextPause())]
    case (.answered, .present):
      pause = firstPause
      return []
    case (.opened, .present), (.refused, .present), (.lost, _), (.answered, _): return []
    }
  }

  private mutating func nextPause() -> Duration {
    defer { pause = min(pause * 2, longestPause) }
    return pause
  }
}
