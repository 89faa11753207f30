/// What a job does.
public struct JobKind: RawRepresentable, Sendable, Hashable {
  /// The kind's name on the socket.
  public let rawValue: String
  /// A kind by name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A scan.
  public static let scan = JobKind(rawValue: "scan")
  /// A reconstruction in a child process.
  public static let reconstruct = JobKind(rawValue: "reconstruct")
  /// A motion of the axes.
  public static let motion = JobKind(rawValue: "motion")
}

/// Where a job is, in the terms all kinds share.
public enum JobState: String, Sendable, Hashable, CaseIterable {
  /// Waits for its turn.
  case queued
  /// Works.
  case running
  /// Stopped for the time being.
  case paused
  /// Was told to give up, and is still at it.
  case cancelling
  /// Ended well.
  case completed
  /// Ended by a fault.
  case failed
  /// Given up.
  case cancelled

  /// Whether nothing more will come of it.
  public var hasEnded: Bool { self == .completed || self == .failed || self == .cancelled }
}

/// How far a job is.
public struct JobProgress: Sendable, Hashable {
  /// What it is doing.
  public var stage: String
  /// The share of the whole job that is done, 0…1; nil while unknown.
  public var fraction: Double?
  /// Units of the stage done, and all of them, where it counts any.
  public var done: Int?, of: Int?
  /// Seconds left; nil while unknown.
  public var remaining: Double?

  /// Progress from its parts.
  public init(stage: String, fraction: Double? = nil, done: Int? = nil, of: Int? = nil, remaining: Double? = nil) {
    self.stage = stage
    self.fraction = fraction
    self.done = done
    self.of = of
    self.remaining = remaining
  }
}

/// One job as the table knows it.
public struct JobRecord: Sendable, Hashable {
  /// Its number, counted over the agent's restarts.
  public let id: Int
  /// What it does.
  public let kind: JobKind
  /// The session it belongs to.
  public let session: String?
  /// Where it is.
  public internal(set) var state: JobState
  /// Where it is in its own terms, e.g. a scan's `detecting`; else as `state`.
  public internal(set) var phase: String
  /// How far it is.
  public internal(set) var progress: JobProgress?
  /// Why it is where it is, for a person; empty for the usual course.
  public internal(set) var reason = ""
  /// The model that came of it.
  public internal(set) var model: String?
}

/// What happened to a job.
public enum JobEvent: Sendable, Hashable {
  /// It went from one phase to another.
  case state(JobRecord, from: String)
  /// It is further on.
  case progress(JobRecord)
  /// A picture was left out or is in doubt: `skipped`, `invalid`.
  case sample(job: Int, verdict: String, name: String, reason: String)
  /// A file is ready.
  case file(job: Int, kind: String, path: String, model: String?)
  /// Something a person should know.
  case notice(job: Int, text: String)
}

/// Why a command about jobs was not carried out. Nothing has changed.
public struct JobRefusal: Error, Sendable, Hashable, CustomStringConvertible {
  /// The protocol's error tokens jobs use.
  public enum Kind: String, Sendable {
    /// Not in this state.
    case badState = "BADSTATE"
    /// A value makes no sense.
    case badArgument = "BADARG"
    /// No such job, session or model.
    case notFound = "NOTFOUND"
    /// It is at work already.
    case busy = "BUSY"
    /// The battery is low.
    case lowBattery = "LOWBATT"
    /// A device is not there.
    case noDevice = "NODEV"
    /// Files could not be read or written.
    case inputOutput = "IO"
    /// The disk is full.
    case noSpace = "NOSPACE"
  }
  /// Which of them.
  public var kind: Kind
  /// For a person: what, and what to do.
  public var message: String

  /// A refusal.
  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  /// One line for a person.
  public var description: String { message }
}
