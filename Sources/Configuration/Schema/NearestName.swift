/// The name a person most likely meant, or nil when none is near. Case and the choice of `-` or `_` count little.
func nearest(to name: String, among candidates: [String]) -> String? {
  let wanted = folded(name)
  guard !wanted.isEmpty, wanted.count <= 80 else { return nil }
  var best: (name: String, distance: Int)?
  for candidate in candidates {
    let distance = editDistance(wanted, folded(candidate))
    if distance < best?.distance ?? .max { best = (candidate, distance) }
  }
  guard let best else { return nil }
  // a third of the letters may differ; or one is the beginning of the other (a unit left off)
  let near = best.distance <= max(1, wanted.count / 3)
  if near { return best.name }
  return candidates.first { folded($0).starts(with: wanted) || wanted.starts(with: folded($0)) }
}

/// The name that another one, which is not among the candidates, must be a slip of; nil where it may well be meant.
func misspelt(_ name: String, of candidates: [String]) -> String? {
  // a number makes a name of one's own: stop2
  if name.contains(where: \.isNumber) { return nil }
  let wanted = folded(name)
  guard wanted.count <= 80 else { return nil }
  let near = candidates.map { ($0, editDistance(wanted, folded($0))) }.min { $0.1 < $1.1 }
  return near.flatMap { $0.1 <= max(1, wanted.count / 4) ? $0.0 : nil }
}

private func folded(_ name: String) -> [Character] {
  name.lowercased().map { $0 == "-" ? "_" : $0 }
}

/// Damerau's edit distance in its restricted form (optimal string alignment): insertions, deletions, substitutions and
/// swaps of neighbours.
private func editDistance(_ a: [Character], _ b: [Character]) -> Int {
  if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
  var rows = [[Int]](repeating: [Int](repeating: 0, count: b.count + 1), count: a.count + 1)
  for i in 0...a.count { rows[i][0] = i }
  for j in 0...b.count { rows[0][j] = j }
  for i in 1...a.count {
    for j in 1...b.count {
      let substitution = rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)
      rows[i][j] = min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, substitution)
      if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
        rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
      }
    }
  }
  return rows[a.count][b.count]
}
