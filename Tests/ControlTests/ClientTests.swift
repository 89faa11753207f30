import Control
import Testing

struct ClientTests {
  @Test func questionsAreAnsweredInOrderAlsoWhenAskedAtOnce() async throws {
    let station = try Station()
    let client = try ControlClient(connectingTo: station.path)
    defer { client.close() }
    #expect(client.greeting.text("board") == "pi5")
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<200 {
        group.addTask {
          let answer = try await client.ask(Request(verb: "echo", fields: ["text": .text("t \(index)")]))
          return try answer.end.get().text("text") == "t \(index)"
        }
      }
      for try await good in group { #expect(good) }
    }
    let models = try await client.ask(line: "models")
    #expect(models.data.first?.text("name") == "blue vase")
  }

  @Test func aRefusalCarriesTokenTextAndFields() async throws {
    let station = try Station()
    let client = try ControlClient(connectingTo: station.path)
    defer { client.close() }
    let answer = try await client.ask(Request(verb: "answer", words: ["4", "flipped"]))
    guard case .failure(let rejection) = answer.end else { return #expect(Bool(false), "accepted") }
    #expect(rejection.token == "NOTFOUND")
    #expect(rejection.message == "prompt 4 is closed")
    #expect(rejection.fields.integer("prompt") == 4)
  }

  @Test func eventsComeAsAStreamThatEndsWithTheConnection() async throws {
    let station = try Station()
    let client = try ControlClient(connectingTo: station.path)
    _ = try await client.ask(line: "watch button")
    for index in 1...3 { station.server.publish(Event(.button, ["id": .integer(index)])) }
    var ids: [Int?] = []
    for await line in client.events {
      guard case .event(.button, let fields) = line else { continue }
      ids.append(fields.integer("id"))
      if ids.count == 3 { await station.server.stop() }
    }
    #expect(ids == [1, 2, 3])
    do throws(ControlError) {
      _ = try await client.ask(line: "status")
      Issue.record("answered")
    } catch {
      #expect(error.kind == .closed)
    }
  }

  @Test func askingAnAgentThatDiesIsAnError() async throws {
    let station = try Station()
    let client = try ControlClient(connectingTo: station.path)
    async let answer = { () async -> ControlError? in
      do throws(ControlError) {
        _ = try await client.ask(line: "wait")
        return nil
      } catch {
        return error
      }
    }()
    await station.server.stop()
    #expect(await answer?.kind == .closed)
    await station.gate.open()
  }

  @Test func noAgentIsSaidSoWithARemedy() {
    do throws(ControlError) {
      _ = try ControlClient(connectingTo: "/nonexistent/twinrig.sock")
      Issue.record("connected")
    } catch {
      #expect(error.kind == .noAgent)
      #expect(error.description.contains("is twinrigd running?"))
    }
  }

  @Test func aFullHouseIsSaidSo() async throws {
    var limits = Station.patient
    limits.clients = 1
    let station = try Station(limits)
    let first = try ControlClient(connectingTo: station.path)
    defer { first.close() }
    do throws(ControlError) {
      _ = try ControlClient(connectingTo: station.path)
      Issue.record("connected")
    } catch {
      #expect(error.kind == .full)
      #expect(error.description.contains("1 clients are connected already"))
    }
  }
}
