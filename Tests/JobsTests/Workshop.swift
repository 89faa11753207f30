import Capture
import Session
import Synchronization
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#endif

/// A job table, a queue and a library in a folder of their own, with a real program to run: a shell script that keeps the
/// contract of `twinrig reconstruct SESSION --output DIR … --progress json`.
final class Workshop: Sendable {
  let folder: String
  let program: String
  let jobs: JobTable
  let models: ModelLibrary
  let queue: ReconstructionQueue
  let ledger: JobLedger
  private let story = Mutex<[JobEvent]>([])
  private let told: AsyncStream<JobEvent>
  private let isOwner: Bool

  /// `script` is the body of a shell script in which `$OUT` is the output folder. A workshop `continuing` another one
  /// takes over its folder, as an agent does that starts again.
  init(
    _ script: String, limits: ChildLimits = ChildLimits(), patience: Duration = .seconds(20),
    continuing previous: Workshop? = nil
  ) throws {
    isOwner = previous == nil
    folder =
      previous?.folder ?? "\(FileManager.default.temporaryDirectory.path)/twinrig-jobs-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    program = "\(folder)/program"
    let head =
      "#!/bin/sh\n[ \"$1\" = reconstruct ] || exit 2\nSESSION=$2 OUT=$4\nmkdir -p \"$OUT\"\necho $$ > \"$OUT/pid\"\n"
    try (head + script + "\n").write(toFile: program, atomically: true, encoding: .utf8)
    chmod(program, 0o755)
    let (stream, sink) = AsyncStream.makeStream(of: JobEvent.self)
    told = stream
    // The folder goes away with the test, perhaps before the ledger's last write.
    ledger = try JobLedger(folder: folder) { _ in }
    jobs = JobTable(ledger: ledger) { sink.yield($0) }
    models = ModelLibrary(root: "\(folder)/models")
    queue = ReconstructionQueue(
      program: program, limits: limits, patience: patience, jobs: jobs, models: models, ledger: ledger)
  }

  deinit {
    guard isOwner else { return }
    // the ledger may write while its folder is emptied; once that is gone, it cannot
    for _ in 0..<100 where access(folder, F_OK) == 0 { try? FileManager.default.removeItem(atPath: folder) }
  }

  func request(_ session: String, name: String = "", outputs: [String] = ["model"]) -> ReconstructionRequest {
    ReconstructionRequest(session: session, folder: "\(folder)/\(session)", name: name, outputs: outputs)
  }

  func output(of session: String) -> String { "\(folder)/\(session)/result" }

  /// Waits for an event; those before it are kept in `events`. Only one test task may wait at a time.
  func until(_ wanted: (JobEvent) -> Bool) async throws -> JobEvent {
    for await event in told {
      story.withLock { $0.append(event) }
      if wanted(event) { return event }
    }
    throw CancellationError()
  }

  /// Waits until a job is in a state.
  func until(_ id: Int, _ state: JobState) async throws -> JobRecord {
    let event = try await until { event in
      if case .state(let record, _) = event { return record.id == id && record.state == state }
      return false
    }
    guard case .state(let record, _) = event else { throw CancellationError() }
    return record
  }

  /// What has been told so far.
  var events: [JobEvent] { story.withLock { $0 } }

  /// Waits for a file that the script writes, without guessing how long that takes.
  func text(of path: String) async throws -> String {
    while true {
      if let text = try? String(contentsOfFile: path, encoding: .utf8), text.hasSuffix("\n") { return text }
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  /// The state letter of a process in /proc; nil when it is gone.
  static func state(of process: String) -> Character? {
    let path = "/proc/\(process.filter(\.isNumber))/stat"
    guard let text = try? String(contentsOfFile: path, encoding: .utf8), let end = text.lastIndex(of: ")") else {
      return nil
    }
    return text[end...].dropFirst(2).first
  }

  /// A script that makes a model as the real program does.
  static let makesModel = """
    echo '{"event":"stage","stage":"poses"}'
    echo '{"event":"progress","stage":"poses","fraction":0.25,"remaining":42.0}'
    echo '{"event":"sample","kind":"skipped","name":"0003-left.jpg","reason":"blurred"}'
    echo '{"event":"stitchingIncomplete","pass":2,"reason":"too little texture"}'
    echo 'pose' > "$OUT/poses.tsv"
    echo "{\\"event\\":\\"file\\",\\"kind\\":\\"poses\\",\\"path\\":\\"$OUT/poses.tsv\\"}"
    echo 'usdz' > "$OUT/model.usdz"; echo 'glb' > "$OUT/model.glb"; echo 'png' > "$OUT/preview.png"
    echo '{}' > "$OUT/report.json"
    echo '{"min":[-40.5,0,-40.1],"max":[40.5,224,40.1]}' > "$OUT/bounds.json"
    echo "{\\"event\\":\\"file\\",\\"kind\\":\\"model\\",\\"path\\":\\"$OUT/model.usdz\\"}"
    for kind in glb mesh preview report; do
      echo "{\\"event\\":\\"file\\",\\"kind\\":\\"$kind\\",\\"path\\":\\"$OUT/$kind\\"}"
      sleep 0.02
    done
    echo 'this is no event'
    echo '{"event":"done","triangles":25000,"seconds":60.5}'
    """
  /// A script that goes on until `$OUT/go` is there.
  static let waits =
    "while [ ! -e \"$OUT/go\" ]; do echo '{\"event\":\"progress\",\"stage\":\"depth\",\"fraction\":0.5}'; sleep 0.02; done\n"
}
