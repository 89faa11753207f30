import CLinux
import Control
import Testing

#if canImport(Glibc)
  import Glibc
#endif

struct ServerTests {
  @Test func bytesMayArriveOneAtATime() async throws {
    let client = try await Station().client()
    for byte in "@b echo text=\"a\\nb\"\r\nstatus\n".utf8 { await client.send([byte]) }
    #expect(try await client.answer() == ["@b OK text=\"a\\nb\""])
    #expect(try await client.answer().last == "OK")
  }

  @Test func manyRequestsInOnePieceAreAnsweredInOrder() async throws {
    let client = try await Station().client()
    let count = 500
    await client.send((0..<count).map { "@\($0) echo text=t\($0)\n" }.joined())
    for index in 0..<count { #expect(try await client.answer() == ["@\(index) OK text=t\(index)"]) }
  }

  @Test func blankLinesAndCommentsAreNotAnswered() async throws {
    let client = try await Station().client()
    await client.send("\n\r\n   \n# a comment\n#\n@1 status\n")
    #expect(try await client.answer().last == "@1 OK")
  }

  @Test(arguments: [1025, 1026, 1027, 5000, 100_000])
  func aLineThatIsTooLongIsDiscardedToItsEnd(length: Int) async throws {
    let client = try await Station().client()
    let head = "@long echo text="
    await client.send(head + String(repeating: "x", count: length - head.utf8.count) + "\nstatus\n")
    #expect(try await client.answer() == ["@long ERR TOOLONG \"the line is longer than 1024 bytes\""])
    #expect(try await client.answer().last == "OK")
  }

  @Test func theLongestLineFitsWithBothLineEnds() async throws {
    let client = try await Station().client()
    let text = String(repeating: "x", count: 1024 - "echo text=".utf8.count)
    for end in ["\n", "\r\n"] {
      await client.send("echo text=\(text)" + end)
      #expect(try await client.answer() == ["OK text=\(text)"])
    }
  }

  @Test func aHalfClosedClientGetsAllItsAnswersAndThenTheEnd() async throws {
    let client = try await Station().client()
    await client.send("status\n@2 echo text=x\nmodels\n")
    client.finishSending()
    let lines = try await client.rest()
    #expect(lines.count == 5)
    #expect(lines[2] == "@2 OK text=x")
    #expect(lines.last == "OK count=1")
  }

  @Test func aLineThatIsCutShortIsNotCarriedOut() async throws {
    let station = try Station()
    let client = try await station.client()
    await client.send("status\nstop")
    client.finishSending()
    let lines = try await client.rest()
    #expect(lines.count == 3)
    #expect(lines.last == "ERR BADCMD \"the last line has no line feed and was not carried out\"")
    #expect(station.stops.value == 0)
  }

  @Test func aWatchUntilAJobKeepsAHalfClosedStreamOpenUntilItEnds() async throws {
    let station = try Station()
    let client = try await station.client()
    await client.send("watch state progress until=job:12\n")
    client.finishSending()
    #expect(try await client.answer() == ["OK"])
    station.server.publish(Event(.state, job: 7, endsJob: true, ["to": "completed"]))
    station.server.publish(Event(.state, job: 12, endsJob: true, ["to": "completed"]))
    let rest = try await client.rest()
    #expect(rest.count == 2)
    #expect(rest.last?.contains("job=12 to=completed") == true)
  }

  @Test func aWatchUntilAJobThatHasEndedIsOverAtOnce() async throws {
    let station = try Station()
    station.server.publish(Event(.state, job: 12, endsJob: true, ["to": "completed"]))
    let client = try await station.client()
    await client.send("watch state until=job:12\n")
    client.finishSending()
    #expect(try await client.rest() == ["OK"])
  }

  @Test func aHalfClosedClientWithAPlainWatchIsClosed() async throws {
    let client = try await Station().client()
    await client.send("watch state\n")
    client.finishSending()
    #expect(try await client.rest() == ["OK"])
  }

  @Test func whatAVanishedClientAskedForIsStillDone() async throws {
    let station = try Station()
    let client = try await station.client()
    await client.send("echo text=x\nstop\n")
    client.vanish()
    let other = try await station.client()
    // The other client's answers come after the server has read what the first one sent.
    while station.stops.value == 0 { _ = try await other.ask("status") }
    #expect(station.stops.value == 1)
  }

  @Test func sixteenClientsAreServedAndTheSeventeenthIsTold() async throws {
    let station = try Station()
    var clients: [RawClient] = []
    for _ in 0..<16 { clients.append(try await station.client()) }
    let refused = try RawClient(station.path)
    #expect(try await refused.rest() == ["ERR LIMIT \"16 clients are connected already\" limit=16"])
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for (index, client) in clients.enumerated() {
        group.addTask {
          for round in 0..<20 {
            let text = "\(index).\(round)x"
            guard try await client.ask("@i\(index) echo text=\(text)") == ["@i\(index) OK text=\(text)"] else {
              return false
            }
          }
          return true
        }
      }
      for try await good in group { #expect(good) }
    }
    clients.removeLast().vanish()
    // The place is free once the server has noticed.
    while true {
      let next = try RawClient(station.path)
      if try await next.line()?.hasPrefix("OK twinrig 1") == true { break }
    }
  }

  @Test func stopIsCarriedOutAheadOfWhatWaits() async throws {
    let station = try Station()
    let client = try await station.client()
    // `wait` answers only once `stop` has been carried out: with a queue in between this would hang.
    await client.send("@1 wait\n@2 status\n@3 stop\n")
    #expect(try await client.answer() == ["@1 OK waited=1"])
    #expect(try await client.answer().last == "@2 OK")
    #expect(try await client.answer() == ["@3 OK stopped=1"])
  }

  @Test func aLateHandlerIsAnsweredForInTime() async throws {
    var limits = Station.patient
    limits.answerWithin = .milliseconds(100)
    let station = try Station(limits)
    let client = try await station.client()
    let began = ContinuousClock.now
    let late = try await client.ask("@1 wait")
    #expect(ContinuousClock.now - began < .seconds(20))
    #expect(late[0].hasPrefix("@1 ERR TIMEOUT \"no answer in time"))
    await station.gate.open()
    // The late answer itself is not sent any more: the next line answers the next request.
    #expect(try await client.ask("@2 echo text=x").last?.hasPrefix("@2 ") == true)
  }

  @Test func unknownClassesOfEventsAreNotSent() async throws {
    let station = try Station()
    let client = try await station.client()
    _ = try await client.ask("watch button")
    station.server.publish(Event(.state, ["to": "ready"]))
    station.server.publish(Event(.button, ["id": 1]))
    #expect(try await client.line()?.hasPrefix("! button seq=1 ") == true)
  }

  @Test func aStateThatWasLeftIsNotToldToNewWatchers() async throws {
    let station = try Station()
    station.server.publish(Event(.prompt, retention: .current(key: "prompt"), ["id": 1]))
    station.server.publish(Event(.prompt, retention: .clears(key: "prompt"), ["id": 1, "closed": "flipped"]))
    station.server.publish(Event(.state, retention: .current(key: "scan"), ["to": "detecting"]))
    station.server.publish(Event(.state, retention: .current(key: "scan"), ["to": "capturing"]))
    let client = try await station.client()
    let lines = try await client.ask("watch state prompt")
    #expect(lines.count == 2)
    #expect(lines[0].hasSuffix("to=capturing"))
  }

  @Test func progressComesAtMostTwiceASecondAndTheNewestIsNeverLost() async throws {
    let station = try Station()
    let client = try await station.client()
    _ = try await client.ask("watch progress")
    let began = ContinuousClock.now
    for done in 1...1000 { station.server.publish(Event(.progress, job: 12, ["done": .integer(done)])) }
    var lines: [String] = []
    repeat { lines.append(try await client.line() ?? "") } while !(lines.last?.hasSuffix("done=1000") ?? true)
    let halfSeconds = (ContinuousClock.now - began) / .milliseconds(500)
    #expect(Double(lines.count) <= halfSeconds + 1)
    #expect(lines.count >= 2)
    let numbers = lines.compactMap { line in
      line.split(separator: " ").first { $0.hasPrefix("seq=") }.flatMap { Int($0.dropFirst(4)) }
    }
    #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
  }

  @Test func theSocketIsForOwnerAndGroupOnly() throws {
    let station = try Station()
    var status = stat()
    #expect(stat(station.path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o660)
  }

  @Test func aPathWhereAnAgentAnswersIsRefused() async throws {
    let station = try Station()
    do throws(ControlError) {
      _ = try SocketEndpoint.bind(path: station.path, group: nil)
      Issue.record("bound")
    } catch {
      #expect(error.kind == .occupied)
    }
    _ = try await station.client().ask("status")
  }

  @Test func aSocketLeftBehindIsReplacedAndAFileIsNot() async throws {
    let station = try Station()
    let path = station.path + ".left"
    // A listener that is closed without being removed is what a killed agent leaves.
    linux_close(linux_socket_listen(path, 0o660, 1))
    let endpoint = try SocketEndpoint.bind(path: path, group: nil)
    #expect(endpoint.path == path)
    let file = station.path + ".file"
    fclose(fopen(file, "w"))
    do throws(ControlError) {
      _ = try SocketEndpoint.bind(path: file, group: nil)
      Issue.record("bound over a file")
    } catch {
      #expect(error.operation.contains("no left-over socket"))
    }
    #expect(access(file, F_OK) == 0)
  }

  @Test func aPathThatIsTooLongIsRefusedWithTheReason() {
    do throws(ControlError) {
      _ = try SocketEndpoint.bind(path: "/tmp/" + String(repeating: "x", count: 200), group: nil)
      Issue.record("bound")
    } catch {
      #expect(error.description.contains("107 bytes"))
    }
  }

  @Test func aServerThatStopsSendsWhatItOwesAndRemovesItsSocket() async throws {
    let station = try Station()
    let client = try await station.client()
    await client.send("models\n")
    #expect(try await client.answer().last == "OK count=1")
    await station.server.stop()
    #expect(try await client.rest().isEmpty)
    #expect(access(station.path, F_OK) != 0)
    #expect(throws: RawClient.Failure.self) { try RawClient(station.path) }
  }
}
