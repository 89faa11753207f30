/// What is said about single pictures. When a pass cannot be joined, forty pictures are left out for one reason: that is one
/// line for a person.
struct PictureNotes {
  /// So many pictures that share verdict and reason are named one by one.
  private static let mostNamed = 3

  private var verdict = ""
  private var reason = ""
  private var names: [String] = []

  /// Notes a picture. Returns the lines that are complete with it: those of earlier ones with another reason.
  mutating func add(_ name: String, verdict: String, reason: String) -> [String] {
    let lines = verdict == self.verdict && reason == self.reason ? [] : flush()
    (self.verdict, self.reason) = (verdict, reason)
    names.append(name)
    return lines
  }

  /// The lines of what is noted and not said yet.
  mutating func flush() -> [String] {
    defer { names = [] }
    let end = reason.isEmpty ? "" : ": \(reason)"
    guard let first = names.first, let last = names.last, names.count > Self.mostNamed else {
      return names.map { "\(verdict): \($0)\(end)" }
    }
    return ["\(verdict): \(names.count) pictures from \(first) to \(last)\(end)"]
  }
}
