import Session

/// Pictures of a session that were durable and are gone from its folder.
package struct ScanLoss: Sendable, Hashable {
  /// How many shots they belong to.
  package var shots: Int
  /// The viewpoints of the pass under way that have no pair any more: they are shot again.
  package var viewpoints: Set<Int>
  /// Whether pictures of the empty table are among them.
  package var hasPlates: Bool
  /// What a person should know.
  package var text: String

  package init(shots: Int, viewpoints: Set<Int>, hasPlates: Bool = false, text: String) {
    self.shots = shots
    self.viewpoints = viewpoints
    self.hasPlates = hasPlates
    self.text = text
  }

  /// What a record means for a session as it was before, of which `pass` is under way (nil: none goes on).
  init(_ lost: LostRecord, of contents: SessionContents, folder: String, pass: Int?) {
    let numbers = Set(lost.shots)
    let again = contents.shots.filter { $0.pass == pass && numbers.contains($0.sequence) }.compactMap(\.viewpoint)
    self.init(shots: lost.shots.count, viewpoints: Set(again), hasPlates: !lost.plates.isEmpty, text: "")
    var parts: [String] = []
    if !lost.shots.isEmpty {
      let passes = contents.passes(of: lost).map { "\($0.shots) of pass \($0.pass)" }.joined(separator: ", ")
      parts.append("the pictures of \(lost.shots.count) shots are gone from \(folder) (\(passes)) and count no more")
    }
    if hasPlates { parts.append("\(lost.plates.count) pairs of the empty table are gone from \(folder)") }
    if !again.isEmpty { parts.append("\(again.count) are taken again") }
    if pass != nil, again.count < lost.shots.count {
      parts.append("\(lost.shots.count - again.count) cannot be: the object lay otherwise, or they were taken by hand")
    }
    text = parts.joined(separator: "; ")
  }
}
