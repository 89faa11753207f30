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
  /// How it ended; nil while it runs or after a crash.
  public var ended: (state: String, reason: String)?

  /// An empty session.
  public init(manifest: SessionManifest) { self.manifest = manifest }

  /// Takes one journal entry into account.
  public mutating func replay(_ entry: JournalEntry) {
    switch entry {
    case .plate(let plate): plates.append(plate)
    case .box(let box): boxes[box.pass] = box
    case .pass(let pass): passes.append(pass)
    case .shot(let shot): shots.append(shot)
    case .passCompleted(let index): completedPasses.insert(index)
    case .ended(let state, let reason): ended = (state, reason)
    }
  }
}
