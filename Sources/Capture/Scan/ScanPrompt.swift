/// What a person may answer to a prompt.
public enum ScanChoice: String, Sendable, Hashable, CaseIterable {
  /// The object is off the table.
  case cleared
  /// The object stands on the table.
  case placed
  /// The object has been turned over: shoot another pass.
  case flipped
  /// The head has another height: shoot another pass.
  case height
  /// Enough: end the scan with what there is.
  case finish
  /// Do without (of the empty-table pictures).
  case skip
}

/// A question that the rig asks a person.
public struct ScanPrompt: Sendable, Hashable {
  /// What it is about.
  public enum Kind: String, Sendable, Hashable {
    /// Take the object off: the empty table is photographed.
    case clear
    /// Put the object on.
    case place
    /// Turn the object over for the next pass.
    case flip
    /// Set the head to another height for the next pass.
    case height
  }
  /// Numbers prompts, 1, 2, 3, … over the agent's life.
  public var id: Int
  /// What it is about.
  public var kind: Kind
  /// What the rig thinks is best: the choice that the answer button gives.
  public var advice: ScanChoice
  /// Why, for a person.
  public var reason: String
  /// What may be answered.
  public var options: [ScanChoice]
  /// When it answers itself, from now.
  public var timeout: Duration
}
