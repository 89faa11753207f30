import Imaging
import LinuxRig
import Rig
import RigContract

#if canImport(Glibc)
  import Glibc
#endif

/// One line, at once: whoever reads along sees where it hangs.
func say(_ line: String) {
  print(line)
  fflush(nil)
}

func milliseconds(_ nanoseconds: Int64) -> Double { (Double(nanoseconds) / 1e3).rounded() / 1e3 }

func seconds(_ body: () async throws -> Void) async rethrows -> Double {
  let clock = ContinuousClock()
  let begun = clock.now
  try await body()
  return ((begun.duration(to: clock.now) / .milliseconds(1)) / 10).rounded() / 100
}

func meanLuma(_ image: RGBImage) -> Double {
  let sum = image.gray.pixels.reduce(0) { $0 + Int($1) }
  return (Double(sum) / Double(max(1, image.width * image.height)) * 100).rounded() / 100
}

func text(_ controls: CameraControls) -> String {
  let values: [(String, Double?)] = [
    ("exposure_us", controls.exposureMicroseconds), ("gain", controls.gain), ("red", controls.redGain),
    ("blue", controls.blueGain), ("lens", controls.lensPosition)
  ]
  return values.map { "\($0.0)=\($0.1.map { "\($0)" } ?? "?")" }.joined(separator: " ")
}

/// Portable pixmap, which anything reads.
func write(_ image: RGBImage, to path: String) -> Bool {
  guard let file = fopen(path, "w") else { return false }
  fputs("P6 \(image.width) \(image.height) 255\n", file)
  let count = image.bytes.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, file) }
  return fclose(file) == 0 && count == image.bytes.count
}

/// Memory that this process has, in kB.
var residentKilobytes: Int {
  guard let file = fopen("/proc/self/statm", "r") else { return 0 }
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 128)
  guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
  let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  let words = text.split(separator: " ")
  return words.count > 1 ? (Int(words[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE))) / 1024 : 0
}

/// How many descriptors this process has open.
var openDescriptors: Int { (0..<1024).filter { fcntl($0, F_GETFD) >= 0 }.count }

/// The probe; counts what is not well.
struct Probe {
  let options: Options
  let camera: LibcameraPair
  var broken = 0

  mutating func run() async {
    if options.checksContract { await checkContract() }
    do {
      try await camera.start(options.mode)
      try await captureAll()
      try await restartAll()
    } catch {
      broken += 1
      say("failed reason=\"\(error)\"")
    }
    await camera.stop()
    let s = camera.statistics ?? CameraStatistics()
    say(
      "summary ok=\(broken == 0 ? 1 : 0) broken=\(broken) pairs=\(s.pairs) left_orphans=\(s.leftOrphans) "
        + "right_orphans=\(s.rightOrphans) damaged=\(s.damaged) untimed=\(s.untimed) "
        + "worst_skew_ms=\(milliseconds(s.worstSkew)) skewed=\(s.skewedPairs) restarts=\(s.restarts)")
  }

  private mutating func checkContract() async {
    for promise in CameraContract.cases {
      var found = ""
      let time = await seconds {
        do { try await promise.check(camera) } catch { found = "\(error)" }
        await camera.stop()
      }
      if !found.isEmpty { broken += 1 }
      let reason = found.isEmpty ? "" : " reason=\"\(found)\""
      say("contract ok=\(found.isEmpty ? 1 : 0) seconds=\(time) promise=\"\(promise.name)\"\(reason)")
    }
  }

  private func captureAll() async throws {
    for number in 0..<options.count {
      let asked = BoardClock().now
      let pair = try await camera.capture()
      let age = BoardClock().now.sinceOrigin - .nanoseconds(pair.left.sensorTimestamp)
      let wait = asked.duration(to: BoardClock().now)
      say(
        "pair n=\(number + 1) left_ns=\(pair.left.sensorTimestamp) right_ns=\(pair.right.sensorTimestamp) "
          + "skew_ms=\(milliseconds(pair.skew)) wait_ms=\(wait / .milliseconds(1)) age_ms=\(age / .milliseconds(1)) "
          + "left_luma=\(meanLuma(pair.left.image)) right_luma=\(meanLuma(pair.right.image)) "
          + text(pair.left.controls))
      if number + 1 == options.count, let folder = options.folder {
        mkdir(folder, 0o755)
        let isWritten =
          write(pair.left.image, to: folder + "/left.ppm") && write(pair.right.image, to: folder + "/right.ppm")
        say("written ok=\(isWritten ? 1 : 0) folder=\"\(folder)\"")
        if !isWritten { throw DeviceError(.faulty, device: folder, operation: "write", errno: errno) }
      }
    }
  }

  private mutating func restartAll() async throws {
    guard options.restarts > 0 else { return }
    let before = openDescriptors
    let memory = residentKilobytes
    var passed = 0
    let time = try await seconds {
      for _ in 0..<options.restarts {
        try await camera.restart()
        passed += 1
      }
    }
    let after = openDescriptors
    if after > before + 2 { broken += 1 }
    say(
      "restarts n=\(passed) seconds=\(time) descriptors_before=\(before) descriptors_after=\(after) "
        + "memory_before_kb=\(memory) memory_after_kb=\(residentKilobytes)")
  }
}
