import Control
import Testing

struct SlowReaderTests {
  private func limits(grace: Duration) -> ServerLimits {
    var limits = Station.patient
    limits.progressBacklog = 2 << 10
    limits.eventBacklog = 8 << 10
    limits.kernelBuffer = 4 << 10
    limits.overrunGrace = grace
    limits.progressEvery = .zero
    return limits
  }

  private func number(_ key: String, _ line: String) -> Int? {
    line.split(separator: " ").first { $0.hasPrefix(key + "=") }.flatMap { Int($0.dropFirst(key.count + 1)) }
  }

  @Test func aSlowReaderLosesProgressFirst() async throws {
    let station = try Station(limits(grace: .seconds(60)))
    let client = try await station.client()
    _ = try await client.ask("watch state progress")
    // Progress fills what the kernel takes and then the first limit, never the second: what must arrive still fits.
    let count = 3000
    for done in 1...count { station.server.publish(Event(.progress, job: done, ["done": .integer(done)])) }
    for index in 1...20 { station.server.publish(Event(.state, ["to": .integer(index)])) }
    var states: [Int] = []
    var progress = 0
    while states.count < 20 {
      let line = try #require(try await client.line())
      #expect(!line.hasPrefix("! overrun"))
      if line.hasPrefix("! state") { states.append(try #require(number("to", line))) } else { progress += 1 }
    }
    #expect(states == Array(1...20))
    #expect(progress > 0 && progress < count)
  }

  @Test func thenItIsToldWhatItLostAndCaughtUpIsToldTheState() async throws {
    let station = try Station(limits(grace: .seconds(60)))
    let client = try await station.client()
    _ = try await client.ask("watch state")
    let count = 3000
    for index in 1...count {
      station.server.publish(Event(.state, retention: .current(key: "scan"), ["to": .integer(index)]))
    }
    var seen = 0
    var lost = 0
    var last = 0
    while last != count {
      let line = try #require(try await client.line())
      if line.hasPrefix("! overrun") {
        lost += try #require(number("lost", line))
      } else {
        seen += 1
        last = try #require(number("to", line))
      }
    }
    #expect(lost > 0)
    // Every event was seen or counted as lost; the last one was told again once the client had caught up.
    #expect(seen + lost == count + 1)
  }

  @Test func thenItIsDisconnectedAndNobodyElseNotices() async throws {
    let station = try Station(limits(grace: .milliseconds(300)))
    let slow = try await station.client()
    let quick = try await station.client()
    _ = try await slow.ask("watch state")
    for index in 1...3000 { station.server.publish(Event(.state, ["to": .integer(index)])) }
    while !station.log.all.contains("too slow") { _ = try await quick.ask("status") }
    #expect(try await slow.rest().count < 3000)
    #expect(try await quick.ask("status").last == "OK")
  }

  @Test func aClientThatAsksWithoutReadingIsMadeToWait() async throws {
    let station = try Station(limits(grace: .milliseconds(200)))
    let client = try await station.client()
    // Far more answers than all buffers hold: the server must neither grow nor drop any of them.
    let count = 3000
    let requests = (0..<count).map { "@\($0) models\n" }.joined()
    let sending = Task { await client.send(requests) }
    for index in 0..<count { #expect(try await client.answer().last == "@\(index) OK count=1") }
    await sending.value
  }
}
