import Rig
import SimulatedRig
import Synchronization
import Testing

extension SimulatedRigTests {
  @Suite struct ClockTests {
    private final class Log: Sendable {
      private let entries = Mutex<[Int]>([])
      func add(_ entry: Int) { entries.withLock { $0.append(entry) } }
      var all: [Int] { entries.withLock { $0 } }
    }

    @Test func sleepersWakeInTheOrderOfTheirDeadlines() async throws {
      let clock = SimulatedClock()
      clock.hold(true)
      let start = clock.now
      let woken = Log()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for seconds in [50, 10, 40, 20, 30] {
          group.addTask {
            try await clock.sleep(until: start.advanced(by: .seconds(seconds)), tolerance: nil)
            woken.add(seconds)
          }
        }
        while clock.sleeperCount < 5 { try await ContinuousClock().sleep(for: .milliseconds(1)) }
        clock.hold(false)
        try await group.waitForAll()
      }
      #expect(woken.all == [10, 20, 30, 40, 50])
      #expect(start.duration(to: clock.now) >= .seconds(50))
    }

    @Test func anHourPassesAtOnce() async throws {
      let clock = SimulatedClock()
      let began = ContinuousClock.now
      try await clock.sleep(for: .seconds(3600))
      #expect(began.duration(to: .now) < .seconds(3000))
      #expect(clock.now.sinceOrigin >= .seconds(3600))
    }

    @Test func timeAlsoRunsByItself() async throws {
      let clock = SimulatedClock()
      let before = clock.now
      try await ContinuousClock().sleep(for: .milliseconds(20))
      #expect(before.duration(to: clock.now) >= .milliseconds(20))
    }

    @Test func whoIsCancelledAsleepDoesNotHoldUpTheOthers() async throws {
      let clock = SimulatedClock()
      clock.hold(true)
      let early = Task { try await clock.sleep(for: .seconds(1)) }
      let late = Task { try await clock.sleep(for: .seconds(100)) }
      while clock.sleeperCount < 2 { try await ContinuousClock().sleep(for: .milliseconds(1)) }
      early.cancel()
      await #expect(throws: CancellationError.self) { try await early.value }
      clock.hold(false)
      try await late.value
    }
  }
}
