import Capture
import Control
import Rig
import Session

/// How what the jobs tell looks on the wire.
extension Event {
  static func prompt(_ prompt: ScanPrompt, job: Int?) -> Event {
    Event(.prompt, job: job, retention: .current(key: "prompt"), .prompt(prompt, job: job))
  }

  static func sample(_ sample: ScanSample, job: Int?) -> Event {
    var fields: Fields = ["verdict": .text(sample.verdict.rawValue), "pass": .integer(sample.pass)]
    fields.append("viewpoint", sample.viewpoint.map { .integer($0) } ?? .nothing)
    if let sequence = sample.sequence { fields.append("shot", .integer(sequence)) }
    if !sample.reason.isEmpty { fields.append("reason", .text(sample.reason)) }
    return Event(.sample, job: job, fields)
  }

  static func battery(_ battery: BatteryStatus) -> Event {
    Event(.battery, retention: .current(key: "battery \(battery.name)"), .battery(battery))
  }

  /// That a device is there again passes; that it is not holds until then.
  static func device(_ device: DeviceStatus) -> Event {
    let key = "device \(device.kind) \(device.name)"
    return Event(
      .device, retention: device.isPresent ? .clears(key: key) : .current(key: key),
      ["kind": .text(device.kind), "name": .text(device.name)] + .presence(device))
  }

  static func button(_ press: ButtonPress) -> Event {
    var fields: Fields = [
      "id": .integer(press.id), "pressed": .flag(press.pressed), "action": .text(press.action.name)
    ]
    if let effect = press.effect { fields.append("effect", .text(effect)) }
    return Event(.button, fields)
  }
}

extension Fields {
  static func prompt(_ prompt: ScanPrompt, job: Int?) -> Fields {
    var fields: Fields = ["id": .integer(prompt.id)]
    if let job { fields.append("job", .integer(job)) }
    return fields + [
      "kind": .text(prompt.kind.rawValue), "advice": .text(prompt.advice.wish),
      "options": .list(prompt.options.map(\.rawValue)), "timeout": .integer(Int(prompt.timeout.components.seconds)),
      "reason": .text(orNone: prompt.reason.isEmpty ? nil : prompt.reason)
    ]
  }

  static func battery(_ battery: BatteryStatus) -> Fields {
    var fields: Fields = [
      "name": .text(battery.name), "level": .number(battery.level, decimals: 2),
      "state": .text(battery.state.rawValue), "low": .flag(battery.low), "volts": .number(battery.volts, decimals: 3),
      "source": .text(battery.source)
    ]
    if let kind = battery.errorKind {
      fields.append("error", .text(Refusal(deviceKind: kind, battery.error ?? "").token.rawValue))
      fields.append("reason", .text(orNone: battery.error))
    }
    return fields
  }

  /// Whether a device is there, and why not.
  static func presence(_ device: DeviceStatus) -> Fields {
    guard let error = device.error else { return ["present": 1] }
    return [
      "present": 0, "error": .text(Refusal(deviceKind: error.kind, "").token.rawValue),
      "reason": .text(error.description)
    ]
  }

  static func job(_ job: JobRecord) -> Fields {
    var fields: Fields = [
      "job": .integer(job.id), "kind": .text(job.kind.rawValue), "state": .text(job.phase),
      "session": .text(orNone: job.session)
    ]
    if let progress = job.progress { fields = fields + .progress(progress) }
    if let model = job.model { fields.append("model", .text(model)) }
    if !job.reason.isEmpty { fields.append("reason", .text(job.reason)) }
    return fields
  }

  static func progress(_ progress: JobProgress) -> Fields {
    var fields: Fields = ["stage": .text(progress.stage)]
    if let done = progress.done { fields.append("done", .integer(done)) }
    if let of = progress.of { fields.append("of", .integer(of)) }
    if let fraction = progress.fraction { fields.append("fraction", .number(fraction, decimals: 3)) }
    fields.append("eta", .number(progress.remaining, decimals: 0))
    return fields
  }
}

extension ScanChoice {
  /// What is advised, as a wish: the protocol says `flip`, and `flipped` once it has been done.
  fileprivate var wish: String { self == .flipped ? "flip" : rawValue }
}

extension FieldValue {
  /// Corners in millimetres, lower one first.
  static func box(_ box: BoxRecord?) -> FieldValue {
    guard let box else { return .nothing }
    let values = [box.min.x, box.min.y, box.min.z, box.max.x, box.max.y, box.max.z]
    return .text(values.map { FieldValue.number($0, decimals: 1).text }.joined(separator: ","))
  }
}

extension ControlServer {
  /// Tells the clients what a job told. A scan's states are told by `ScanJobs`, which knows more about them.
  func publish(_ event: JobEvent, log: Log) {
    switch event {
    case .state(let job, let from):
      if job.kind == .scan { return }
      if job.state.hasEnded || from == "-" {
        let words = "\(job.phase)\(job.reason.isEmpty ? "" : ": \(job.reason)")"
        log.about(session: job.session).info("job \(job.id) \(job.kind.rawValue): \(words)")
      }
      var fields: Fields = [
        "job": .integer(job.id), "kind": .text(job.kind.rawValue), "session": .text(orNone: job.session),
        "from": from == "-" ? .nothing : .text(from), "to": .text(job.phase)
      ]
      if let model = job.model { fields.append("model", .text(model)) }
      if !job.reason.isEmpty { fields.append("reason", .text(job.reason)) }
      let key = "job \(job.id)"
      publish(
        Event(
          .state, job: job.id, endsJob: job.state.hasEnded,
          retention: job.state.hasEnded ? .clears(key: key) : .current(key: key), fields))
    case .progress(let job):
      guard let progress = job.progress else { return }
      publish(Event(.progress, job: job.id, .progress(progress)))
    case .sample(let job, let verdict, let name, let reason):
      publish(Event(.sample, job: job, ["verdict": .text(verdict), "name": .text(name), "reason": .text(reason)]))
    case .file(let job, let kind, let path, let model):
      publish(
        Event(
          .file, job: job, ["kind": .text(kind), "path": .text(path), "model": .text(orNone: model)]))
    case .notice(let job, let text):
      log.warning("job \(job): \(text)")
      publish(Event(.state, job: job, ["notice": .text(text)]))
    }
  }
}
