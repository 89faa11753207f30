import CLinux
import Control
import Glibc
import Reconstruction

/// What the program says when memory is refused to it in a place where that cannot be caught: Swift's own memory.
struct LastWords {
  private let style: ReconstructionStyle
  /// What takes away a bar that stands on the last line.
  private let clearing: String

  /// Stands ready from now on.
  init(style: ReconstructionStyle) {
    self.style = style
    clearing = isatty(STDERR_FILENO) == 1 ? "\r\u{1B}[K" : ""
    prepare("before its first stage")
    linux_last_words_install(ExitCode.memory)
  }

  /// Takes notice of where a job is.
  func follow(_ event: ReconstructionEvent) {
    if case .stage(let stage) = event { prepare("at the stage \(stage.rawValue)") }
  }

  private func prepare(_ place: String) {
    let message =
      "not enough memory \(place): %u MiB are in use and %l MiB allowed; \(ReconstructionError.memoryAdvice)"
    switch style {
    case .bar: linux_last_words_set("", "\(clearing)twinrig: \(message)\n")
    // nothing in it that JSON would have to escape
    case .events:
      linux_last_words_set("{\"event\":\"error\",\"kind\":\"outOfMemory\",\"message\":\"\(message)\"}\n", "")
    case .json:
      let failure = ClientFailure(code: ExitCode.memory, message: message)
      linux_last_words_set(JSONText.error(failure, ["kind": "outOfMemory"]) + "\n", "")
    }
  }
}
