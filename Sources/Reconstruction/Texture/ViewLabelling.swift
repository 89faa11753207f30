import Imaging

/// Chooses one view for each triangle: a good one, and mostly the one its neighbours have (V. Lempitsky, D. Ivanov,
/// "Seamless mosaicing of image-based texture maps", CVPR 2007), by min-sum loopy belief propagation with Potts costs (P.
/// Felzenszwalb, D. Huttenlocher, "Efficient belief propagation for early vision", IJCV 2006).
struct ViewLabelling {
  /// The cost of a change of view across an edge, against 0…1 for a bad view.
  static let changeCost: Float = 0.35
  /// Candidates kept for a triangle.
  static let candidates = 10

  /// Views that may be chosen, best first, and what each costs.
  private struct Choice {
    var views: [Int32]
    var costs: [Float]
  }

  private let choices: [Choice]
  private let neighbours: [Int32]
  private var messages: [[Float]]  // at 3 * triangle + k: what comes in over edge k

  /// A view for each triangle, -1 where nobody sees it.
  static func run(
    _ observations: FaceObservations, colours: [SIMD3<Float>?], focus: [Float], topology: MeshTopology,
    iterations: Int = 24
  ) -> [Int32] {
    var labelling = ViewLabelling(observations, colours, focus, topology)
    for round in 0..<iterations { labelling.pass(parity: round & 1) }
    return labelling.choose()
  }

  private init(
    _ observations: FaceObservations, _ colours: [SIMD3<Float>?], _ focus: [Float], _ topology: MeshTopology
  ) {
    choices = colours.indices.map { t in
      let scored = observations[t].map { o in (view: o.view, score: o.quality * focus[Int(o.view)], colour: o.colour) }
        .sorted { ($0.score, $1.view) > ($1.score, $0.view) }.prefix(Self.candidates)
      let best = scored.first?.score ?? 1
      let costs = scored.map { item -> Float in
        let off = colours[t].map { ($0 - item.colour).length } ?? 0
        return 1 - (best > 0 ? item.score / best : 1) + 0.01 * off
      }
      return Choice(views: scored.map(\.view), costs: costs)
    }
    neighbours = topology.neighbours
    messages = []
    messages = neighbours.indices.map { [Float](repeating: 0, count: choices[$0 / 3].views.count) }
  }

  /// Updates what half of the triangles tell their neighbours.
  private mutating func pass(parity: Int) {
    for t in choices.indices where t & 1 == parity && !choices[t].views.isEmpty {
      var belief = choices[t].costs
      for k in 0..<3 {
        for (i, m) in messages[3 * t + k].enumerated() { belief[i] += m }
      }
      for k in 0..<3 {
        let other = Int(neighbours[3 * t + k])
        if other >= 0, !choices[other].views.isEmpty { send(from: t, edge: k, to: other, belief) }
      }
    }
  }

  private mutating func send(from t: Int, edge k: Int, to other: Int, _ belief: [Float]) {
    // without what came from there
    let own = zip(belief, messages[3 * t + k]).map { $0 - $1 }
    let least = own.min()! + Self.changeCost
    let back = (0..<3).first { Int(neighbours[3 * other + $0]) == t } ?? 0
    var message = choices[other].views.map { view -> Float in
      guard let i = choices[t].views.firstIndex(of: view) else { return least }
      return min(own[i], least)
    }
    let mean = message.reduce(0, +) / Float(message.count)
    for i in message.indices { message[i] -= mean }
    messages[3 * other + back] = message
  }

  private func choose() -> [Int32] {
    var labels = choices.indices.map { t -> Int32 in
      var belief = choices[t].costs
      for k in 0..<3 {
        for (i, m) in messages[3 * t + k].enumerated() { belief[i] += m }
      }
      guard let best = belief.indices.min(by: { (belief[$0], $0) < (belief[$1], $1) }) else { return -1 }
      return choices[t].views[best]
    }
    // what belief propagation left undecided, a few rounds of iterated conditional modes settle
    for _ in 0..<4 {
      for t in choices.indices where labels[t] >= 0 {
        let costs = choices[t].views.indices.map { i -> Float in
          let view = choices[t].views[i]
          return (0..<3).reduce(choices[t].costs[i]) { sum, k in
            let other = Int(neighbours[3 * t + k])
            return sum + (other >= 0 && labels[other] >= 0 && labels[other] != view ? Self.changeCost : 0)
          }
        }
        labels[t] = choices[t].views[costs.indices.min { (costs[$0], $0) < (costs[$1], $1) }!]
      }
    }
    return labels
  }
}
