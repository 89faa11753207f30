/// Finds the name somebody may have meant. Case and the choice of `-` or `_` count for nothing.
public enum Spelling {
  /// Longer than any name: what is longer is no slip.
  private static let longest = 80

  /// The name that is nearest to `text`, or nil when none is near: at most a third of the letters differ, or one is the
  /// beginning of the other (a unit left off, a word cut short).
  public static func nearest(to text: String, among names: [String]) -> String? {
    if let near = nearest(to: text, among: names, share: 3) { return near }
    let wanted = folded(text)
    guard wanted.count >= 3 else { return nil }
    return names.first { folded($0).starts(with: wanted) || wanted.starts(with: folded($0)) }
  }

  /// The name that `text`, which is not among the names but might be meant as it is, must be a slip of.
  public static func misspelt(_ text: String, of names: [String]) -> String? {
    // a number makes a name of one's own: stop2
    text.contains(where: \.isNumber) ? nil : nearest(to: text, among: names, share: 4)
  }

  /// The nearest of the names if at most one letter in `share`, but always one, differs.
  private static func nearest(to text: String, among names: [String], share: Int) -> String? {
    let wanted = folded(text)
    guard !wanted.isEmpty, wanted.count <= longest else { return nil }
    let best = names.map { (name: $0, distance: distance(wanted, folded($0))) }
      .min { ($0.distance, $0.name) < ($1.distance, $1.name) }
    guard let best, best.distance <= max(1, wanted.count / share) else { return nil }
    return best.name
  }

  private static func folded(_ name: String) -> [Character] { name.lowercased().map { $0 == "-" ? "_" : $0 } }

  /// The optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours.
  private static func distance(_ a: [Character], _ b: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var cost = min(row[j] + 1, last[j + 1] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, beforeLast[j - 1] + 1) }
        row.append(cost)
      }
      beforeLast = last
      last = row
    }
    return last[b.count]
  }
}
