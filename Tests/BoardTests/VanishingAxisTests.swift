import Board
import Capture
import Imaging
import Rig
import Session
import SimulatedRig
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A scan on a rig whose turntable is unplugged while it runs.
@Suite(.timeLimit(.minutes(2))) struct VanishingAxisTests {
  @Test func theScanPausesAndGoesOnWhenTheTableIsBack() async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/twinrig-vanishing-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let world = try SimulatedWorld(.small)
    var rig = world.rig
    let (plug, table) = (Plug(), rig.turntable)
    let device = Reopening<any Axis>(
      kind: "axis", name: "turntable", register: rig.register, presence: .quick,
      check: { axis throws(DeviceError) in try await axis.check() }
    ) { () throws(DeviceError) in
      try plug.check("turntable", "open")
      return PluggedAxis(axis: table, plug: plug)
    }
    rig.turntable = ReopeningAxis(device, limits: table.limits)
    var scan = ScanSettings()
    scan.burst = 1
    let library = SessionLibrary(root: "\(folder)/sessions", diskFloor: 0)
    let controller = ScanController(rig: rig, library: library, settings: scan, stateFolder: "\(folder)/state")
    let panel = Task { [rig] in
      await ButtonPanel(buttons: rig.buttons).run(on: controller, report: { _ in }, trouble: { _ in })
    }
    defer { panel.cancel() }

    // absent at the start: the rig says why it cannot scan, and starts once the table is there
    plug.pull()
    await device.look()
    await controller.initialize()
    #expect(await controller.status.state == .failed)
    let reason = await controller.status.reason
    #expect(reason.contains("plug it in again"), "\(reason)")
    var changes = Changes(of: rig.register)
    plug.push()
    _ = await changes.next(isPresent: true)
    await controller.lookAgain()
    await controller.untilIdle()
    #expect(await controller.status.state == .ready)

    let events = await controller.events()
    _ = try await controller.start(ScanRequest(name: "vase", shots: 6, passes: 1))
    var pauses: [String] = []
    var hasPulled = false
    for await event in events {
      switch event {
      case .progress(let progress) where progress.stage == "capture" && progress.done == 2 && !hasPulled:
        hasPulled = true
        plug.pull()
      case .state(_, .paused, _, let reason):
        pauses.append(reason)
        plug.push()
        _ = await changes.next(isPresent: true)
        try await controller.unpause()
      default: break
      }
      if case .sessionEnded = event { break }
    }
    #expect(pauses.count == 1)
    #expect(pauses.first?.contains("turntable") == true && pauses.first?.contains("then go on") == true, "\(pauses)")
    let sessions = try library.sessions()
    let contents = try sessions[0].contents.get()
    #expect(contents.ended?.state == "completed")
    #expect(contents.shots.compactMap(\.viewpoint).sorted() == Array(0..<6))
  }

  @Test func aScanWithoutItsLampEndsSoThatItCanBeTakenUp() async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/twinrig-vanishing-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    struct Bulb: Lamp {
      let name = "ring"
      func set(level: Double) async throws(DeviceError) {}
    }
    var rig = try SimulatedWorld(.small).rig
    let plug = Plug(isIn: false)
    let device = Reopening<any Lamp>(
      kind: "lamp", name: "ring", register: rig.register, presence: .quick, check: { _ throws(DeviceError) in }
    ) { () throws(DeviceError) in
      try plug.check("ring", "open")
      return Bulb()
    }
    rig.lamps = [ReopeningLamp(device)]
    var scan = ScanSettings()
    scan.burst = 1
    let library = SessionLibrary(root: "\(folder)/sessions", diskFloor: 0)
    let controller = ScanController(rig: rig, library: library, settings: scan, stateFolder: "\(folder)/state")
    let panel = Task { [rig] in
      await ButtonPanel(buttons: rig.buttons).run(on: controller, report: { _ in }, trouble: { _ in })
    }
    defer { panel.cancel() }
    // a rig can be started without its lamp
    await controller.initialize()
    #expect(await controller.status.state == .ready)
    var changes = Changes(of: rig.register)
    let session = try await controller.start(ScanRequest(name: "vase", shots: 4, passes: 1))
    await controller.untilIdle()
    var status = await controller.status
    #expect(status.state == .failed && status.resumable == session, "\(status)")
    #expect(status.reason.contains("ring") && status.reason.contains("plug it in again"), "\(status.reason)")
    plug.push()
    _ = await changes.next(isPresent: true)
    try await controller.resume(session)
    await controller.untilIdle()
    status = await controller.status
    #expect(status.state == .completed, "\(status.reason)")
  }
}
