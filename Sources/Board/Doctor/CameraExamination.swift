import Configuration

/// The twin cameras: the kernel's nodes for them, and the sensors behind.
struct CameraExamination {
  let configuration: TwinrigConfiguration
  let roots: SystemRoots
  /// Who runs the agent.
  let account: Account

  /// What the two sensors of a module of the usual kind take in config.txt.
  private static let overlays = "camera_auto_detect=0; dtoverlay=imx708,cam0; dtoverlay=imx708"

  func findings() -> [Finding] {
    let nodes = roots.names(in: roots.dev)
    let media = nodes.filter { $0.hasPrefix("media") }
    let video = nodes.filter { $0.hasPrefix("video") }
    let there = "\(media.count) media and \(video.count) video nodes, sensors: \(words(sensors))"
    guard configuration.cameras.driver != .simulated else {
      return [.ok("cameras", "they are simulated; here are \(there)")]
    }
    guard !media.isEmpty, !video.isEmpty else {
      return [
        .fault("cameras", "there are no nodes of cameras in \(roots.dev)", .bootLine(Self.overlays))
      ]
    }
    var findings = accessFindings(media + video)
    if findings.isEmpty { findings.append(.ok("cameras", there)) }
    return findings + [twinFinding, heapFinding]
  }

  /// The names of the sensors that the kernel has found, `imx708 10-001a` and the like.
  private var sensors: [String] {
    let folder = "\(roots.sys)/class/video4linux"
    let names = roots.names(in: folder).filter { $0.hasPrefix("v4l-subdev") }.compactMap {
      roots.text(of: "\(folder)/\($0)/name")
    }
    return names.filter(Self.isSensor)
  }

  /// Whether a sub-device's name ends as that of a chip on a bus: `10-001a`. Its lens has the address 0c.
  private static func isSensor(_ name: String) -> Bool {
    guard let last = name.split(separator: " ").last, !name.hasPrefix("dw9807") else { return false }
    let parts = last.split(separator: "-")
    return parts.count == 2 && parts[0].allSatisfy(\.isNumber) && parts[1].count == 4
      && parts[1].allSatisfy(\.isHexDigit)
  }

  private func words(_ names: [String]) -> String { names.isEmpty ? "none" : names.joined(separator: ", ") }

  private func accessFindings(_ nodes: [String]) -> [Finding] {
    let access = NodeAccess(account: account)
    let closed = nodes.compactMap { node in
      access.finding(
        "cameras", "\(roots.dev)/\(node)", group: "video",
        subsystem: node.hasPrefix("media") ? "media" : "video4linux")
    }
    return Array(closed.prefix(1))
  }

  private var twinFinding: Finding {
    let sensors = sensors
    if sensors.count >= 2 { return .ok("cameras", "two sensors: \(words(sensors))") }
    return .fault(
      "cameras", "the kernel has found \(sensors.count) of two sensors (\(words(sensors)))",
      sensors.isEmpty
        ? .bootLine(Self.overlays) : .byHand("look at the other camera's cable, and at its overlay in config.txt"))
  }

  /// What pictures are put into.
  private var heapFinding: Finding {
    let folder = "\(roots.dev)/dma_heap"
    let heaps = roots.names(in: folder)
    guard !heaps.isEmpty else {
      return .fault("camera memory", "there is nothing in \(folder)", .bootLine("dtoverlay=cma,cma-256"))
    }
    let closed = heaps.compactMap {
      NodeAccess(account: account).finding("camera memory", "\(folder)/\($0)", group: "video", subsystem: "dma_heap")
    }
    return closed.first ?? .ok("camera memory", "heaps: \(heaps.joined(separator: ", "))")
  }
}
