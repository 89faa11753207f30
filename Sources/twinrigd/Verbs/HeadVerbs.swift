import Capture
import Control
import Imaging
import Rig

extension Station {
  /// The axes.
  var headVerbs: [Command] {
    let axis = Parameter("AXIS", .choice(rig.axes.map(\.name)), "an axis")
    let angle = Parameter.Kind.number(-36000...36000, unit: "degrees")
    return [
      Command(
        "move",
        keys: rig.axes.map { Parameter($0.name, angle, "where to, as an angle from home") } + [
          Parameter("speed", .number(0.01...3600, unit: "degrees a second"), "at most; default: top speed")
        ], summary: "moves axes, all at the same time"
      ) { [self] call throws(Refusal) in try await move(call) },
      Command(
        "spin", words: .required(axis),
        keys: [Parameter("velocity", .number(-3600...3600, unit: "degrees a second"), "sign is direction")],
        requiredKeys: ["velocity"], summary: "turns an axis until it is stopped"
      ) { [self] call throws(Refusal) in
        let job = try await inProtocolTerms {
          try await self.motion.spin(
            try self.motion.axis(call.words[0]), velocity: .degrees(call.number("velocity") ?? 0))
        }
        return Reply(ok: ["job": .integer(job)])
      },
      Command("home", words: .optional(axis), summary: "finds the origin of an axis, or of all") {
        [self] call throws(Refusal) in
        let job = try await inProtocolTerms {
          try await self.motion.home(try call.words.first.map { [try self.motion.axis($0)] } ?? self.rig.axes)
        }
        return Reply(ok: ["job": .integer(job)])
      },
      Command("stop", summary: "stops every axis now; a scan pauses", isUrgent: true) { [self] _ in
        await stop()
      },
      Command("limits", words: .required(axis), summary: "says where an axis is and what it may do") {
        [self] call throws(Refusal) in
        let axis = try await inProtocolTerms { try self.motion.axis(call.words[0]) }
        return Reply(data: [await Self.limits(of: axis)])
      }
    ]
  }

  private func move(_ call: Invocation) async throws(Refusal) -> Reply {
    let targets = rig.axes.compactMap { axis in
      call.number(axis.name).map { MotionJobs.Target(axis: axis, angle: .degrees($0)) }
    }
    guard !targets.isEmpty else {
      throw Refusal(.badArgument, "move needs an axis: \(rig.axes.map { "\($0.name)=" }.joined(separator: ", "))")
    }
    let speed = call.number("speed").map { Angle.degrees($0) }
    let job = try await inProtocolTerms { try await self.motion.move(targets, speed: speed) }
    return Reply(ok: ["job": .integer(job)])
  }

  /// The axes stop at once, without waiting for anybody, and the scan is told at the same time. An axis takes its time to
  /// ramp down; the answer does not wait for that.
  private func stop() async -> Reply {
    let halted = Task { [motion] in await motion.halt() }
    let scan: FieldValue =
      switch await controller.halt() {
      case .paused: "pausing"
      case .cancelled: "cancelling"
      default: .nothing
      }
    _ = await Self.result(of: halted, within: Self.promptness)
    return Reply(ok: ["axes": .integer(rig.axes.count), "scan": scan])
  }
}
