import Foundation
import LinuxRig
import Testing

/// How a bus of the configuration becomes a node.
@Suite struct BusNodeTests {
  @Test func aBusIsFoundByItsNodeItsPathOrItsAdapter() throws {
    let computer = try FakeComputer()
    defer { computer.remove() }
    try computer.write("", to: "dev/i2c-1")
    try computer.write("bcm2835 (i2c@7e804000)\n", to: "sys/class/i2c-dev/i2c-1/name")
    try computer.write("i2c-sim\n", to: "sys/class/i2c-dev/i2c-7/name")
    let (devices, classes) = ("\(computer.folder)/dev", "\(computer.folder)/sys/class")
    func path(_ name: String) -> String { I2CNode.path(of: name, devices: devices, classes: classes) }
    #expect(path("i2c-1") == "\(devices)/i2c-1")
    #expect(path("/dev/i2c-9") == "/dev/i2c-9")
    #expect(path("i2c-sim") == "\(devices)/i2c-7")
    #expect(path("bcm2835 (i2c@7e804000)") == "\(devices)/i2c-1")
    // what is nowhere is told by its own name
    #expect(path("i2c-3") == "\(devices)/i2c-3")
    // a node goes before an adapter that bears its name
    try computer.write("", to: "dev/i2c-sim")
    #expect(path("i2c-sim") == "\(devices)/i2c-sim")
  }
}
