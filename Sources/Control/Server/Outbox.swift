/// What waits to be sent to one client, and the rules for one that reads too slowly: it loses progress first, then every
/// event, is told how many, and when it does not read on it is given up. Answers are never dropped. A value: no I/O, no
/// clock.
struct Outbox {
  /// Whether the client must be given up.
  enum Verdict: Equatable {
    case keep
    case giveUp
  }

  private let limits: ServerLimits
  private var bytes: [UInt8] = []
  private var sent = 0
  private var sequence = 0
  /// Events lost since the client was last told.
  private var lost = 0
  private var overrunSince: Duration?
  /// The newest progress of each job that waits for its turn, oldest first.
  private var waitingProgress: [Event] = []
  private var nextProgress: Duration = .zero

  init(limits: ServerLimits) { self.limits = limits }

  /// Bytes not yet sent.
  var backlog: Int { bytes.count - sent }

  /// The bytes to send next.
  var unsent: ArraySlice<UInt8> { bytes[sent...] }

  /// Bytes that the kernel took.
  mutating func markSent(_ count: Int) {
    sent += count
    if sent == bytes.count {
      bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 16)
      sent = 0
    } else if sent > 1 << 16 {
      bytes.removeFirst(sent)
      sent = 0
    }
  }

  /// Adds lines that must arrive.
  mutating func append(_ lines: String) { bytes.append(contentsOf: lines.utf8) }

  /// Adds an event, or drops it where the rules say so. `now` is seconds since boot.
  mutating func offer(_ event: Event, now: Duration) {
    if overrunSince != nil {
      lost += 1
    } else if event.kind == .progress {
      offerProgress(event, now: now)
    } else if backlog >= limits.eventBacklog {
      lost += 1
      overrunSince = now
      tellLoss(now: now)
    } else {
      if event.endsJob { waitingProgress.removeAll { $0.job == event.job } }
      write(event, now: now)
    }
  }

  /// Does what is due. True when the client has caught up after a loss and must be told the current state again.
  mutating func tick(now: Duration) -> Bool {
    if overrunSince != nil, backlog == 0 {
      overrunSince = nil
      if lost > 0 { tellLoss(now: now) }
      return true
    }
    if overrunSince == nil, now >= nextProgress, !waitingProgress.isEmpty {
      let event = waitingProgress.removeFirst()
      sendProgress(event, now: now)
    }
    return false
  }

  /// What has become of the client.
  func verdict(now: Duration) -> Verdict {
    guard let overrunSince, now - overrunSince >= limits.overrunGrace else { return .keep }
    return .giveUp
  }

  /// When `tick` or `verdict` must be asked next; nil when nothing waits.
  var due: Duration? {
    if let overrunSince { return backlog == 0 ? .zero : overrunSince + limits.overrunGrace }
    return waitingProgress.isEmpty ? nil : nextProgress
  }

  /// Forgets progress that waits: the client watches no more.
  mutating func forgetProgress() { waitingProgress.removeAll() }

  private mutating func offerProgress(_ event: Event, now: Duration) {
    if now >= nextProgress, waitingProgress.isEmpty {
      sendProgress(event, now: now)
    } else if let index = waitingProgress.firstIndex(where: { $0.job == event.job }) {
      waitingProgress[index] = event
      sequence += 1
    } else {
      waitingProgress.append(event)
    }
  }

  private mutating func sendProgress(_ event: Event, now: Duration) {
    nextProgress = now + limits.progressEvery
    if backlog >= limits.progressBacklog {
      lost += 1
      sequence += 1
    } else {
      write(event, now: now)
    }
  }

  private mutating func tellLoss(now: Duration) {
    write(Event(.overrun, ["lost": .integer(lost)]), now: now)
    lost = 0
  }

  private mutating func write(_ event: Event, now: Duration) {
    sequence += 1
    append(event.line(sequence: sequence, seconds: now.seconds))
  }
}

extension Duration {
  /// The same in seconds.
  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
