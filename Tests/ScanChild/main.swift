// A scan in a process of its own, for the tests that kill it.
//
//   scan-child FOLDER SHOTS PASSES [kill=N] [full] [object=demo|plain|symmetric]
//
// Scans into FOLDER on a small simulated rig, or resumes there what an earlier run has left, and prints each event.
// With kill=N it kills itself (SIGKILL, as a power cut would) at the N-th moment between two durable steps; without, it
// prints `steps N`, the number of those moments, at the end. Exit status 0: the scan is complete.

import Capture
import Imaging
import Rig
import Session
import SimulatedRig
import Synchronization

#if canImport(Glibc)
  import Glibc
#endif

/// Counts the moments between two durable steps.
final class Steps: Sendable {
  private let count = Atomic<Int>(0)
  private let last: Int

  init(last: Int) { self.last = last }

  func step() {
    if count.wrappingAdd(1, ordering: .relaxed).newValue == last { kill(getpid(), SIGKILL) }
  }
  var taken: Int { count.load(ordering: .relaxed) }
}

func run() async throws -> Int32 {
  let words = CommandLine.arguments.dropFirst()
  let plain = words.filter { !$0.contains("=") && $0 != "full" }
  guard plain.count == 3, let shots = Int(plain[plain.startIndex + 1]), let passes = Int(plain[plain.startIndex + 2])
  else {
    print("usage: scan-child FOLDER SHOTS PASSES [kill=N] [full] [object=…]")
    return 2
  }
  let folder = plain[plain.startIndex]
  func value(_ key: String) -> String? {
    words.first { $0.hasPrefix("\(key)=") }.map { String($0.dropFirst(key.count + 1)) }
  }
  let steps = Steps(last: value("kill").flatMap { Int($0) } ?? -1)

  var rig = SimulatedRigSettings()
  if !words.contains("full") {
    rig.mode = CameraMode(width: 120, height: 160, previewWidth: 60, previewHeight: 80, framesPerSecond: 30)
    rig.geometry = RigGeometry.nominal(width: 120, height: 160)
  }
  if value("object") == "plain" { rig.object = .plain }
  if value("object") == "symmetric" { rig.object = .symmetric }
  rig.reaction = .zero
  let world = try SimulatedWorld(rig)
  let library = SessionLibrary(root: "\(folder)/sessions", diskFloor: 0)
  var settings = ScanSettings()
  settings.burst = words.contains("full") ? 3 : 1
  let controller = ScanController(
    rig: world.rig, library: library, settings: settings, stateFolder: "\(folder)/state",
    observer: { _ in steps.step() })
  let panel = Task {
    await ButtonPanel(buttons: world.rig.buttons).run(on: controller, report: { _ in }, trouble: { print($0) })
  }
  defer { panel.cancel() }

  let events = await controller.events()
  let printer = Task {
    for await event in events {
      print(event)
      fflush(nil)
    }
  }
  await controller.initialize()
  if let open = try library.sessions().last(where: \.isResumable) {
    try await controller.resume(open.id)
  } else {
    _ = try await controller.start(ScanRequest(name: "child", shots: shots, passes: passes))
  }
  await controller.untilIdle()
  printer.cancel()
  print("steps \(steps.taken)")
  return await controller.status.state == .completed ? 0 : 1
}

do {
  exit(try await run())
} catch {
  print("failed: \(error)")
  exit(1)
}
