import CLinux
import Glibc

/// The server's one thread.
extension ControlServer {
  func serve(_ endpoint: SocketEndpoint, _ handler: any CommandHandler) {
    var buffer = [UInt8](repeating: 0, count: 4 << 10)
    var acceptAgain = Duration.zero
    while true {
      let (entries, timeout) = state.withLock {
        $0.waitList(listener: endpoint.descriptor, waker, Self.now(), acceptAgain, limits)
      }
      var polled = entries
      _ = linux_poll(&polled, polled.count, timeout)
      linux_waker_clear(waker)
      let now = Self.now()
      if polled[1].got != 0 { acceptAgain = acceptAll(endpoint, now: now) }
      let (work, notices, isOver) = state.withLock { state in
        state.receive(polled.dropFirst(2), &buffer, isUrgent: handler.isUrgent)
        let work = state.advance(now: now)
        state.send()
        let gone = state.removeFinished(now: now)
        return (work, gone, state.isOver(now: now, limits))
      }
      // Outside the lock: a log or a handler may take its time and may publish.
      for item in work { carryOut(item, handler) }
      for item in notices { notice(item) }
      if isOver { return end(endpoint) }
    }
  }

  private func carryOut(_ item: State.Work, _ handler: any CommandHandler) {
    Task(priority: item.isUrgent ? .high : .medium) {
      let outcome = await handler.handle(item.request, from: item.peer)
      finish(connection: item.peer.connection, ticket: item.ticket, outcome)
    }
  }

  /// Accepts every client that waits. Returns when to try again where the system has no descriptor left.
  private func acceptAll(_ endpoint: SocketEndpoint, now: Duration) -> Duration {
    while true {
      let descriptor = linux_socket_accept(endpoint.descriptor)
      if descriptor == -EAGAIN { return .zero }
      guard descriptor >= 0 else {
        notice(.fault(ControlError(.system, path: endpoint.path, operation: "accept a client", errno: -descriptor)))
        return now + .milliseconds(200)
      }
      var credentials = linux_peer()
      let known = linux_socket_peer(descriptor, &credentials) == 0
      let (peer, isWelcome) = state.withLock { state in
        state.nextConnection += 1
        let peer = Peer(
          connection: state.nextConnection, process: known ? credentials.pid : nil,
          user: known ? credentials.uid : nil, group: known ? credentials.gid : nil)
        guard state.connections.count < limits.clients else { return (peer, false) }
        if let size = limits.kernelBuffer { linux_socket_set_buffer(descriptor, Int32(size)) }
        var connection = Connection(descriptor: descriptor, peer: peer, limits: limits)
        connection.outbox.append(greeting)
        state.connections.append(connection)
        return (peer, true)
      }
      notice(isWelcome ? .connected(peer) : .refused(peer))
      if !isWelcome { turnAway(descriptor) }
    }
  }

  private func turnAway(_ descriptor: Int32) {
    let refusal = Refusal(
      .limit, "\(limits.clients) clients are connected already", ["limit": .integer(limits.clients)])
    let line = Array(Reply(refusal).lines(id: nil).utf8)
    _ = line.withUnsafeBytes { linux_socket_send(descriptor, $0.baseAddress, $0.count) }
    linux_close(descriptor)
  }

  private func end(_ endpoint: SocketEndpoint) {
    endpoint.close()
    let waiting = state.withLock { state in
      for connection in state.connections { linux_close(connection.descriptor) }
      state.connections = []
      state.hasStopped = true
      defer { state.onStopped = [] }
      return state.onStopped
    }
    for continuation in waiting { continuation.resume() }
  }
}

extension ControlServer.State {
  struct Work {
    let peer: Peer
    let ticket: Int
    let request: Request
    let isUrgent: Bool
  }

  /// What to poll for: the waker, the listener, the clients in order; and for how many milliseconds.
  func waitList(
    listener: Int32, _ waker: Int32, _ now: Duration, _ acceptAgain: Duration, _ limits: ServerLimits
  ) -> ([linux_poll_entry], Int32) {
    let accepts = stopRequested == nil && now >= acceptAgain
    var entries = [
      linux_poll_entry(descriptor: waker, wanted: Int16(LINUX_POLL_IN), got: 0),
      linux_poll_entry(descriptor: accepts ? listener : -1, wanted: Int16(LINUX_POLL_IN), got: 0)
    ]
    var due = acceptAgain > now ? acceptAgain : Duration.seconds(Int64.max / 4)
    if let stopRequested { due = min(due, stopRequested + limits.stopGrace) }
    for connection in connections {
      var wanted = 0
      if connection.wantsInput { wanted |= LINUX_POLL_IN }
      if connection.outbox.backlog > 0 { wanted |= LINUX_POLL_OUT }
      entries.append(
        linux_poll_entry(descriptor: connection.isGone ? -1 : connection.descriptor, wanted: Int16(wanted), got: 0))
      for moment in [connection.answerDue, connection.outbox.due].compactMap({ $0 }) { due = min(due, moment) }
    }
    let wait = due - now
    if wait > .seconds(3600) { return (entries, -1) }
    // Rounded up: waking too early would mean polling without a pause.
    let milliseconds = wait.components.seconds * 1000 + wait.components.attoseconds / 1_000_000_000_000_000 + 1
    return (entries, Int32(max(0, milliseconds)))
  }

  /// Reads what has come. The entries are those of the connections, in order; clients accepted since have none yet.
  mutating func receive(
    _ entries: ArraySlice<linux_poll_entry>, _ buffer: inout [UInt8], isUrgent: (Request) -> Bool
  ) {
    for (index, entry) in entries.enumerated() where entry.got != 0 && !connections[index].isGone {
      let isBroken = entry.got & Int16(LINUX_POLL_HANGUP | LINUX_POLL_ERROR) != 0
      // What a client sent before it went away is still carried out.
      while connections[index].wantsInput {
        let count = buffer.withUnsafeMutableBytes {
          linux_socket_receive(entry.descriptor, $0.baseAddress, $0.count)
        }
        if count > 0 {
          connections[index].receive(buffer[..<count], isUrgent: isUrgent)
          if !isBroken { break }
        } else {
          if count == 0 { connections[index].endInput() }
          if count < 0, count != -Int(EAGAIN) { connections[index].isGone = true }
          break
        }
      }
      if isBroken, !connections[index].wantsInput || connections[index].inputEnded { connections[index].isGone = true }
    }
  }

  /// Delivers answers and finds what is to be carried out.
  mutating func advance(now: Duration) -> [Work] {
    var work: [Work] = []
    for index in connections.indices {
      connections[index].giveUpLateAnswers(now: now)
      deliverAnswers(index, now: now)
      for item in connections[index].start(now: now) {
        guard let request = item.request else { continue }
        let peer = connections[index].peer
        work.append(Work(peer: peer, ticket: item.ticket, request: request, isUrgent: item.isUrgent))
      }
      if connections[index].outbox.tick(now: now), let watch = connections[index].watch {
        tellCurrentState(index, of: watch.classes, now: now)
      }
    }
    return work
  }

  /// Sends as much as the kernel takes.
  mutating func send() {
    for index in connections.indices where !connections[index].isGone {
      while connections[index].outbox.backlog > 0 {
        let sent = connections[index].outbox.unsent.withUnsafeBytes {
          linux_socket_send(connections[index].descriptor, $0.baseAddress, $0.count)
        }
        if sent < 0 {
          if sent != -Int(EAGAIN) { connections[index].isGone = true }
          break
        }
        connections[index].outbox.markSent(sent)
      }
    }
  }

  /// Closes and forgets clients that are done with.
  mutating func removeFinished(now: Duration) -> [ControlServer.Notice] {
    var notices: [ControlServer.Notice] = []
    connections.removeAll { connection in
      let isTooSlow = connection.outbox.verdict(now: now) == .giveUp
      guard isTooSlow || connection.isFinished else { return false }
      linux_close(connection.descriptor)
      notices.append(isTooSlow ? .tooSlow(connection.peer) : .disconnected(connection.peer))
      return true
    }
    return notices
  }

  /// Whether the server may end: it was asked to, and answers have gone out or had their time.
  func isOver(now: Duration, _ limits: ServerLimits) -> Bool {
    guard let stopRequested else { return false }
    if now >= stopRequested + limits.stopGrace { return true }
    return connections.allSatisfy { $0.isGone || ($0.waiting.isEmpty && $0.outbox.backlog == 0) }
  }
}
