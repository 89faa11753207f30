import TestSupport
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `twinrigd --motors-off`, on a computer that has none of a board's devices.
@Suite struct MotorsOffTests {
  private func run(_ configuration: String) throws -> Program.Outcome {
    let folder = "/tmp/twinrig-motors-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try configuration.write(toFile: folder + "/rig.toml", atomically: true, encoding: .utf8)
    try Data().write(to: URL(fileURLWithPath: folder + "/no-bus"))
    // the unit's other arguments would make a difference to an agent only
    let outcome = try Program.run(
      "cd \(folder) && timeout 20 twinrigd --motors-off --config rig.toml; echo ended $?; ls")
    #expect(outcome.output.contains("no-bus\nrig.toml\n"), "it left something behind: \(outcome.output)")
    return outcome
  }

  private static let absent = """
    [turntable]
    driver = "stepper"
    [turntable.stepper]
    chip = "no-such-chip"
    step_line = 1
    direction_line = 2
    enable_line = 3
    [pan]
    driver = "tic"
    [pan.tic]
    bus = "i2c-97"
    [tilt]
    driver = "servo"
    [tilt.servo]
    bus = "i2c-97"
    channel = 0
    [[lamp]]
    name = "ring"
    driver = "gpio"
    chip = "no-such-chip"
    line = 4
    [simulation]
    pace = "real-time"

    """

  @Test func whatIsNotThereIsSaidAndSkipped() throws {
    let outcome = try run(Self.absent)
    #expect(outcome.output.hasPrefix("ended 0\n"), "\(outcome)")
    for name in ["turntable", "pan", "ring", "PCA9685 0x40 on i2c-97"] {
      #expect(outcome.errors.contains("warning: \(name): "), "\(name) is missing in \(outcome.errors)")
    }
    #expect(outcome.errors.contains("gpiodetect") && outcome.errors.contains("load i2c-dev"))
  }

  @Test func whatIsThereAndCannotBeSwitchedOffIsTrouble() throws {
    let outcome = try run(Self.absent.replacing("\"i2c-97\"\nchannel", with: "\"/proc/self/cwd/no-bus\"\nchannel"))
    #expect(outcome.output.hasPrefix("ended 1\n"), "\(outcome)")
    #expect(outcome.errors.contains("it may still be on"))
  }

  @Test func aSimulatedRigHasNothingToSwitchOff() throws {
    let outcome = try run("")
    #expect(outcome.output.hasPrefix("ended 0\n") && outcome.errors.isEmpty, "\(outcome)")
  }

  @Test func aConfigurationThatCannotBeReadIsSaid() throws {
    let outcome = try run("[turntable]\nspeed = 1\n")
    #expect(outcome.output.hasPrefix("ended 2\n") && outcome.errors.contains("rig.toml:2"), "\(outcome)")
  }
}
