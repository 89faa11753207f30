import LinuxRig
import Rig

/// GPIO chips by their labels, and each line that the configuration names: free, or whose it is.
struct LineExamination {
  let lines: [ClaimedLine]
  let probe: any DeviceProbe
  let roots: SystemRoots
  /// Who runs the agent.
  let account: Account
  let agentRuns: Bool

  /// Whose lines the agent's are: it requests them as `twinrig DEVICE`.
  private static let consumer = "twinrig "
  /// Labels of the boards there are profiles for.
  private static let profiles = ["pinctrl-rp1": "raspberry-pi-5", "pinctrl-bcm2711": "cm4-io"]

  func findings() -> [Finding] {
    var findings: [Finding] = []
    var usable: Set<String> = []
    for chip in unique(lines.map(\.place.chip)) {
      let finding = chipFinding(chip)
      findings.append(finding)
      if finding.verdict == .ok { usable.insert(chip) }
    }
    return findings + lines.filter { usable.contains($0.place.chip) }.map(lineFinding)
  }

  private func chipFinding(_ label: String) -> Finding {
    let subject = "GPIO chip \(label)"
    do throws(DeviceError) {
      let node = try probe.node(ofChip: label)
      return NodeAccess(account: account).finding(subject, node, group: "gpio", subsystem: "gpio")
        ?? .ok(subject, "is \(node)")
    } catch {
      let nodes = roots.names(in: roots.dev).filter { $0.hasPrefix("gpiochip") }.map { "\(roots.dev)/\($0)" }
      if error.kind == .denied, let node = nodes.first {
        return NodeAccess(account: account).denial(subject, node, group: "gpio", subsystem: "gpio")
      }
      return absent(subject, label)
    }
  }

  private func absent(_ subject: String, _ label: String) -> Finding {
    let labels = probe.chipLabels
    let key = lines.first { $0.place.chip == label }.map { $0.key.prefix { $0 != "." } + ".…" } ?? ""
    if labels.isEmpty {
      return .fault(
        subject, "there is no GPIO chip here at all",
        .byHand("load the chip's driver, or run this on the board that the configuration is for"))
    }
    let found = labels.map { "\"\($0)\"" }.joined(separator: ", ")
    let what = "no chip has this label; there are \(found)"
    if let board = labels.compactMap({ Self.profiles[$0] }).first, Self.profiles[label] != nil {
      return .fault(subject, what, .setting("board = \"\(board)\""))
    }
    return .fault(subject, "\(what) (\(key))", .setting("chip = \"\(labels[0])\""))
  }

  private func lineFinding(_ line: ClaimedLine) -> Finding {
    do throws(DeviceError) {
      let user = try probe.user(of: line.place)
      if let user { return used(line, by: user) }
      if agentRuns {
        return .warning(
          line.device, "\(line.inWords) is not requested by the agent that runs: its configuration is an older one",
          .command("systemctl restart twinrigd"))
      }
      try probe.request(line.place, for: line.device)
      return .ok(line.device, "\(line.inWords) is free")
    } catch {
      if error.kind == .absent {
        return .fault(
          line.device, "\(line.inWords): the chip has no such line, or it cannot be used",
          .setting("\(line.key) = …   # one of those that gpioinfo lists"))
      }
      let reason = error.remedy ?? error.kind.rawValue
      return .fault(line.device, "\(line.inWords): \(reason)", .setting("\(line.key) = …   # a line that is free"))
    }
  }

  private func used(_ line: ClaimedLine, by user: String) -> Finding {
    if user.hasPrefix(Self.consumer) {
      return agentRuns
        ? .ok(line.device, "\(line.inWords) is the agent's: \"\(user)\"")
        : .fault(
          line.device, "\(line.inWords) is used by \"\(user)\": another agent runs",
          .command("systemctl stop twinrigd"))
    }
    let name = user.isEmpty ? "somebody who gives no name" : "\"\(user)\""
    return .fault(line.device, "\(line.inWords) is used by \(name)", Self.release(of: user, line))
  }

  /// What frees a line of one of the usual owners.
  private static func release(of user: String, _ line: ClaimedLine) -> Remedy {
    let owners = [
      ("spi0", "dtparam=spi=off"), ("i2c", "dtparam=i2c_arm=off"), ("w1", "# remove: dtoverlay=w1-gpio"),
      ("onewire", "# remove: dtoverlay=w1-gpio"), ("i2s", "dtparam=i2s=off"), ("uart", "enable_uart=0"),
      ("serial", "enable_uart=0"), ("fan", "# remove: dtoverlay=gpio-fan"), ("led", "# remove: dtoverlay=gpio-led"),
      ("shutdown", "# remove: dtoverlay=gpio-shutdown")
    ]
    let name = user.lowercased()
    if let line = owners.first(where: { name.contains($0.0) })?.1 { return .bootLine(line) }
    return .setting("\(line.key) = …   # a line that is free; or end what uses line \(line.place.offset)")
  }
}

/// Each once, in the order in which they come first.
func unique<Element: Hashable>(_ elements: [Element]) -> [Element] {
  var seen: Set<Element> = []
  return elements.filter { seen.insert($0).inserted }
}
