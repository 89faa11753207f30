/// One client as a value: bytes in, requests out, answers in their order, events. No I/O, no clock.
struct Connection {
  /// A request that has arrived and is not answered yet.
  struct Waiting {
    let ticket: Int
    let id: String?
    let request: Request?
    let isUrgent: Bool
    var startedAt: Duration?
    var answer: Outcome?
  }

  /// What the client watches.
  struct Watch {
    var classes: Set<EventClass>
    var untilJob: Int?
  }

  let descriptor: Int32
  let peer: Peer
  let limits: ServerLimits
  var outbox: Outbox
  private(set) var waiting: [Waiting] = []
  private(set) var watch: Watch?
  /// The client said that it sends nothing more.
  private(set) var inputEnded = false
  /// The client cannot be reached any more; what it asked for is still done.
  var isGone = false
  /// The client must be closed once everything has been sent.
  var isClosing = false
  private var line: [UInt8] = []
  private var nextTicket = 0

  init(descriptor: Int32, peer: Peer, limits: ServerLimits) {
    self.descriptor = descriptor
    self.peer = peer
    self.limits = limits
    outbox = Outbox(limits: limits)
  }

  /// Whether bytes of the client are welcome now.
  var wantsInput: Bool {
    !inputEnded && !isClosing && waiting.count < limits.waitingRequests && outbox.backlog < limits.eventBacklog
  }

  /// Whether nothing is left to be done for the client.
  var isFinished: Bool {
    if isGone { return waiting.isEmpty }
    let ended = isClosing || (inputEnded && watch?.untilJob == nil)
    return ended && waiting.isEmpty && outbox.backlog == 0
  }

  /// Takes bytes as they come, and puts the requests they complete into the queue.
  mutating func receive(_ bytes: ArraySlice<UInt8>, isUrgent: (Request) -> Bool) {
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        endLine(isUrgent)
      } else if line.count < Request.longestLine + 2 {
        // One more than fits marks the line as too long, and its head, with the id, is kept; the rest is discarded.
        line.append(byte)
      }
    }
  }

  /// Takes the end of the client's input. A line without its line feed is not carried out: it may be cut short.
  mutating func endInput() {
    guard !inputEnded else { return }
    inputEnded = true
    guard !line.isEmpty else { return }
    line.removeAll()
    enqueue(
      id: nil, request: nil,
      answer: Reply(Refusal(.badCommand, "the last line has no line feed and was not carried out")))
  }

  private mutating func endLine(_ isUrgent: (Request) -> Bool) {
    defer { line.removeAll(keepingCapacity: true) }
    var text = line[...]
    if text.last == UInt8(ascii: "\r"), text.count <= Request.longestLine + 1 { text = text.dropLast() }
    do throws(RequestError) {
      guard let request = try Request(line: text) else { return }
      enqueue(id: request.id, request: request, isUrgent: isUrgent(request), answer: nil)
    } catch {
      enqueue(id: error.id, request: nil, answer: Reply(error.refusal))
    }
  }

  private mutating func enqueue(id: String?, request: Request?, isUrgent: Bool = false, answer: Reply?) {
    nextTicket += 1
    waiting.append(
      Waiting(
        ticket: nextTicket, id: id, request: request, isUrgent: isUrgent, startedAt: nil,
        answer: answer.map { .reply($0) }))
  }

  /// Marks the requests that are to be carried out now and returns them: the first in the queue, and every urgent one.
  mutating func start(now: Duration) -> [Waiting] {
    var started: [Waiting] = []
    for index in waiting.indices where index == 0 || waiting[index].isUrgent {
      guard waiting[index].startedAt == nil, waiting[index].answer == nil else { continue }
      waiting[index].startedAt = now
      started.append(waiting[index])
    }
    return started
  }

  /// Notes the answer to a request; it goes out when its turn has come. Ignored where the client was told `TIMEOUT`.
  mutating func answer(ticket: Int, _ outcome: Outcome) {
    guard let index = waiting.firstIndex(where: { $0.ticket == ticket && $0.answer == nil }) else { return }
    waiting[index].answer = outcome
  }

  /// Answers in the place of a handler that takes too long.
  mutating func giveUpLateAnswers(now: Duration) {
    for index in waiting.indices where waiting[index].answer == nil {
      guard let started = waiting[index].startedAt, now - started >= limits.answerWithin else { continue }
      waiting[index].answer = .reply(
        Reply(Refusal(.timedOut, "no answer in time; it may still take effect: see status and jobs")))
    }
  }

  /// When the next handler is late.
  var answerDue: Duration? {
    waiting.lazy.filter { $0.answer == nil }.compactMap(\.startedAt).min().map { $0 + limits.answerWithin }
  }

  /// The next answer whose turn has come.
  mutating func nextAnswer() -> (id: String?, outcome: Outcome)? {
    guard let first = waiting.first, let outcome = first.answer else { return nil }
    waiting.removeFirst()
    return (first.id, outcome)
  }

  /// Watches more.
  mutating func startWatching(_ classes: [EventClass], untilJob: Int?) {
    var all = watch?.classes ?? []
    all.formUnion(classes)
    watch = Watch(classes: all, untilJob: untilJob)
  }

  /// Watches nothing any more.
  mutating func stopWatching() {
    watch = nil
    outbox.forgetProgress()
  }

  /// Offers an event to the client, which gets it if it watches for it.
  mutating func offer(_ event: Event, now: Duration) {
    guard let watch, !isGone else { return }
    if watch.classes.contains(event.kind) { outbox.offer(event, now: now) }
    if event.endsJob, let job = watch.untilJob, job == event.job { stopWatching() }
  }
}
