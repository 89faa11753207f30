/// One request of a client, taken apart.
public struct Request: Sendable, Hashable {
  /// The longest line, without its end.
  public static let longestLine = 1024
  /// The longest id.
  public static let longestID = 32

  /// What the client calls this request, without the `@`.
  public var id: String?
  /// What it wants.
  public var verb: String
  /// The words after the verb.
  public var words: [String]
  /// The pairs after the words. A key occurs once.
  public var fields: Fields

  /// A request from its parts.
  public init(id: String? = nil, verb: String, words: [String] = [], fields: Fields = [:]) {
    self.id = id
    self.verb = verb
    self.words = words
    self.fields = fields
  }

  /// Reads one line without its end. Nil for a blank line and for a comment. Never traps, whatever the bytes.
  public init?(line: ArraySlice<UInt8>) throws(RequestError) {
    if line.first == UInt8(ascii: "#") || line.allSatisfy({ $0 == UInt8(ascii: " ") }) { return nil }
    var rest = line
    let id = try RequestID.take(from: &rest)
    guard line.count <= Request.longestLine else {
      throw RequestError(id: id, .tooLong, "the line is longer than \(Request.longestLine) bytes", [:])
    }
    do throws(GrammarError) {
      try self.init(id: id, scanning: rest)
    } catch {
      throw RequestError(id: id, .badArgument, error.message, [:])
    }
    guard Request.isVerb(verb) else {
      throw RequestError(id: id, .badCommand, "a request starts with a verb; see help", ["verb": .text(verb)])
    }
  }

  private init(id: String?, scanning line: ArraySlice<UInt8>) throws(GrammarError) {
    var scanner = LineScanner(line)
    self.init(id: id, verb: "")
    while let token = try scanner.next() {
      switch token {
      case .word(let word) where verb.isEmpty: verb = word
      case .word(let word):
        guard fields.all.isEmpty else {
          throw GrammarError(message: "the word \(word) comes after key=value; words come first")
        }
        words.append(word)
      case .quoted: throw GrammarError(message: "a quoted text stands only after key=")
      case .pair(let key, let value):
        guard !verb.isEmpty else { throw GrammarError(message: "\(key)= comes before the verb") }
        guard fields[key] == nil else { throw GrammarError(message: "\(key)= is given twice") }
        fields.append(key, value)
      }
    }
  }

  private static func isVerb(_ text: String) -> Bool {
    guard let first = text.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) else { return false }
    return text.utf8.allSatisfy {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        || $0 == UInt8(ascii: "-")
    }
  }
}

extension Request: CustomStringConvertible {
  /// The request as it stands on the wire, without the line feed.
  public var description: String {
    let head = id.map { ["@\($0)"] } ?? []
    return (head + [verb] + words + fields.all.map { "\($0.key)=\($0.value)" }).joined(separator: " ")
  }
}

/// Why a line is no request.
public struct RequestError: Error, Sendable, Hashable {
  /// The id the answer must carry, where one could be read.
  public let id: String?
  /// What the client is told.
  public let refusal: Refusal

  init(id: String?, _ token: Refusal.Token, _ message: String, _ fields: Fields) {
    self.id = id
    refusal = Refusal(token, message, fields)
  }
}

/// Reads `@id SP` at the head of a line.
enum RequestID {
  /// Takes the id and the blanks after it off the line.
  static func take(from line: inout ArraySlice<UInt8>) throws(RequestError) -> String? {
    guard line.first == UInt8(ascii: "@") else { return nil }
    let id = line.dropFirst().prefix { $0 != UInt8(ascii: " ") }
    guard (1...Request.longestID).contains(id.count), id.allSatisfy(isAllowed) else {
      throw RequestError(
        id: nil, .badArgument, "an id is 1 to \(Request.longestID) letters, digits or . _ - : after @", [:])
    }
    line = line[id.endIndex...]
    return String(decoding: id, as: UTF8.self)
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"),
      UInt8(ascii: ":"):
      true
    default: false
    }
  }
}
