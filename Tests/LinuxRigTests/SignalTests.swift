import LinuxRig
import Rig
import RigContract
import Synchronization
import Testing

#if canImport(Glibc)
  import Glibc
#endif

extension LinuxRigTests {
  /// What people see and hear.
  @Suite struct SignalTests {
    /// A line that remembers.
    private final class Line: OutputLine {
      let name: String
      private let levels = Mutex<[Bool]>([])
      init(_ name: String) { self.name = name }
      /// A copy with a storage of its own: the thread sanitizer does not see how an array is shared.
      var told: [Bool] { levels.withLock { levels in levels.map { $0 } } }
      func set(_ active: Bool) async throws(DeviceError) { levels.withLock { $0.append(active) } }
    }

    @Test func noTwoPatternsAreAlike() {
      let rhythms = SignalPattern.allCases.map { SignalRhythm.of($0) }
      #expect(Set(rhythms).count == rhythms.count)
      for (pattern, rhythm) in zip(SignalPattern.allCases, rhythms) {
        #expect(!rhythm.steps.isEmpty && rhythm.steps.allSatisfy { $0.time > .zero }, "\(pattern)")
      }
    }

    @Test(arguments: [SignalPattern.flip, .height, .clear, .place]) func promptsCallUntilTheyAreAnswered(
      pattern: SignalPattern
    ) {
      let rhythm = SignalRhythm.of(pattern)
      #expect(rhythm.repeats && rhythm.steps.contains { $0.buzzer })
    }

    @Test func onlyWhatHasToBeHeardIsHeard() {
      for pattern in [SignalPattern.off, .ready, .busy] {
        #expect(!SignalRhythm.of(pattern).steps.contains { $0.buzzer }, "\(pattern)")
      }
      #expect(SignalRhythm.of(.off).steps.allSatisfy { !$0.led })
    }

    @Test func aPatternIsPlayedAndOffIsDark() async throws {
      let (led, buzzer) = (Line("led"), Line("buzzer"))
      let signal = LineSignal(led: led, buzzer: buzzer, clock: BoardClock())
      await signal.show(.flip)
      for _ in 0..<1000 where buzzer.told.filter({ $0 }).count < 2 { try await Task.sleep(for: .milliseconds(5)) }
      #expect(buzzer.told.filter { $0 }.count >= 2)
      let played = led.told.count
      await signal.show(.off)
      for _ in 0..<1000 where led.told.count == played { try await Task.sleep(for: .milliseconds(5)) }
      #expect(led.told.last == false && buzzer.told.last == false)
    }

    @Test(arguments: SignalContract.cases) func contract(_ promise: ContractCase<any Signal>) async throws {
      try await promise.check(LineSignal(led: Line("led"), buzzer: nil, clock: BoardClock()))
    }

    @Test(arguments: LampContract.cases) func lamp(_ promise: ContractCase<any Lamp>) async throws {
      try await promise.check(LineLamp(Line("left")))
    }

    @Test func aLampThatCannotBeDimmedIsOnFromHalf() async throws {
      let line = Line("left")
      let lamp = LineLamp(line)
      for level in [0, 0.4, 0.5, 1] { try await lamp.set(level: level) }
      #expect(line.told == [false, false, true, true])
    }
  }

  /// Buses and chips that are not there.
  @Suite struct AbsentDeviceTests {
    @Test func aBusThatIsNotThereSaysHowToGetIt() throws {
      do throws(DeviceError) {
        _ = try LinuxI2CBus("i2c-97")
        Issue.record("there is such a bus")
      } catch {
        #expect(error.kind == .absent && error.description.contains("/dev/i2c-97"), "\(error)")
      }
    }

    @Test func aBusWhoseNodeVanishesIsGoneAsAWhole() async throws {
      // a file can be opened like a bus, and is none
      let path = "/tmp/twinrig-no-bus-\(UInt64.random(in: 0 ... .max))"
      try #require(close(creat(path, 0o600)) == 0)
      let bus = try LinuxI2CBus(path)
      try await bus.check()
      func failure() async -> DeviceError? {
        do throws(DeviceError) {
          _ = try await bus.transact(address: 0x36, [.write([2])])
          return nil
        } catch {
          return error
        }
      }
      let before = await failure()
      #expect(before?.kind == .faulty)
      unlink(path)
      let after = await failure()
      #expect(after.map(LinuxI2CBus.isGone) == true, "\(String(describing: after))")
      await #expect(throws: DeviceError.self) { try await bus.check() }
    }

    @Test func aChipThatIsNotThereSaysHowToFindThem() throws {
      do throws(DeviceError) {
        _ = try GPIOOutput(GPIOPlace(chip: "no such chip", offset: 1), name: "lamp left")
        Issue.record("there is such a chip")
      } catch {
        // where chips are there that we may not open, that comes first
        #expect([.absent, .denied].contains(error.kind) && error.remedy != nil, "\(error)")
        #expect(error.device == "lamp left" && error.operation.contains("no such chip"))
      }
    }

    @Test(arguments: ClockContract.cases) func clock(_ promise: ContractCase<any RigClock>) async throws {
      try await promise.check(BoardClock())
    }
  }
}
