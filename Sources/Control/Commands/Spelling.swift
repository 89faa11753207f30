/// Finds the name somebody may have meant.
public enum Spelling {
  /// The name that is nearest to `text`, if one is near: at most a third of its letters differ, and never more than two.
  public static func nearest(to text: String, among names: [String]) -> String? {
    let text = Array(text.utf8.prefix(64))
    let best = names.map { (name: $0, distance: distance(text, Array($0.utf8))) }
      .min { ($0.distance, $0.name) < ($1.distance, $1.name) }
    guard let best, best.distance <= min(2, max(1, best.name.utf8.count / 3)) else { return nil }
    return best.name
  }

  /// The optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours.
  static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
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
