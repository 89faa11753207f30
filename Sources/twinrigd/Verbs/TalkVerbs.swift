import Capture
import Control
import Rig
import Session

extension Station {
  /// What the agent is and how it is.
  var talkVerbs: [Command] {
    [
      Command("version", summary: "says which program this is") { [self] _ in
        Reply(
          ok: [
            "version": .text(Version.text), "protocol": 1, "board": .text(orNone: board), "rig": .text(rig.name)
          ])
      },
      Command("caps", summary: "says what this rig can do, and why not where it cannot") { [self] _ in await caps() },
      Command("status", summary: "says where the rig is") { [self] _ in await status() },
      Command("health", summary: "says how the computer is: disk, heat, memory, power") { [self] _ in await health() }
    ]
  }

  private func caps() async -> Reply {
    var data: [Fields] = []
    for mode in rig.camera.modes {
      data.append([
        "device": "camera", "name": .text(rig.camera.name), "width": .integer(mode.width),
        "height": .integer(mode.height), "preview": .text("\(mode.previewWidth)x\(mode.previewHeight)"),
        "fps": .shortNumber(mode.framesPerSecond, decimals: 3)
      ])
    }
    for axis in rig.axes { data.append(["device": "axis"] + (await Self.limits(of: axis))) }
    for lamp in rig.lamps { data.append(["device": "lamp", "name": .text(lamp.name)]) }
    for button in rig.buttons {
      data.append(["device": "button", "id": .integer(button.id), "action": .text(button.action)])
    }
    if rig.signal != nil { data.append(["device": "signal"]) }
    for supply in rig.power {
      data.append(["device": "battery", "name": .text(supply.name), "source": .text(supply.source)])
    }
    for (index, fields) in data.enumerated() {
      let name = fields.text("device") == "button" ? "button \(fields.text("id") ?? "")" : fields.text("name")
      if let gone = rig.register.absent.first(where: { $0.kind == fields.text("device") && $0.name == name }) {
        data[index] = fields + .presence(gone)
      }
    }
    let status = await controller.status
    let isBroken = status.state == .failed && status.session == nil
    var end: Fields = ["supported": .flag(!isBroken && !rig.camera.modes.isEmpty)]
    if isBroken { end.append("reason", .text(status.reason)) }
    return Reply(data: data, ok: end)
  }

  static func limits(of axis: any Axis) async -> Fields {
    let limits = axis.limits
    return [
      "name": .text(axis.name), "position": .number(await axis.position?.degrees, decimals: 2),
      "low": limits.range.map { .number($0.lowerBound.degrees, decimals: 2) } ?? .nothing,
      "high": limits.range.map { .number($0.upperBound.degrees, decimals: 2) } ?? .nothing,
      "top_speed": .number(limits.topSpeed.degrees, decimals: 2),
      "acceleration": .number(limits.acceleration.degrees, decimals: 2)
    ]
  }

  private func status() async -> Reply {
    let scan = await controller.status
    let batteries = await power.batteries
    var fields: Fields = [
      "state": .text(scan.state.rawValue), "session": .text(orNone: scan.session),
      "jobs": .integer(await jobs.running), "cameras": .integer(rig.camera.modes.isEmpty ? 0 : 2),
      "temp": .number(Computer.temperature, decimals: 1),
      "disk_free": .integer((try? sessions.freeBytes()).map(Int.init) ?? Computer.freeBytes(paths.state)),
      "battery": .number(batteries.compactMap(\.level).min(), decimals: 2)
    ]
    if !scan.reason.isEmpty { fields.append("reason", .text(scan.reason)) }
    if let session = scan.resumable { fields.append("resumable", .text(session)) }
    if let hold = scan.hold { fields.append("hold", .text(hold)) }
    if scan.session != nil, !scan.state.isIdle {
      if let job = await scans.currentJob { fields.append("job", .integer(job)) }
      fields =
        fields + [
          "pass": .integer(scan.pass), "passes": .integer(scan.passes), "shots": .integer(scan.shots),
          "box": .box(scan.box), "feedback": .list(scan.feedback.map(\.rawValue)),
          "prompt": scan.prompt.map { .integer($0.id) } ?? .nothing,
          "exposure_us": .number(scan.locked?.exposureMicroseconds, decimals: 0),
          "gain": .number(scan.locked?.gain, decimals: 2)
        ]
    }
    return Reply(data: [fields])
  }

  private func health() async -> Reply {
    var problems = 0
    var data: [Fields] = []
    func check(_ name: String, _ isGood: Bool?, _ fields: Fields) {
      if isGood == false { problems += 1 }
      data.append(["check": .text(name), "ok": .flag(isGood)] + fields)
    }
    let free = Computer.freeBytes(paths.state)
    check(
      "disk", free.map { Int64($0) > sessions.diskFloor },
      ["free": .integer(free), "floor": .integer(Int(sessions.diskFloor))])
    let isInPlace = (try? claim.check()) != nil
    check("state", isInPlace, ["folder": .text(paths.state)])
    let heat = Computer.temperature
    check("temperature", heat.map { $0 < 80 }, ["celsius": .number(heat, decimals: 1)])
    let throttling = Computer.throttling
    check(
      "throttling", throttling.map(\.now.isEmpty),
      ["now": .flag(throttling.map { !$0.now.isEmpty }), "since_boot": .flag(throttling.map { !$0.sinceBoot.isEmpty })])
    let memory = Computer.memory
    check(
      "memory", memory["MemAvailable"].map { $0 > 200_000_000 },
      [
        "available": .integer(memory["MemAvailable"]), "total": .integer(memory["MemTotal"]),
        "cma_free": .integer(memory["CmaFree"])
      ])
    if let cameras = rig.camera.statistics { check("cameras", cameras.isTogether, Self.fields(of: cameras)) }
    let condition = await power.condition
    check("power", condition < .low, ["condition": .text("\(condition)")])
    let scan = await controller.status
    check(
      "rig", !(scan.state == .failed),
      ["state": .text(scan.state.rawValue), "reason": .text(orNone: scan.reason.isEmpty ? nil : scan.reason)])
    let (devices, absent) = (rig.register.devices, rig.register.absent)
    check(
      "devices", absent.isEmpty,
      [
        "count": .integer(devices.count), "absent": .integer(absent.count),
        "reason": .text(orNone: absent.first?.error?.description)
      ])
    for (name, stock) in [("sessions", await sessionStock()), ("models", await modelStock())] {
      check(name, stock.isGood, stock.fields)
    }
    let trouble = ledger.trouble
    check(
      "jobs", trouble == nil,
      ["running": .integer(await jobs.running), "reason": .text(orNone: trouble?.description)])
    check(
      "load", nil, ["one_minute": .number(Computer.load, decimals: 2), "uptime": .number(Computer.uptime, decimals: 0)])
    return Reply(data: data, ok: ["problems": .integer(problems)])
  }

  private static func fields(of cameras: CameraStatistics) -> Fields {
    let milliseconds = { (nanoseconds: Int64) in Double(nanoseconds) / 1e6 }
    return [
      "left": .text(cameras.left), "right": .text(cameras.right), "pairs": .integer(cameras.pairs),
      "left_orphans": .integer(cameras.leftOrphans), "right_orphans": .integer(cameras.rightOrphans),
      "damaged": .integer(cameras.damaged), "untimed": .integer(cameras.untimed),
      "skew_ms": .number(milliseconds(cameras.lastSkew), decimals: 3),
      "worst_skew_ms": .number(milliseconds(cameras.worstSkew), decimals: 3),
      "skewed": .integer(cameras.skewedPairs), "restarts": .integer(cameras.restarts)
    ]
  }

  private func sessionStock() async -> Stock {
    do throws(SessionError) {
      let lines = try await index.lines()
      let damaged = lines.filter { if case .failure = $0.digest { true } else { false } }
      return Stock(count: lines.count, damaged: damaged.map(\.id))
    } catch {
      return Stock(trouble: error.description)
    }
  }

  private func modelStock() async -> Stock {
    do throws(Refusal) {
      let survey = try await offPool { [models] in Result { try models.survey() } }
      return Stock(count: survey.models.count + survey.damaged.count, damaged: survey.damaged.map(\.id))
    } catch {
      return Stock(trouble: error.message)
    }
  }
}

/// How many there are of something that is kept, and how many of them cannot be read; the lists say why. Where not even that
/// can be said, the reason.
private struct Stock {
  let isGood: Bool
  let fields: Fields

  init(count: Int, damaged: [String]) {
    isGood = damaged.isEmpty
    var fields: Fields = ["count": .integer(count), "damaged": .integer(damaged.count)]
    if let first = damaged.first { fields.append("first", .text(first)) }
    self.fields = fields
  }

  init(trouble: String) {
    isGood = false
    fields = ["count": .integer(nil), "damaged": .integer(nil), "reason": .text(trouble)]
  }
}
