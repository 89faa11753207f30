import Board
import Configuration
import Foundation
import LinuxRig
import Testing

/// What doctor finds out about lines, chips, supplies and cameras.
@Suite struct DeviceTests {
  /// The emulated board as it should be.
  private func board() throws -> FakeComputer {
    var computer = try FakeComputer()
    computer.board = "emulated"
    try computer.write("", to: "dev/gpiochip0")
    try computer.write("", to: "dev/i2c-sim")
    computer.probe.chips = ["twinrig-gpio": ("\(computer.folder)/dev/gpiochip0", 10)]
    computer.probe.buses = [
      "i2c-sim": [
        0x40: [0x00: [0x20], 0x02: [0xE2], 0x05: [0xE0]], 0x36: [0x08: [0x00, 0x12], 0x02: [0xBB, 0x80, 0x5A, 0x80]],
        0x41: [0x00: [0x39, 0x9F], 0x02: [0x1F, 0x40], 0x05: [0x10, 0x00]],
        0x55: [0x00: [0x21, 0x04], 0x04: [0xA0, 0x0F, 0x08, 0x00], 0x1C: [80, 0]]
      ]
    ]
    return computer
  }

  @Test func aBoardThatIsWiredAsConfiguredHasNoFault() async throws {
    let computer = try board()
    defer { computer.remove() }
    let findings = try await computer.doctor().examine()
    #expect(findings.filter { $0.verdict == .fault } == [])
    let words = findings.map(\.what)
    for text in [
      "line 0 (STEP) of twinrig-gpio is free", "line 9 of twinrig-gpio is free",
      "PCA9685 at 0x40 on i2c-sim answers: it runs",
      "MAX17048 at 0x36 on i2c-sim answers: 91 %, 3.75 V", "INA219 at 0x41",
      "BQ27441 at 0x55 on i2c-sim answers: 80 %, 4.0 V"
    ] {
      #expect(words.contains { $0.contains(text) }, "\(text): \(words)")
    }
    // one chip for pan and tilt
    #expect(findings.filter { $0.subject == "pan, tilt" }.count == 1)
  }

  @Test func aChipUnderAnotherLabelIsToldWithTheProfileThatHasIt() async throws {
    var computer = try board()
    defer { computer.remove() }
    computer.board = "raspberry-pi-5"
    computer.probe.chips = ["pinctrl-bcm2711": ("\(computer.folder)/dev/gpiochip0", 58)]
    let profile = try await computer.finding("GPIO chip pinctrl-rp1")
    #expect(profile.verdict == .fault && profile.remedy == .setting("board = \"cm4-io\""), "\(profile)")
    computer.board = "emulated"
    #expect(try await computer.finding("GPIO chip twinrig-gpio").remedy == .setting("chip = \"pinctrl-bcm2711\""))
    computer.probe.chips = [:]
    #expect(try await computer.finding("GPIO chip twinrig-gpio").what.contains("no GPIO chip here at all"))
    #expect(try await computer.findings("turntable") == [])
  }

  @Test func aLineThatIsTakenNamesItsUserAndWhatFreesIt() async throws {
    var computer = try board()
    defer { computer.remove() }
    computer.probe.users[GPIOPlace(chip: "twinrig-gpio", offset: 0)] = "spi0 CS0"
    computer.probe.users[GPIOPlace(chip: "twinrig-gpio", offset: 1)] = "mydriver"
    computer.probe.users[GPIOPlace(chip: "twinrig-gpio", offset: 2)] = "twinrig turntable"
    let findings = try await computer.findings("turntable")
    #expect(findings[0].what == "line 0 (STEP) of twinrig-gpio is used by \"spi0 CS0\"")
    #expect(findings[0].remedy == .bootLine("dtparam=spi=off"))
    #expect(findings[1].remedy?.line.hasPrefix("turntable.stepper.direction_line = …") == true)
    #expect(findings[2].remedy == .command("systemctl stop twinrigd"))
    #expect(findings[3].verdict == .ok)
    computer.probe.chips["twinrig-gpio"]?.lines = 3
    let beyond = try await computer.findings("turntable")[3]
    #expect(beyond.verdict == .fault && beyond.remedy?.line.contains("gpioinfo") == true)
  }

  @Test func aNodeThatTheAgentMayNotOpenIsToldWithItsOwnerAndMode() async throws {
    let computer = try board()
    defer { computer.remove() }
    chmod("\(computer.folder)/dev/gpiochip0", 0o600)
    chmod("\(computer.folder)/dev/i2c-sim", 0o660)
    let chip = try await computer.finding("GPIO chip twinrig-gpio")
    #expect(chip.verdict == .fault && chip.what.contains(" 0600) may not be opened by twinrig"), "\(chip)")
    #expect(chip.remedy?.line.contains("udevadm trigger --subsystem-match=gpio") == true)
    let bus = try await computer.finding("I²C bus i2c-sim")
    #expect(bus.verdict == .fault && bus.remedy?.line.contains("--subsystem-match=i2c-dev") == true, "\(bus)")
  }

  @Test func whatOnlyTheCallerMayNotOpenIsAWarning() async throws {
    var computer = try board()
    defer { computer.remove() }
    computer.probe.refusal = .denied
    for subject in ["GPIO chip twinrig-gpio", "I²C bus i2c-sim"] {
      let finding = try await computer.finding(subject)
      #expect(finding.verdict == .warning && finding.remedy == .command("sudo twinrig doctor"), "\(finding)")
    }
  }

  @Test func aBusThatIsMissingIsToldWithWhatBringsIt() async throws {
    var computer = try board()
    defer { computer.remove() }
    computer.probe.buses = [:]
    let other = try await computer.finding("I²C bus i2c-sim")
    #expect(other.remedy?.line.hasPrefix("pan.servo.bus = …") == true, "\(other)")
    try computer.makeFolder("sys/bus/i2c/devices/i2c-sim")
    #expect(try await computer.finding("I²C bus i2c-sim").remedy == .command("modprobe i2c-dev"))
    // of the header's own bus the boards know where it is switched on
    computer.board = "raspberry-pi-5"
    #expect(try await computer.finding("I²C bus i2c-1").remedy == .bootLine("dtparam=i2c_arm=on"))
  }

  @Test func aChipThatIsSilentOrAnotherOneIsAFault() async throws {
    var computer = try board()
    defer { computer.remove() }
    computer.probe.buses["i2c-sim"]?[0x36] = nil
    let silent = try await computer.finding("battery main")
    #expect(silent.what.hasPrefix("MAX17048 at 0x36 on i2c-sim does not answer"))
    #expect(silent.remedy?.line.hasPrefix("battery[1].address = …") == true)
    computer.probe.buses["i2c-sim"]?[0x40] = [0x00: [0x39, 0x9F]]
    let other = try await computer.finding("pan, tilt")
    #expect(other.verdict == .fault && other.what.contains("INA219 has the same address"), "\(other)")
    computer.probe.buses["i2c-sim"]?[0x36] = [0x08: [0xFF, 0xFF]]
    #expect(try await computer.finding("battery main").what.contains("version register says 0xFFFF"))
  }

  @Test func aTicSaysWhatKeepsIt() async throws {
    var computer = try board()
    defer { computer.remove() }
    computer.board = nil
    computer.configuration = """
      [turntable]
      driver = "tic"
      [turntable.tic]
      bus = "i2c-sim"
      [simulation]
      pace = "real-time"
      """
    computer.probe.buses["i2c-sim"] = [0x0E: [0xA1: [10, 1, 0, 0]]]
    #expect(
      try await computer.finding("turntable").what.contains("Tic at 0x0E on i2c-sim answers: its motor has current"))
    computer.probe.buses["i2c-sim"] = [0x0E: [0xA1: [4, 0, 4, 0]]]
    #expect(try await computer.finding("turntable").what.contains("switch the motor's supply on"))
    computer.probe.buses["i2c-sim"] = [0x0E: [0xA1: [0x55, 0, 0, 0]]]
    #expect(try await computer.finding("turntable").what.contains("is it a Tic?"))
  }

  @Test func aSupplyOfTheKernelIsReadOrItsNameIsTold() async throws {
    var computer = try FakeComputer()
    defer { computer.remove() }
    computer.configuration = "[[battery]]\nname = \"main\"\ndriver = \"power_supply\"\nsupply = \"BAT0\""
    try computer.write("55\n", to: "sys/class/power_supply/BAT1/capacity")
    try computer.write("Battery\n", to: "sys/class/power_supply/BAT1/type")
    let missing = try await computer.finding("battery main")
    #expect(missing.verdict == .fault && missing.remedy == .setting("battery[1].supply = \"BAT1\""))
    try computer.write("55\n", to: "sys/class/power_supply/BAT0/capacity")
    #expect(try await computer.finding("battery main").what == "the kernel's BAT0: 55 %")
    try computer.write("0\n", to: "sys/class/power_supply/BAT0/present")
    #expect(try await computer.finding("battery main").remedy?.place == "hand")
  }

  @Test func simulatedCamerasStillTellWhatIsThere() async throws {
    let computer = try FakeComputer()
    defer { computer.remove() }
    try computer.write("", to: "dev/media0")
    try computer.write("", to: "dev/video0")
    try computer.write("imx708 10-001a", to: "sys/class/video4linux/v4l-subdev0/name")
    try computer.write("dw9807 10-000c", to: "sys/class/video4linux/v4l-subdev1/name")
    let finding = try await computer.finding("cameras")
    #expect(finding.what == "they are simulated; here are 1 media and 1 video nodes, sensors: imx708 10-001a")
  }

  /// The driver of real cameras, in a build that has one.
  private static let realCameras = CameraDriver.allCases.first { $0 != .simulated }

  @Test(.enabled(if: realCameras != nil)) func realCamerasNeedNodesTwoSensorsAndMemory() async throws {
    var computer = try FakeComputer()
    defer { computer.remove() }
    let driver = Self.realCameras?.rawValue ?? ""
    computer.configuration = "[cameras]\ndriver = \"\(driver)\"\n[simulation]\npace = \"real-time\""
    computer.agent?.groupNames = ["twinrig", "video", "render"]
    let missing = try await computer.finding("cameras")
    #expect(missing.verdict == .fault && missing.remedy?.place == "config.txt", "\(missing)")
    for node in ["media0", "video0", "dma_heap/linux,cma"] { try computer.write("", to: "dev/\(node)") }
    try computer.write("imx708 10-001a", to: "sys/class/video4linux/v4l-subdev0/name")
    let single = try await computer.findings("cameras").last
    #expect(single?.what == "the kernel has found 1 of two sensors (imx708 10-001a)")
    #expect(single?.remedy?.place == "hand")
    try computer.write("imx708 11-001a", to: "sys/class/video4linux/v4l-subdev1/name")
    let both = try await computer.doctor().examine().filter { $0.subject.hasPrefix("camera") }
    #expect(both.allSatisfy { $0.verdict == .ok }, "\(both)")
    chmod("\(computer.folder)/dev/video0", 0o600)
    let closed = try await computer.finding("cameras")
    #expect(closed.verdict == .fault && closed.remedy?.line.contains("--subsystem-match=video4linux") == true)
    chmod("\(computer.folder)/dev/dma_heap/linux,cma", 0o600)
    #expect(try await computer.finding("camera memory").verdict == .fault)
    try computer.write("CmaTotal: 65536 kB\nCmaFree: 2000 kB\n", to: "proc/meminfo")
    #expect(try await computer.finding("camera memory").remedy == .bootLine("dtoverlay=cma,cma-256"))
  }

  @Test func devicesOfAnAgentAtWorkAreLeftAlone() async throws {
    var computer = try board()
    defer { computer.remove() }
    try computer.write("", to: "state/agent.lock")
    let lock = open("\(computer.folder)/state/agent.lock", O_RDWR)
    defer { close(lock) }
    #expect(try computer.doctor().agentRuns == false)
    #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
    for line in 0..<9 {
      computer.probe.users[GPIOPlace(chip: "twinrig-gpio", offset: line)] = "twinrig turntable"
    }
    computer.probe.buses["i2c-sim"] = [:]
    let doctor = try computer.doctor()
    #expect(doctor.agentRuns)
    let findings = await doctor.examine()
    #expect(findings.contains { $0.subject == "agent" && $0.what.contains("left alone") })
    #expect(findings.contains { $0.subject == "turntable" && $0.what.contains("is the agent's") })
    #expect(findings.contains { $0.subject == "battery main" && $0.what.contains("was not asked here") })
    // a line of the configuration that the agent has not
    let newer = findings.first { $0.subject == "button 3 (stop)" }
    #expect(newer?.remedy == .command("systemctl restart twinrigd"))
  }
}
