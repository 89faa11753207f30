/// One line of the journal. The journal is the truth about what a session holds; a file no line names does not count.
///
/// A line is a JSON object with one key, the kind of entry: `{"shot":{…}}`, `{"passCompleted":2}`.
public enum JournalEntry: Sendable, Hashable {
  /// A plate is durable.
  case plate(PlateRecord)
  /// The box of a pass was found or set.
  case box(BoxRecord)
  /// A pass began.
  case pass(PassRecord)
  /// A shot is durable.
  case shot(ShotRecord)
  /// A pass has all its viewpoints.
  case passCompleted(Int)
  /// Pictures that earlier lines name are gone from the folder: they count no more.
  case lost(LostRecord)
  /// The scan ended: `completed`, `cancelled` or `failed`, with the reason.
  case ended(String, reason: String)
  /// The scan was taken up again after a crash or a failure.
  case resumed(String)
}

extension JournalEntry: Codable {
  private enum Kind: String, CodingKey { case plate, box, pass, shot, passCompleted, lost, ended, resumed }
  private struct Ending: Codable {
    var state: String
    var reason: String
  }

  /// Reads one line; throws where it names no kind, or one this version does not know.
  public init(from decoder: any Decoder) throws {
    let line = try decoder.container(keyedBy: Kind.self)
    guard let kind = line.allKeys.first, line.allKeys.count == 1 else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "an entry names exactly one known kind"))
    }
    switch kind {
    case .plate: self = .plate(try line.decode(PlateRecord.self, forKey: kind))
    case .box: self = .box(try line.decode(BoxRecord.self, forKey: kind))
    case .pass: self = .pass(try line.decode(PassRecord.self, forKey: kind))
    case .shot: self = .shot(try line.decode(ShotRecord.self, forKey: kind))
    case .passCompleted: self = .passCompleted(try line.decode(Int.self, forKey: kind))
    case .lost: self = .lost(try line.decode(LostRecord.self, forKey: kind))
    case .ended:
      let ending = try line.decode(Ending.self, forKey: kind)
      self = .ended(ending.state, reason: ending.reason)
    case .resumed: self = .resumed(try line.decode(String.self, forKey: kind))
    }
  }

  /// Writes one line.
  public func encode(to encoder: any Encoder) throws {
    var line = encoder.container(keyedBy: Kind.self)
    switch self {
    case .plate(let plate): try line.encode(plate, forKey: .plate)
    case .box(let box): try line.encode(box, forKey: .box)
    case .pass(let pass): try line.encode(pass, forKey: .pass)
    case .shot(let shot): try line.encode(shot, forKey: .shot)
    case .passCompleted(let index): try line.encode(index, forKey: .passCompleted)
    case .lost(let lost): try line.encode(lost, forKey: .lost)
    case .ended(let state, let reason): try line.encode(Ending(state: state, reason: reason), forKey: .ended)
    case .resumed(let reason): try line.encode(reason, forKey: .resumed)
    }
  }
}
