/// Finds the name somebody may have meant. Case, the choice of `-`, `_` or a blank, and dashes in front count for nothing.
public enum Spelling {
  /// Longer than any name: what is longer is no slip.
  private static let longest = 80
  /// Shorter than any word that says by itself what was meant.
  private static let shortest = 3

  /// The name that is nearest to `text`, or nil when none is near: at most a third of the letters differ, or one is the
  /// beginning of the other (a unit left off, a word cut short), or whole words stand in front of one of them.
  public static func nearest(to text: String, among names: [String]) -> String? {
    let wanted = folded(text)
    guard !wanted.isEmpty, wanted.count <= longest else { return nil }
    return nearest(to: wanted, among: names, share: 3) ?? begun(by: wanted, among: names)
      ?? ended(by: wanted, among: names)
  }

  /// The name that `text`, which is not among the names but might be meant as it is, must be a slip of.
  public static func misspelt(_ text: String, of names: [String]) -> String? {
    // a number makes a name of one's own: stop2
    let wanted = folded(text)
    guard wanted.count <= longest, !text.contains(where: \.isNumber) else { return nil }
    return nearest(to: wanted, among: names, share: 4)
  }

  /// `did you mean "NAME"?`, of the nearest name; nil when none is near.
  public static func question(about text: String, among names: [String]) -> String? {
    nearest(to: text, among: names).map { "did you mean \"\($0)\"?" }
  }

  /// Says that there is no such command, option or whatever it is, and what may have been meant; `help` tells more.
  public static func unknown(_ what: String, _ text: String, among names: [String], see help: String) -> String {
    "unknown \(what) \(text)" + (question(about: text, among: names).map { "; \($0) see " } ?? "; see ") + help
  }

  /// The same for an option. In `--name=value` it is told where the value belongs.
  public static func unknownOption(_ text: String, among names: [String], see help: String) -> String {
    let name = String(text.prefix { $0 != "=" })
    if name != text, names.contains(name) { return "the value of \(name) is the next word, without a =; see \(help)" }
    return unknown("option", name, among: names, see: help)
  }

  /// The options that a usage text names, and `--help`.
  public static func options(in usage: String) -> [String] {
    let words = usage.split { $0.isWhitespace || $0 == "[" || $0 == "]" }.map(String.init)
    return Set(words.filter { $0.hasPrefix("--") } + ["--help"]).sorted()
  }

  /// The nearest of the names if at most one letter in `share`, but always one, differs.
  private static func nearest(to wanted: [Character], among names: [String], share: Int) -> String? {
    let best = names.map { (name: $0, distance: distance(wanted, folded($0))) }
      .min { ($0.distance, $0.name) < ($1.distance, $1.name) }
    // of one or two letters nearly every other one or two differ in one
    let most = wanted.count < shortest ? 0 : max(1, wanted.count / share)
    guard let best, best.distance <= most else { return nil }
    return best.name
  }

  /// The shortest of the names that begins with what is wanted, or the longest that what is wanted begins with.
  private static func begun(by wanted: [Character], among names: [String]) -> String? {
    guard wanted.count >= shortest else { return nil }
    let longer = names.filter { folded($0).starts(with: wanted) }
    if let name = longer.min(by: { $0.count < $1.count }) { return name }
    let shorter = names.filter { name in
      let name = folded(name)
      guard name.count >= shortest, wanted.starts(with: name) else { return false }
      return wanted[name.count] == "_" || 2 * name.count >= wanted.count
    }
    return shorter.max { $0.count < $1.count }
  }

  /// The name that is left when words in front are left off, of the name or of what is wanted.
  private static func ended(by wanted: [Character], among names: [String]) -> String? {
    for ending in endings(of: wanted) {
      if let name = nearest(to: ending, among: names, share: 4) { return name }
    }
    return names.first { endings(of: folded($0)).contains { distance(wanted, $0) <= wanted.count / 4 } }
  }

  /// What is left without the first words, as long as that is most of it: a unit alone says nothing.
  private static func endings(of name: [Character]) -> [[Character]] {
    name.indices.filter { name[$0] == "_" }.map { Array(name[($0 + 1)...]) }.filter { 3 * $0.count >= 2 * name.count }
  }

  private static func folded(_ name: String) -> [Character] {
    name.lowercased().drop { $0 == "-" }.map { $0 == "-" || $0 == " " ? "_" : $0 }
  }

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
