/// What a session folder holds, replayed from its journal.
public struct SessionContents: Sendable {
  /// The head.
  public var manifest: SessionManifest
  /// Plates of the empty table.
  public var plates: [PlateRecord] = []
  /// The last box of each pass.
  public var boxes: [Int: BoxRecord] = [:]
  /// Passes in order.
  public var passes: [PassRecord] = []
  /// Shots in order.
  public var shots: [ShotRecord] = []
  /// Passes that have all their viewpoints.
  public var completedPasses: Set<Int> = []
  /// The highest number a shot has had, a lost one included.
  public private(set) var lastSequence = 0
  /// How it ended; nil while it runs or after a crash.
  public var ended: (state: String, reason: String)?

  /// An empty session.
  public init(manifest: SessionManifest) { self.manifest = manifest }

  /// Whether a scan may go on where this one stopped: it crashed, or a fault ended it.
  public var isResumable: Bool { ended.map { $0.state == "failed" } ?? true }

  /// Takes one journal entry into account.
  public mutating func replay(_ entry: JournalEntry) {
    switch entry {
    case .plate(let plate): plates.append(plate)
    case .box(let box): boxes[box.pass] = box
    case .pass(let pass): passes.append(pass)
    case .shot(let shot):
      shots.append(shot)
      lastSequence = max(lastSequence, shot.sequence)
    case .passCompleted(let index): completedPasses.insert(index)
    case .lost(let lost): forget(lost)
    case .ended(let state, let reason): ended = (state, reason)
    case .resumed: ended = nil
    }
  }

  private mutating func forget(_ lost: LostRecord) {
    let numbers = Set(lost.shots)
    for shot in shots where shot.viewpoint != nil && numbers.contains(shot.sequence) {
      completedPasses.remove(shot.pass)
    }
    shots.removeAll { numbers.contains($0.sequence) }
    plates.removeAll { lost.plates.contains($0.left) }
  }

  /// What is wrong with an entry at this place, or nil. A journal from elsewhere may hold anything.
  func objection(to entry: JournalEntry) -> String? {
    switch entry {
    case .plate(let plate):
      return Self.objection(to: plate.axes, of: "plate") ?? Self.objection(toPath: plate.left)
        ?? Self.objection(toPath: plate.right)
    case .box(let box):
      let values = [box.min.x, box.min.y, box.min.z, box.max.x, box.max.y, box.max.z]
      if !values.allSatisfy({ $0.magnitude < 1e6 }) { return "the box is not finite" }
      return box.min.x < box.max.x && box.min.y < box.max.y && box.min.z < box.max.z ? nil : "the box is empty"
    case .pass(let pass):
      return pass.index == passes.count + 1 ? nil : "pass \(pass.index) follows pass \(passes.count)"
    case .shot(let shot):
      if shot.sequence <= lastSequence { return "shot \(shot.sequence) is out of order" }
      if shot.pass < 1 || shot.pass > passes.count { return "shot \(shot.sequence) names unknown pass \(shot.pass)" }
      return Self.objection(to: shot.axes, of: "shot") ?? Self.objection(toPath: shot.left.file)
        ?? Self.objection(toPath: shot.right.file)
    case .passCompleted(let index):
      return index >= 1 && index <= passes.count ? nil : "unknown pass \(index) completed"
    case .ended(let state, _):
      return Self.endings.contains(state) ? nil : "\"state\" is \(state), not \(Self.endings.joined(separator: ", "))"
    case .lost, .resumed: return nil
    }
  }

  /// How a scan may have ended.
  private static let endings = ["completed", "cancelled", "failed"]

  /// Axes must stand where axes can.
  private static func objection(to axes: AxisAngles, of entry: String) -> String? {
    do throws(Implausible) {
      try axes.checkPlausible(entry + ".axes")
      return nil
    } catch {
      return "\(error.key) \(error.reason)"
    }
  }

  /// A file must lie inside the session folder.
  private static func objection(toPath path: String) -> String? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let inside = !parts.isEmpty && parts.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." && !$0.contains("\0") }
    return inside ? nil : "the file name \"\(path)\" does not lie inside the session"
  }
}
