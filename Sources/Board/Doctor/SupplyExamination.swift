import Configuration
import LinuxRig
import Rig

/// Batteries that a driver of the kernel reads.
struct SupplyExamination {
  let configuration: TwinrigConfiguration
  let roots: SystemRoots

  func findings() async -> [Finding] {
    var findings: [Finding] = []
    for (index, battery) in configuration.batteries.enumerated() where battery.driver == .powerSupply {
      findings.append(await finding(battery, "battery[\(index + 1)]"))
    }
    return findings
  }

  private func finding(_ battery: BatteryConfiguration, _ table: String) async -> Finding {
    let subject = "battery \(battery.name)"
    let folder = "\(roots.sys)/class/power_supply"
    let supply = battery.supply ?? ""
    do throws(DeviceError) {
      let reading = try await SysfsPowerSupply(name: battery.name, supply: supply, root: folder).read()
      return .ok(subject, "the kernel's \(supply): \(GaugeWords.text(reading))")
    } catch {
      let others = roots.names(in: folder)
      if !others.contains(supply) {
        let there = others.isEmpty ? "none" : others.joined(separator: ", ")
        return .fault(
          subject, "the kernel has no supply \(supply); there are: \(there)",
          .setting("\(table).supply = \"\(others.first ?? "…")\""))
      }
      return .fault(
        subject, "\(supply): \(error.remedy ?? error.description)",
        .byHand("put the battery in, and look whether its driver says why: dmesg | grep -i \(supply)"))
    }
  }
}
