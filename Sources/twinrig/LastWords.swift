import CLinux
import Reconstruction

/// What the program says when memory is refused to it in a place where that cannot be caught: Swift's own memory.
struct LastWords {
  private let isJSON: Bool

  /// Stands ready from now on.
  init(isJSON: Bool) {
    self.isJSON = isJSON
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
    // nothing in it that JSON would have to escape
    let line = "{\"event\":\"error\",\"kind\":\"outOfMemory\",\"message\":\"\(message)\"}\n"
    linux_last_words_set(isJSON ? line : "", isJSON ? "" : "\n\(message)\n")
  }
}
