/// Why a request was refused: the token for scripts, the text for people.
public struct Refusal: Error, Sendable, Hashable {
  /// The closed list of tokens.
  public enum Token: String, Sendable, Hashable, CaseIterable {
    /// No such verb.
    case badCommand = "BADCMD"
    /// A word, key or value is wrong.
    case badArgument = "BADARG"
    /// Not in this state.
    case badState = "BADSTATE"
    /// Somebody else is at it.
    case busy = "BUSY"
    /// No such thing.
    case notFound = "NOTFOUND"
    /// This client may not.
    case denied = "DENIED"
    /// The rig has no such device, or it is gone.
    case noDevice = "NODEV"
    /// A device failed.
    case hardware = "HARDWARE"
    /// A file could not be read or written.
    case io = "IO"
    /// The disk is full or would be.
    case noSpace = "NOSPACE"
    /// The battery is too low for that.
    case lowBattery = "LOWBATT"
    /// It took too long.
    case timedOut = "TIMEOUT"
    /// Given up on request.
    case cancelled = "CANCELLED"
    /// A limit of the agent is reached.
    case limit = "LIMIT"
    /// The line was too long.
    case tooLong = "TOOLONG"
    /// A fault of our own.
    case `internal` = "INTERNAL"
  }

  /// For scripts.
  public let token: Token
  /// For people: what happened and what to do.
  public let message: String
  /// Whatever else helps.
  public let fields: Fields

  /// A refusal from its parts.
  public init(_ token: Token, _ message: String, _ fields: Fields = [:]) {
    self.token = token
    self.message = message
    self.fields = fields
  }
}

extension Refusal: CustomStringConvertible {
  /// One line for a person.
  public var description: String { message }
}

/// The answer to one request: data lines, then one end line.
public struct Reply: Sendable, Hashable {
  /// One `- ` line each.
  public var data: [Fields]
  /// The end line.
  public var end: Result<Fields, Refusal>

  /// An answer that ends well.
  public init(data: [Fields] = [], ok fields: Fields = [:]) {
    self.data = data
    end = .success(fields)
  }

  /// An answer that refuses.
  public init(_ refusal: Refusal) {
    data = []
    end = .failure(refusal)
  }

  /// The bytes on the wire.
  func lines(id: String?) -> String {
    var text = ""
    for fields in data { text += "- \(fields)\n" }
    if let id { text += "@\(id) " }
    switch end {
    case .success(let fields): text += fields.all.isEmpty ? "OK" : "OK \(fields)"
    case .failure(let refusal):
      text += "ERR \(refusal.token.rawValue) \(quoted(refusal.message))"
      if !refusal.fields.all.isEmpty { text += " \(refusal.fields)" }
    }
    return text + "\n"
  }
}
