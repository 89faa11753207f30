/// The kinds of events a client may watch. Open: later work adds its own.
public struct EventClass: RawRepresentable, Sendable, Hashable {
  /// The class's name on the wire.
  public let rawValue: String
  /// A class by name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A state machine went from one state to another.
  public static let state = EventClass(rawValue: "state")
  /// How far a job is. Rate-limited, and the first to be dropped.
  public static let progress = EventClass(rawValue: "progress")
  /// Which directions have been seen.
  public static let coverage = EventClass(rawValue: "coverage")
  /// What a person could mend.
  public static let feedback = EventClass(rawValue: "feedback")
  /// A question.
  public static let prompt = EventClass(rawValue: "prompt")
  /// A sample was kept, retaken or skipped.
  public static let sample = EventClass(rawValue: "sample")
  /// A file is ready.
  public static let file = EventClass(rawValue: "file")
  /// A battery's level or state.
  public static let battery = EventClass(rawValue: "battery")
  /// A button went down or up.
  public static let button = EventClass(rawValue: "button")
  /// A device came or went.
  public static let device = EventClass(rawValue: "device")
  /// Events of this client were lost. Always watched.
  public static let overrun = EventClass(rawValue: "overrun")
}

/// Something that happened.
public struct Event: Sendable, Hashable {
  /// Whether the event describes a state that a new watcher must be told.
  public enum Retention: Sendable, Hashable {
    /// It passes.
    case momentary
    /// It holds until another event with the same key.
    case current(key: String)
    /// It ends what held under the key.
    case clears(key: String)
  }

  /// Its class.
  public var kind: EventClass
  /// What happened.
  public var fields: Fields
  /// The job it belongs to; the wire shows it as `job=`, first unless `fields` has it elsewhere.
  public var job: Int?
  /// Whether it is the job's last event: `until=job:N` ends here.
  public var endsJob: Bool
  /// Whether it describes a state.
  public var retention: Retention

  /// An event.
  public init(
    _ kind: EventClass, job: Int? = nil, endsJob: Bool = false, retention: Retention = .momentary, _ fields: Fields
  ) {
    self.kind = kind
    self.fields = fields
    self.job = job
    self.endsJob = endsJob
    self.retention = retention
  }

  /// The line on the wire. `seconds` is time since boot.
  func line(sequence: Int, seconds: Double) -> String {
    var head: Fields = ["seq": .integer(sequence), "t": .shortNumber(seconds, decimals: 3)]
    if let job, fields["job"] == nil { head.append("job", .integer(job)) }
    return "! \(kind.rawValue) \(head + fields)\n"
  }
}
