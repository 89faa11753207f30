import Board
import Foundation
import Testing

/// What doctor finds out about the computer itself.
@Suite struct ComputerTests {
  private static let firmware = "sys/devices/platform/soc/soc:firmware/get_throttled"

  @Test func aHealthyComputerHasNoFaultAndNoWarningOfItsOwn() async throws {
    var computer = try FakeComputer()
    defer { computer.remove() }
    computer.configuration = "[reconstruction]\nmemory_limit_mb = 1000"
    try computer.write("0", to: Self.firmware)
    try computer.write("45000", to: "sys/class/thermal/thermal_zone0/temp")
    let findings = try await computer.doctor().examine()
    for subject in ["throttling", "temperature", "memory", "clock", "state folder", "file system", "disk"] {
      let finding = findings.first { $0.subject == subject }
      #expect(finding?.verdict == .ok, "\(subject): \(String(describing: finding))")
      #expect(finding?.remedy == nil)
    }
  }

  @Test(arguments: [
    ("0", "ok", "none since the boot"), ("50005", "fault", "now: the supply's voltage is too low"),
    ("50000", "warning", "since the boot: the supply's voltage is too low, the processor is throttled"),
    ("2", "warning", "capped"), ("0x4", "fault", "throttled"), ("80008", "warning", "soft limit")
  ])
  func throttlingIsToldNowAndSinceTheBoot(bits: String, verdict: String, words: String) async throws {
    let computer = try FakeComputer()
    defer { computer.remove() }
    try computer.write(bits + "\n", to: Self.firmware)
    let finding = try await computer.finding("throttling")
    #expect(finding.verdict.rawValue == verdict && finding.what.contains(words), "\(finding)")
    #expect((finding.remedy == nil) == (verdict == "ok"))
  }

  @Test func theFirmwareOfAnotherBoardIsFoundToo() async throws {
    let computer = try FakeComputer()
    defer { computer.remove() }
    try computer.write("1", to: "sys/devices/platform/soc@107c000000/soc@107c000000:firmware/get_throttled")
    #expect(try await computer.finding("throttling").verdict == .fault)
  }

  /// What `health` tells of it is of the same eyes.
  @Test(arguments: ["soc/soc:firmware", "soc@107c000000/soc@107c000000:firmware", "soc/firmware"], ["", "0x"])
  func throttlingIsReadWhereverItIsAndHoweverItIsSpelt(node: String, prefix: String) throws {
    let computer = try FakeComputer()
    defer { computer.remove() }
    #expect(Throttling(in: SystemRoots(under: computer.folder)) == nil)
    try computer.write("\(prefix)50005\n", to: "sys/devices/platform/\(node)/get_throttled")
    let throttling = try #require(Throttling(in: SystemRoots(under: computer.folder)))
    #expect(throttling.now == [.undervoltage, .throttled] && throttling.sinceBoot == [.undervoltage, .throttled])
    try computer.write("\(prefix)80000\n", to: "sys/devices/platform/\(node)/get_throttled")
    let before = try #require(Throttling(in: SystemRoots(under: computer.folder)))
    #expect(before.now.isEmpty && before.sinceBoot == [.softLimit])
    try computer.write("nothing\n", to: "sys/devices/platform/\(node)/get_throttled")
    #expect(Throttling(in: SystemRoots(under: computer.folder)) == nil)
  }

  @Test(arguments: [("45000", "ok"), ("79900", "warning"), ("85000", "fault")])
  func heatIsTold(millidegrees: String, verdict: String) async throws {
    let computer = try FakeComputer()
    defer { computer.remove() }
    try computer.write("20000", to: "sys/class/thermal/thermal_zone0/temp")
    try computer.write(millidegrees, to: "sys/class/thermal/thermal_zone1/temp")
    #expect(try await computer.finding("temperature").verdict.rawValue == verdict)
  }

  @Test func memoryThatAReconstructionLacksIsAWarningWithItsKey() async throws {
    let computer = try FakeComputer()
    defer { computer.remove() }
    try computer.write(
      "MemTotal: 2000000 kB\nMemAvailable: 1000000 kB\nCmaTotal: 262144 kB\nCmaFree: 200000 kB\n", to: "proc/meminfo")
    let finding = try await computer.finding("memory")
    #expect(finding.verdict == .warning)
    #expect(finding.remedy == .setting("reconstruction.memory_limit_mb = 768"))
    let pictures = try await computer.finding("camera memory")
    #expect(pictures.what == "204 MB free of 268 for pictures (CMA)")
  }

  @Test func aClockThatIsWrongIsAFaultAndOneThatNobodySetsAWarning() async throws {
    var computer = try FakeComputer()
    defer { computer.remove() }
    #expect(try await computer.finding("clock").what.contains("follows a time server"))
    try FileManager.default.removeItem(atPath: "\(computer.folder)/run/systemd")
    let unset = try await computer.finding("clock")
    #expect(unset.verdict == .warning && unset.remedy == .command("timedatectl set-ntp true"))
    try computer.makeFolder("sys/class/rtc/rtc0")
    #expect(try await computer.finding("clock").verdict == .ok)
    computer.year = 1970
    let wrong = try await computer.finding("clock")
    #expect(wrong.verdict == .fault && wrong.remedy?.line.hasPrefix("timedatectl set-time") == true)
  }
}
