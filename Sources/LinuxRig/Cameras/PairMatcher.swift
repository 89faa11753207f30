/// Which of the two cameras.
package enum Side: Int, Sendable, Hashable, CaseIterable {
  /// The left camera.
  case left
  /// The right camera.
  case right

  /// The twin.
  var other: Side { self == .left ? .right : .left }
}

/// Pairs frames of two free-running cameras by the time at which they were exposed, never by their number: cameras drop
/// frames, start at different moments and change their order. A value without a clock; times are nanoseconds on one clock.
package struct PairMatcher<Frame> {
  /// What became of a frame.
  package enum Outcome {
    /// Two of the same moment.
    case pair(left: Frame, right: Frame)
    /// One whose twin never came.
    case orphan(Side, Frame)
  }

  private struct Waiting {
    let time: Int64
    let frame: Frame
  }

  /// The largest distance of a pair's times: a quarter of a frame. Two frames of one camera are further apart than twice
  /// that, so no frame that is yet to come can be nearer than one within it.
  package let tolerance: Int64
  /// How many frames of one camera may wait for twins: their buffers are not filled meanwhile.
  private let capacity: Int
  private var waiting: [[Waiting]] = [[], []]
  private var latest: [Int64?] = [nil, nil]

  /// A matcher for cameras of so many frames a second.
  package init(framesPerSecond: Double, capacity: Int = 2) {
    tolerance = Int64(0.25e9 / max(framesPerSecond, 0.001))
    self.capacity = max(1, capacity)
  }

  /// Takes a frame; says what became of it and of those that waited. Frames of one camera come in the order of their times;
  /// where they do not, its clock has jumped, and nothing from before it is paired any more.
  package mutating func add(_ frame: Frame, of side: Side, at time: Int64) -> [Outcome] {
    var outcomes: [Outcome] = []
    if let last = latest[side.rawValue], time <= last {
      if time == last { return [.orphan(side, frame)] }
      outcomes = clear()
    }
    latest[side.rawValue] = time
    outcomes += passOver(side.other, before: time - tolerance)
    if let twin = nearest(of: side.other, to: time) {
      // pairs do not cross: those from before this one will find nothing any more
      outcomes += passOver(side, before: time)
      outcomes += passOver(side.other, before: twin.time)
      waiting[side.other.rawValue].removeFirst()
      outcomes.append(side == .left ? .pair(left: frame, right: twin.frame) : .pair(left: twin.frame, right: frame))
      return outcomes
    }
    if let ahead = latest[side.other.rawValue], ahead > time + tolerance {
      // the twin is past this moment already
      outcomes.append(.orphan(side, frame))
      return outcomes
    }
    waiting[side.rawValue].append(Waiting(time: time, frame: frame))
    while waiting[side.rawValue].count > capacity {
      outcomes.append(.orphan(side, waiting[side.rawValue].removeFirst().frame))
    }
    return outcomes
  }

  /// Gives up all that wait.
  package mutating func clear() -> [Outcome] {
    var outcomes: [Outcome] = []
    for side in Side.allCases { outcomes += passOver(side, before: .max) }
    return outcomes
  }

  /// Those of a camera that are older than a moment have no twin.
  private mutating func passOver(_ side: Side, before time: Int64) -> [Outcome] {
    let old = waiting[side.rawValue].prefix { $0.time < time }
    waiting[side.rawValue].removeFirst(old.count)
    return old.map { .orphan(side, $0.frame) }
  }

  private func nearest(of side: Side, to time: Int64) -> Waiting? {
    let near = waiting[side.rawValue].min { ($0.time - time).magnitude < ($1.time - time).magnitude }
    guard let near, (near.time - time).magnitude <= UInt64(tolerance) else { return nil }
    return near
  }
}
