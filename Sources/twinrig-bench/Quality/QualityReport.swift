/// The figures of one model against one truth.
struct QualityReport {
  var diagonal: Double
  var triangles: Int
  var vertices: Int
  /// The model's size by the truth's, where it was measured.
  var scale: Double?
  /// The share of the truth that is seen by `leastViews` cameras, where there were cameras.
  var seenShare: Double?
  var leastViews = 3
  private var accuracy = DistanceSummary([], fine: 0, coarse: 0)
  private var completeness = DistanceSummary([], fine: 0, coarse: 0)

  init(truth: Surface, model: Surface) {
    diagonal = truth.diagonal
    triangles = model.mesh.triangles.count
    vertices = model.mesh.positions.count
  }

  mutating func measure(accuracy toTruth: [Float], completeness toModel: [Float]) {
    accuracy = DistanceSummary(toTruth, fine: 0.002 * diagonal, coarse: 0.01 * diagonal)
    completeness = DistanceSummary(toModel, fine: 0.002 * diagonal, coarse: 0.01 * diagonal)
  }

  /// The harmonic mean of the shares within 0.2 % of the diagonal (A. Knapitsch et al., "Tanks and temples", 2017).
  var fScore: Double {
    let sum = accuracy.within.fine + completeness.within.fine
    return sum > 0 ? 2 * accuracy.within.fine * completeness.within.fine / sum : 0
  }

  var text: String {
    var lines = [
      "model         \(vertices) vertices, \(triangles) triangles; the truth's diagonal is \(fixed(diagonal, 2))"
    ]
    if let scale {
      lines.append("scale         \(fixed(scale, 5)) (\(scale < 1 ? "−" : "+")\(fixed(abs(scale - 1) * 100, 3)) %)")
    }
    if let seenShare {
      lines.append("seen          \(fixed(seenShare, 4)) of the truth by \(leastViews) or more cameras")
    }
    lines.append("accuracy      \(line(accuracy))")
    lines.append("completeness  \(line(completeness))")
    lines.append(
      "at 0.2 %      precision \(fixed(accuracy.within.fine, 4)), recall \(fixed(completeness.within.fine, 4)), F \(fixed(fScore, 4))"
    )
    lines.append(
      "within 1 %    of the model \(fixed(accuracy.within.coarse, 4)), of the truth \(fixed(completeness.within.coarse, 4))"
    )
    return lines.joined(separator: "\n") + "\n"
  }

  private func line(_ s: DistanceSummary) -> String {
    [("mean", s.mean), ("median", s.median), ("90 %", s.ninety), ("RMS", s.rms)].map { name, value in
      "\(name) \(fixed(value, 4)) (\(fixed(100 * value / diagonal, 4)) %)"
    }.joined(separator: ", ")
  }

  /// Numbers in the unit of the meshes; shares 0…1.
  var json: String {
    var entries: [(String, Double)] = [
      ("vertices", Double(vertices)), ("triangles", Double(triangles)), ("diagonal", diagonal)
    ]
    for (name, s) in [("accuracy", accuracy), ("completeness", completeness)] {
      entries += [
        (name + "Mean", s.mean), (name + "Median", s.median), (name + "90", s.ninety), (name + "RMS", s.rms),
        (name + "Within1", s.within.coarse)
      ]
    }
    entries += [("precision", accuracy.within.fine), ("recall", completeness.within.fine), ("f", fScore)]
    if let scale { entries.append(("scale", scale)) }
    if let seenShare { entries.append(("seen", seenShare)) }
    return "{" + entries.map { "\"\($0.0)\": \($0.1)" }.joined(separator: ", ") + "}\n"
  }
}

/// A number with so many decimals.
func fixed(_ value: Double, _ decimals: Int) -> String {
  guard value.isFinite, value.magnitude < 1e12 else { return value.description }
  var unit = 1
  for _ in 0..<decimals { unit *= 10 }
  let scaled = Int((value.magnitude * Double(unit)).rounded())
  let fraction = String(scaled % unit)
  let sign = value < 0 && scaled > 0 ? "-" : ""
  if decimals == 0 { return sign + String(scaled) }
  return sign + "\(scaled / unit)." + String(repeating: "0", count: decimals - fraction.count) + fraction
}
