// Scans in processes of their own, for the tests that kill them.
//
//   scan-child FOLDER POINTS SEED
//
// First a whole scan runs in FOLDER/whole, and the moments between two durable steps are counted. Then, POINTS times, a
// scan in FOLDER/NN kills itself (SIGKILL: nothing is flushed, nothing tidied, as in a power cut) at one of these moments,
// the journal is copied to FOLDER/NN/journal.killed, and another process takes the session up and finishes it. What
// happened is printed, one line a point: `point NN step K/N killed STATUS resumed STATUS`.
//
// The simulated world takes longer to build than a small scan to run, so it is built once and every process is forked
// from here, before anything has started a thread.

import Capture
import Imaging
import Rig
import Session
import SimulatedRig
import Synchronization

#if canImport(Glibc)
  import Glibc
#endif

/// Counts the moments between two durable steps, and ends the process at one of them.
final class Steps: Sendable {
  private let count = Atomic<Int>(0)
  private let last: Int

  init(last: Int) { self.last = last }

  func step() {
    if count.wrappingAdd(1, ordering: .relaxed).newValue == last { kill(getpid(), SIGKILL) }
  }
  var taken: Int { count.load(ordering: .relaxed) }
}

/// A rig whose pictures cost next to nothing.
func smallWorld() throws -> SimulatedWorld {
  var rig = SimulatedRigSettings()
  rig.mode = CameraMode(width: 96, height: 128, previewWidth: 48, previewHeight: 64, framesPerSecond: 30)
  rig.geometry = RigGeometry.nominal(width: 96, height: 128)
  rig.reaction = .zero
  // no lamps, no shadows to render
  rig.lamps = []
  rig.roomLight = 1
  rig.threads = 1
  return try SimulatedWorld(rig)
}

/// Scans in `folder`, or finishes what was begun there. Prints each kept shot. Returns an exit status.
func scan(_ world: SimulatedWorld, in folder: String, killAt last: Int) async throws -> Int32 {
  let steps = Steps(last: last)
  let library = SessionLibrary(root: "\(folder)/sessions", diskFloor: 0)
  var settings = ScanSettings()
  settings.burst = 1
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
      if case .sample(let sample) = event, let sequence = sample.sequence { print("kept \(sequence)") }
      if case .notice(let notice) = event { print(notice) }
      fflush(nil)
    }
  }
  await controller.initialize()
  if let open = try library.sessions().last(where: \.isResumable) {
    try await controller.resume(open.id)
  } else {
    _ = try await controller.start(ScanRequest(name: "child", shots: 4, passes: 2))
  }
  await controller.untilIdle()
  printer.cancel()
  let status = await controller.status
  print("\(status.state) \(status.reason)")
  print("steps \(steps.taken)")
  return status.state == .completed ? 0 : 1
}

/// fork(2), which Glibc keeps from Swift because threads do not survive it; here there are none yet.
@_silgen_name("fork") private func processFork() -> Int32

/// Begins `work` in a process of its own whose output goes to `log`. Returns the process.
func begin(log: String, _ work: () throws -> Int32) -> pid_t {
  fflush(nil)
  let child = processFork()
  guard child == 0 else { return child }
  let file = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
  dup2(file, STDOUT_FILENO)
  do { exit(try work()) } catch {
    print("failed: \(error)")
    exit(3)
  }
}

/// Waits for a process; returns what wait(2) says of its end.
func wait(for child: pid_t) -> Int32 {
  var status: Int32 = 0
  while waitpid(child, &status, 0) < 0 && errno == EINTR {}
  return status
}

/// Runs a scan in a process of its own whose output goes to `log`; returns what wait(2) says of its end.
func fork(_ world: SimulatedWorld, in folder: String, killAt last: Int, log: String) -> Int32 {
  let child = begin(log: log) {
    Task {
      do {
        exit(try await scan(world, in: folder, killAt: last))
      } catch {
        print("failed: \(error)")
        exit(3)
      }
    }
    while true { pause() }
  }
  return wait(for: child)
}

func text(_ path: String) -> String {
  guard let file = fopen(path, "r") else { return "" }
  defer { fclose(file) }
  var bytes = [UInt8](repeating: 0, count: 1 << 20)
  let count = fread(&bytes, 1, bytes.count, file)
  return String(decoding: bytes[..<count], as: UTF8.self)
}

func write(_ text: String, to path: String) {
  guard let file = fopen(path, "w") else { return }
  fputs(text, file)
  fclose(file)
}

func run() throws -> Int32 {
  let words = CommandLine.arguments
  guard words.count == 4, let points = Int(words[2]), var seed = UInt64(words[3]) else {
    print("usage: scan-child FOLDER POINTS SEED")
    return 2
  }
  let world = try smallWorld()
  let whole = "\(words[1])/whole"
  mkdir(whole, 0o755)
  let status = fork(world, in: whole, killAt: -1, log: "\(whole)/log")
  let line = text("\(whole)/log").split(separator: "\n").last { $0.hasPrefix("steps ") }
  guard status == 0, let steps = line.flatMap({ Int($0.dropFirst(6)) }) else {
    print("the whole scan ended with \(status): \(text("\(whole)/log"))")
    return 1
  }
  let moments = (0..<points).map { point in
    // one in each of as many equal spans
    seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    let low = point * steps / points
    let high = max(low + 1, (point + 1) * steps / points)
    return low + 1 + Int(seed >> 33) % (high - low)
  }
  // a scan of tiny pictures keeps one core busy: two at a time
  let lanes = [0, 1].map { lane in
    begin(log: "\(words[1])/lane-\(lane)") {
      for point in stride(from: lane, to: points, by: 2) {
        print(try outcome(world, "\(words[1])/\(point < 10 ? "0" : "")\(point)", point, moments[point], of: steps))
      }
      return 0
    }
  }
  let ends = lanes.map(wait(for:))
  for lane in lanes.indices { print(text("\(words[1])/lane-\(lane)"), terminator: "") }
  return ends.allSatisfy { $0 == 0 } ? 0 : 1
}

/// Kills a scan in `folder` at a moment and has it taken up again; the line that tells how both ended.
func outcome(_ world: SimulatedWorld, _ folder: String, _ point: Int, _ step: Int, of steps: Int) throws -> String {
  mkdir(folder, 0o755)
  let killed = fork(world, in: folder, killAt: step, log: "\(folder)/killed.log")
  if let session = try SessionLibrary(root: "\(folder)/sessions").sessions().first {
    write(text(SessionLayout.journal(in: session.folder)), to: "\(folder)/journal.killed")
  }
  let resumed = fork(world, in: folder, killAt: -1, log: "\(folder)/resumed.log")
  return "point \(point) step \(step)/\(steps) killed \(killed) resumed \(resumed)"
}

do {
  exit(try run())
} catch {
  print("failed: \(error)")
  exit(1)
}
