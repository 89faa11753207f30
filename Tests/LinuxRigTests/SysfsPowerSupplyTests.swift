import Foundation
import LinuxRig
import Rig
import RigContract
import Testing

extension LinuxRigTests {
  /// Supplies that the kernel describes in files.
  @Suite struct SysfsPowerSupplyTests {
    private func supply(_ files: [String: String]) throws -> (supply: SysfsPowerSupply, root: String) {
      let root = "\(FileManager.default.temporaryDirectory.path)/twinrig-sysfs-\(UUID().uuidString.prefix(8))"
      try FileManager.default.createDirectory(atPath: root + "/BAT0", withIntermediateDirectories: true)
      for (name, text) in files {
        try (text + "\n").write(toFile: "\(root)/BAT0/\(name)", atomically: false, encoding: .utf8)
      }
      return (SysfsPowerSupply(name: "main", supply: "BAT0", root: root), root)
    }

    private func reading(_ files: [String: String]) async throws -> PowerReading {
      let (supply, root) = try supply(files)
      defer { try? FileManager.default.removeItem(atPath: root) }
      return try await supply.read()
    }

    private func kind(_ files: [String: String], supply name: String = "BAT0") async throws -> DeviceError? {
      let (_, root) = try supply(files)
      defer { try? FileManager.default.removeItem(atPath: root) }
      do throws(DeviceError) {
        _ = try await SysfsPowerSupply(name: "main", supply: name, root: root).read()
        return nil
      } catch {
        return error
      }
    }

    @Test(arguments: [
      ("Charging", PowerReading.State.charging), ("Discharging", .discharging), ("Full", .full),
      ("Not charging", .full),
      ("Unknown", .unknown), ("", .unknown)
    ]) func aBatteryIsRead(status: String, state: PowerReading.State) async throws {
      let files = ["type": "Battery", "present": "1", "status": status, "capacity": "63", "voltage_now": "3812000"]
      let reading = try await reading(files)
      #expect(reading.state == state && reading.volts == 3.812)
      #expect(reading.level.map { abs($0 - 0.63) < 1e-12 } == true)
    }

    @Test func whatTheDriverDoesNotSayIsUnknown() async throws {
      let reading = try await reading(["type": "Battery", "status": "Discharging", "voltage_now": "3700000"])
      #expect(reading.level == nil && reading.volts == 3.7)
    }

    @Test func nonsenseIsHandedOnAndNotHidden() async throws {
      // the policy above rejects it, and must get to see it
      #expect(try await reading(["type": "Battery", "capacity": "256"]).level == 2.56)
      #expect(try await reading(["type": "Battery", "capacity": "full"]).level == nil)
    }

    @Test func mainsHaveNoLevel() async throws {
      let plugged = try await reading(["type": "Mains", "online": "1"])
      #expect(plugged.level == nil && plugged.state == .full)
      #expect(try await reading(["type": "USB", "online": "0"]).state == .unknown)
    }

    @Test func whatIsNotThereIsAbsentAndTheOthersAreNamed() async throws {
      let missing = try await kind(["type": "Battery"], supply: "BAT1")
      #expect(
        missing?.kind == .absent && missing?.description.contains("there are: BAT0") == true,
        "\(String(describing: missing))")
      #expect(try await kind(["type": "Battery", "present": "0", "capacity": "50"])?.kind == .absent)
      #expect(try await kind(["type": "Battery", "capacity": ""])?.kind == .faulty)
    }

    @Test(arguments: PowerContract.cases) func contract(_ promise: ContractCase<any PowerSupply>) async throws {
      let (supply, root) = try supply(["type": "Battery", "capacity": "63", "voltage_now": "3812000", "status": "Full"])
      defer { try? FileManager.default.removeItem(atPath: root) }
      try await promise.check(supply)
    }
  }
}
