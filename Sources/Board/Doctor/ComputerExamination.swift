import Configuration

#if canImport(Glibc)
  import Glibc
#endif

/// The computer itself: its supply, heat, memory and clock.
struct ComputerExamination {
  let configuration: TwinrigConfiguration
  let roots: SystemRoots
  /// The year it is.
  let year: Int

  /// No clock of a station that runs this release is right with an earlier year.
  private static let earliestYear = 2026

  func findings() -> [Finding] { [throttling, temperature, memory] + cameraMemory + [clock] }

  // MARK: supply and heat

  private static func words(_ causes: [Throttling.Cause]) -> String {
    causes.map { cause in
      switch cause {
      case .undervoltage: "the supply's voltage is too low"
      case .capped: "the processor's frequency is capped"
      case .throttled: "the processor is throttled"
      case .softLimit: "the soft limit of temperature is reached"
      }
    }.joined(separator: ", ")
  }

  private var throttling: Finding {
    let subject = "throttling"
    guard let throttling = Throttling(in: roots) else {
      return .ok(subject, "this computer's firmware does not tell of any")
    }
    let supply = Remedy.byHand("a supply of 5 V and 5 A (27 W), with a short cable; nothing else on it")
    let cooler = Remedy.byHand("a cooler with a fan, and air around the board")
    let now = throttling.now
    if let first = now.first {
      let what = "now: \(Self.words(now))"
      let remedy = first == .undervoltage ? supply : cooler
      return first == .undervoltage || now.contains(.throttled)
        ? .fault(subject, what, remedy) : .warning(subject, what, remedy)
    }
    guard let first = throttling.sinceBoot.first else { return .ok(subject, "none since the boot") }
    return .warning(
      subject, "not now, but since the boot: \(Self.words(throttling.sinceBoot))",
      first == .undervoltage ? supply : cooler)
  }

  private var temperature: Finding {
    let folder = "\(roots.sys)/class/thermal"
    let zones = roots.names(in: folder).filter { $0.hasPrefix("thermal_zone") }
    let values = zones.compactMap { roots.text(of: "\(folder)/\($0)/temp").flatMap(Int.init) }
    guard let hottest = values.max() else { return .ok("temperature", "this computer does not tell it") }
    let celsius = hottest / 1000
    if celsius < 75 { return .ok("temperature", "\(celsius) °C") }
    let remedy = Remedy.byHand("a cooler with a fan, and air around the board")
    return celsius < 85
      ? .warning("temperature", "\(celsius) °C: the board slows down from 80 °C on", remedy)
      : .fault("temperature", "\(celsius) °C", remedy)
  }

  // MARK: memory

  /// A value of /proc/meminfo in millions of bytes.
  private func meminfo(_ name: String) -> Int? {
    let lines = roots.text(of: "\(roots.proc)/meminfo")?.split(separator: "\n") ?? []
    let line = lines.first { $0.hasPrefix("\(name):") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 / 1_000_000 }
  }

  private var memory: Finding {
    guard let available = meminfo("MemAvailable") else { return .ok("memory", "this computer does not tell it") }
    let limit = configuration.reconstruction.memoryLimitMegabytes
    let text = "\(available) MB available of \(meminfo("MemTotal") ?? available)"
    if available >= limit { return .ok("memory", text) }
    return .warning(
      "memory", "\(text), and a reconstruction may take \(limit)",
      .setting("reconstruction.memory_limit_mb = \(max(256, available * 3 / 4))"))
  }

  /// What is left of the memory that cameras get their buffers from (CMA); it is lost to whoever does not give it back,
  /// until the next boot.
  private var cameraMemory: [Finding] {
    guard let total = meminfo("CmaTotal"), let free = meminfo("CmaFree"), total > 0 else { return [] }
    let text = "\(free) MB free of \(total) for pictures (CMA)"
    if configuration.cameras.driver == .simulated || free >= 100 { return [.ok("camera memory", text)] }
    return [
      total < 250
        ? .warning("camera memory", text, .bootLine("dtoverlay=cma,cma-256"))
        : .warning("camera memory", "\(text): somebody has not given it back", .command("reboot"))
    ]
  }

  // MARK: clock

  private var clock: Finding {
    guard year >= Self.earliestYear else {
      return .fault(
        "clock", "it says that it is \(year): names and dates of sessions will be wrong",
        .command("timedatectl set-time 'YYYY-MM-DD hh:mm:ss'"))
    }
    if roots.has("\(roots.run)/systemd/timesync/synchronized") {
      return .ok("clock", "it is \(year), and the clock follows a time server")
    }
    if !roots.names(in: "\(roots.sys)/class/rtc").isEmpty {
      return .ok("clock", "it is \(year); no time server since the boot, but there is a clock with a battery")
    }
    return .warning(
      "clock",
      "it is \(year), but no time server has set the clock since the boot, and none goes on while the power is off",
      .command("timedatectl set-ntp true"))
  }
}
