import Session

/// Where a scan is. `cancelled`, `completed` and `failed` stay until the next start.
public enum ScanState: String, Sendable, Hashable, CaseIterable {
  /// The agent looks whether cameras and axes answer.
  case initializing
  /// Waits for a start.
  case ready
  /// Homes, locks exposure, photographs the empty table where need be, finds the object.
  case detecting
  /// Takes pictures, or waits for a person between passes (`ScanStatus.prompt`).
  case capturing
  /// Stopped between two shots; `ScanStatus.reason` says why.
  case paused
  /// All pictures taken; parks.
  case finishing
  /// Was told to give up; parks.
  case cancelling
  /// Ended well.
  case completed
  /// A fault ended it; the session may be resumed.
  case failed
  /// Was given up.
  case cancelled

  /// Whether nothing runs, so that a scan may be started.
  public var isIdle: Bool { self == .ready || hasEnded }
  /// Whether the last scan has ended.
  public var hasEnded: Bool { self == .completed || self == .failed || self == .cancelled }
}

/// How a session ended.
public enum ScanOutcome: Sendable, Hashable {
  /// All passes, or as many as the person wanted.
  case completed
  /// Given up by the person.
  case cancelled
  /// A fault, for a person to read.
  case failed(String)
  /// Left resumable because the agent stops; for a person to read.
  case suspended(String)
}

extension ScanOutcome {
  /// The journal's last line.
  var entry: JournalEntry {
    switch self {
    case .completed: .ended("completed", reason: "")
    case .cancelled: .ended("cancelled", reason: "")
    case .failed(let why), .suspended(let why): .ended("failed", reason: why)
    }
  }
}

/// What hinders a good scan right now: the feedback of a guided capture, plus what only a rig has.
public enum ScanFeedback: String, Sendable, Hashable, CaseIterable, Comparable {
  /// Darker than it should be; pictures are noisy.
  case environmentLowLight
  /// Too dark to take pictures; the scan pauses.
  case environmentTooDark
  /// The table or the head has not come to rest.
  case movingTooFast
  /// The object is nearer than the cameras see sharp and whole.
  case objectTooClose
  /// The object is small in the picture.
  case objectTooFar
  /// The object is cut by the picture's edge; the scan pauses.
  case outOfFieldOfView
  /// The object has too little to hold on to for registering a turned-over pass.
  case objectNotFlippable
  /// More pictures of this direction than needed.
  case overCapturing
  /// Nothing stands on the table.
  case objectNotDetected
  /// The light beats with the mains.
  case flicker
  /// Parts of the object are burnt out.
  case clippedHighlights
  /// The pictures do not change though the table should have turned.
  case tableNotTurning

  /// Whether automatic capture stops for it.
  public var stopsCapture: Bool {
    self == .environmentTooDark || self == .outOfFieldOfView || self == .tableNotTurning
  }
  /// Orders by name, so that lists look the same every time.
  public static func < (a: ScanFeedback, b: ScanFeedback) -> Bool { a.rawValue < b.rawValue }
}
