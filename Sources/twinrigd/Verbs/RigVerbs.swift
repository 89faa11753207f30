import Capture
import Configuration
import Control
import Rig

#if canImport(Glibc)
  import Glibc
#endif

extension Station {
  /// Power, buttons, light, cameras, configuration.
  var rigVerbs: [Command] {
    [
      Command("battery", summary: "lists the batteries") { [power] _ in
        let list = await power.batteries
        return Reply(data: list.map { .battery($0) }, ok: ["count": .integer(list.count)])
      },
      Command("buttons", summary: "lists the buttons and what they do") { [rig] _ in
        var data: [Fields] = []
        for button in rig.buttons {
          let isPressed = try? await button.line.read()
          data.append([
            "id": .integer(button.id), "action": .text(button.action), "pressed": .flag(isPressed),
            "line": .text(button.line.name)
          ])
        }
        return Reply(data: data, ok: ["count": .integer(data.count)])
      },
      Command(
        "light", words: .required(Parameter("LEVEL", .number(0...1, unit: ""), "0 is off, 1 as bright as can be")),
        summary: "sets all lamps"
      ) { [self] call throws(Refusal) in try await light(Double(call.words[0]) ?? 0) },
      Command("camera lock", summary: "starts the cameras and fixes exposure, gain and white balance as they are now") {
        [self] _ throws(Refusal) in
        let job = try await inProtocolTerms { try await self.cameraLock.lock() }
        return Reply(ok: ["job": .integer(job)])
      },
      Command("camera unlock", summary: "gives the cameras back to themselves and stops them") {
        [self] _ throws(Refusal) in
        let job = try await inProtocolTerms { try await self.cameraLock.unlock() }
        return Reply(ok: ["job": .integer(job)])
      },
      Command("config", summary: "shows the configuration in force") { [self] _ in
        // the command line goes before the file
        let inForce = ["agent.socket": paths.socket, "agent.state_folder": paths.state]
        let data = configuration.keysAndValues.map { key, value in
          ["key": .text(key), "value": (inForce[key] ?? value).map { .text($0) } ?? .nothing] as Fields
        }
        return Reply(data: data, ok: ["file": .text(paths.configuration), "count": .integer(data.count)])
      },
      Command("config reload", summary: "reads the configuration again; for root and the agent's own user") {
        [self] call throws(Refusal) in
        guard call.peer.user == 0 || call.peer.user == getuid() else {
          throw Refusal(.denied, "only root and the agent's own user may change the configuration")
        }
        return try await reloadReply()
      }
    ]
  }

  private func light(_ level: Double) async throws(Refusal) -> Reply {
    guard !rig.lamps.isEmpty else { throw Refusal(.noDevice, "this rig has no lamps") }
    if let other = RigOccupant(await controller.status.state) { throw Refusal(.busy, other.refusal(of: "lamps")) }
    for lamp in rig.lamps { try await inProtocolTerms { try await lamp.set(level: level) } }
    return Reply(ok: ["lamps": .integer(rig.lamps.count), "level": .number(level, decimals: 2)])
  }

  private func reloadReply() async throws(Refusal) -> Reply {
    do throws(ConfigurationError) {
      let changed = try reload()
      let data =
        changed.live.map { ["key": .text($0), "in_force": 1] as Fields }
        + changed.afterRestart.map { ["key": .text($0), "in_force": 0] as Fields }
      return Reply(data: data, ok: ["changed": .integer(data.count), "restart": .flag(!changed.afterRestart.isEmpty)])
    } catch {
      let first = error.problems[0]
      let fields: Fields = [
        "problems": .integer(error.problems.count), "file": .text(first.file), "line": .integer(first.line)
      ]
      throw Refusal(.badArgument, "nothing was changed: \(first.description)", fields)
    }
  }
}
