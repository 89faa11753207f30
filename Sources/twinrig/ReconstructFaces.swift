import Reconstruction
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#endif

/// How a reconstruction is shown.
enum ReconstructionStyle {
  /// For people.
  case bar
  /// `--progress json`: one event a line, for a program that runs this one.
  case events
  /// `twinrig --json`: the same events, in the lines that every command of this program has then.
  case json
}

/// Shows a running reconstruction to somebody.
protocol ReconstructionFace: Sendable {
  /// Shows one event; called from several threads.
  func show(_ event: ReconstructionEvent)
}

/// One JSON object per line on standard output, for programs:
/// `{"event":"stage","stage":"depth"}`, `{"event":"progress","stage":"depth","fraction":0.31,"remaining":42.0}`,
/// `{"event":"sample","kind":"skipped","name":…,"reason":…}`, `{"event":"stitchingIncomplete","pass":2,"reason":…}`,
/// `{"event":"downsampled","reason":…}`, `{"event":"warning","reason":…}`, `{"event":"file","kind":"model","path":…}`,
/// `{"event":"done","triangles":25000,"seconds":61.2}`, `{"event":"error","kind":"invalidInput","message":…}`. With
/// `twinrig --json` each also has `"line":"event"`, and the error is that of all commands.
struct JSONFace: ReconstructionFace {
  let style: ReconstructionStyle

  /// All that can be in a line.
  private struct Line: Encodable {
    var line: String?
    var event: String
    var stage: String?
    var fraction: Double?
    var remaining: Double?
    var kind: String?
    var name: String?
    var path: String?
    var pass: Int?
    var reason: String?
    var message: String?
    var triangles: Int?
    var seconds: Double?
  }

  func show(_ event: ReconstructionEvent) {
    // one call a line, so that lines of several threads do not mix
    let isSaid = Terminal.say(text(event))
    if !isSaid, case .failed(let error) = event { Terminal.complain("twinrig: \(error)") }
  }

  private func text(_ event: ReconstructionEvent) -> String {
    if style == .json, case .failed(let error) = event {
      let failure = ClientFailure(code: error.exitCode, message: error.description)
      return JSONText.error(failure, ["kind": .text(error.kind.rawValue)])
    }
    var line = line(event)
    if style == .json { line.line = "event" }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(line)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }

  private func line(_ event: ReconstructionEvent) -> Line {
    func rounded(_ value: Double, _ steps: Double) -> Double { (value * steps).rounded() / steps }
    switch event {
    case .stage(let stage): return Line(event: "stage", stage: stage.rawValue)
    case .progress(let stage, let fraction, let remaining):
      return Line(
        event: "progress", stage: stage.rawValue, fraction: rounded(fraction, 1000),
        remaining: remaining.map { rounded($0, 10) })
    case .sample(let issue):
      return Line(event: "sample", kind: issue.kind.rawValue, name: issue.name, reason: issue.reason)
    case .stitchingIncomplete(let pass, let reason):
      return Line(event: "stitchingIncomplete", pass: pass, reason: reason)
    case .downsampled(let reason): return Line(event: "downsampled", reason: reason)
    case .warning(let text): return Line(event: "warning", reason: text)
    case .file(let kind, let path): return Line(event: "file", kind: kind.rawValue, path: path)
    case .done(let triangles, let seconds):
      return Line(event: "done", triangles: triangles, seconds: rounded(seconds, 100))
    case .failed(let error): return Line(event: "error", kind: error.kind.rawValue, message: error.description)
    }
  }
}

/// For people: a bar on a terminal, a line a stage elsewhere. On standard error, but for the files, which go to standard
/// output one path a line.
final class BarFace: ReconstructionFace {
  private struct State {
    /// Whether a bar stands on the current line.
    var hasBar = false
    var pictures = PictureNotes()
    var warnings: [String] = []
  }
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private let state = Mutex(State())

  func show(_ event: ReconstructionEvent) {
    state.withLock { state in
      if case .sample(let issue) = event {
        let lines = state.pictures.add(issue.name, verdict: issue.kind.rawValue, reason: issue.reason)
        return lines.forEach { note($0, &state.hasBar) }
      }
      for line in state.pictures.flush() { note(line, &state.hasBar) }
      switch event {
      case .stage(let stage): if !isTerminal { Terminal.complain("\(stage.rawValue)…") }
      case .progress(let stage, let fraction, let remaining):
        guard isTerminal else { return }
        Terminal.drawAside("\r" + bar(stage, fraction, remaining))
        state.hasBar = true
      case .sample: break  // above
      case .stitchingIncomplete(let pass, let reason):
        note("pass \(pass) could not be joined to the others and was left out: \(reason)", &state.hasBar)
      case .downsampled(let reason): note("pictures are used smaller than they are: \(reason)", &state.hasBar)
      case .warning(let text): state.warnings.append(text)
      case .file(_, let path):
        clear(&state.hasBar)
        Terminal.tell(path: path)
      case .done(let triangles, let seconds):
        end("done: \(triangles) triangles in \(Int(seconds.rounded())) s", &state)
      case .failed(let error): end("twinrig: \(error)", &state)
      }
    }
  }

  /// The last line, and before it the warnings: there they are not scrolled away by what follows.
  private func end(_ text: String, _ state: inout State) {
    for warning in state.warnings { note("warning: \(warning)", &state.hasBar) }
    note(text, &state.hasBar)
  }

  private func note(_ text: String, _ hasBar: inout Bool) {
    clear(&hasBar)
    Terminal.complain(text)
  }

  private func clear(_ hasBar: inout Bool) {
    if hasBar { Terminal.drawAside("\r\u{1B}[K") }
    hasBar = false
  }

  private func bar(_ stage: ReconstructionStage, _ fraction: Double, _ remaining: Double?) -> String {
    let width = 30
    let full = Int(fraction * Double(width))
    let cells = String(repeating: "█", count: full) + String(repeating: "░", count: width - full)
    let percent = "\(Int(fraction * 100))"
    let name = stage.rawValue + String(repeating: " ", count: max(0, 8 - stage.rawValue.count))
    return "\(name) \(cells) \(percent) %\(remaining.map { "  " + BarFace.time($0) + " left" } ?? "")\u{1B}[K"
  }

  private static func time(_ seconds: Double) -> String {
    let whole = Int(seconds.rounded(.up))
    return whole < 90 ? "\(whole) s" : "\(whole / 60) min \(whole % 60) s"
  }
}

extension ReconstructionError {
  /// How the program ends with it.
  var exitCode: Int32 {
    switch kind {
    case .cancelled: ExitCode.cancelled
    case .invalidInput, .insufficientViews, .stitchingIncomplete, .emptySurface: ExitCode.usage
    case .outOfMemory: ExitCode.memory
    default: ExitCode.failed
    }
  }
}

/// SIGINT and SIGTERM ask the job to end; a second SIGINT ends the process at once.
enum Interruption {
  /// What the job looks at.
  static let cancellation = Cancellation()

  /// Takes the signals over.
  static func install() {
    // made before the handler can need it
    _ = cancellation
    // a reader that went away is no reason to lose the model
    signal(SIGPIPE, SIG_IGN)
    // a file at its size limit is an error of that write
    signal(SIGXFSZ, SIG_IGN)
    for number in [SIGINT, SIGTERM] {
      signal(number) { number in
        if number == SIGINT, Interruption.cancellation.isCancelled { _exit(130) }
        Interruption.cancellation.cancel()
      }
    }
  }
}
