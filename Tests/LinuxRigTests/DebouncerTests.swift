import LinuxRig
import Testing

extension LinuxRigTests {
  /// Contacts bounce; a press is one.
  @Suite struct DebouncerTests {
    private let ms: Int64 = 1_000_000

    /// What is told of a line with these changes, looked at whenever the debouncer asks for it.
    private func told(_ changes: [(at: Int64, active: Bool)], window: Int64) -> [(
      at: Int64, active: Bool
    )] {
      var debouncer = Debouncer(window: window, isActive: false)
      var told: [(at: Int64, active: Bool)] = []
      var level = false
      func settle(before time: Int64) {
        while let deadline = debouncer.deadline, deadline <= time {
          if debouncer.settle(at: level, time: deadline) {
            told.append((deadline, debouncer.isActive))
          }
        }
      }
      for change in changes {
        settle(before: change.at)
        level = change.active
        if debouncer.change(to: change.active, at: change.at) {
          told.append((change.at, change.active))
        }
      }
      settle(before: .max)
      return told
    }

    @Test func aBouncingPressIsToldOnceAndAtOnce() {
      let bounces: [(Int64, Bool)] = [
        (0, true), (1, false), (2, true), (4, false), (5, true), (100, false), (101, true),
        (103, false)
      ]
      let told = told(bounces.map { ($0.0 * ms, $0.1) }, window: 15 * ms)
      #expect(told.map(\.at) == [0, 100 * ms] && told.map(\.active) == [true, false])
    }

    @Test func aReleaseWhileItIsDeafIsNotLost() {
      let told = told([(0, true), (9 * ms, false)], window: 15 * ms)
      #expect(told.map(\.at) == [0, 15 * ms] && told.map(\.active) == [true, false])
    }

    @Test func aSpikeIsToldAndTakenBack() {
      let told = told([(0, true), (1, false), (200 * ms, true)], window: 15 * ms)
      #expect(told.map(\.at) == [0, 15 * ms, 200 * ms])
    }

    @Test func withoutAWindowEverythingIsTold() {
      let told = told([(0, true), (1, false), (2, true)], window: 0)
      #expect(told.map(\.at) == [0, 1, 2])
    }
  }
}
