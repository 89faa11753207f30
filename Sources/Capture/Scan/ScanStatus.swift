import Session

/// All there is to say about the scan at one moment.
public struct ScanStatus: Sendable {
  /// Where it is.
  public var state: ScanState
  /// Why it is there, for a person; empty for the usual course.
  public var reason: String
  /// The session that runs or has just ended.
  public var session: String?
  /// The session's folder.
  public var folder: String?
  /// The pass, 0 outside a scan.
  public var pass: Int
  /// Passes planned.
  public var passes: Int
  /// Shots kept in the session.
  public var shots: Int
  /// The last progress.
  public var progress: ScanProgress?
  /// The open question.
  public var prompt: ScanPrompt?
  /// What hinders a good scan.
  public var feedback: [ScanFeedback]
  /// The box of this pass.
  public var box: BoxRecord?
  /// The controls the cameras were locked to, as read back.
  public var locked: CameraReadback?
  /// The last session, where it was cut off and can be taken up; nil while a scan runs.
  public var resumable: String?
  /// Why no new scan may start (low battery), or nil.
  public var hold: String?
}
