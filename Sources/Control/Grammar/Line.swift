/// One line from the agent, taken apart.
public enum Line: Sendable, Hashable {
  /// The greeting or the good end of an answer; `words` only in the greeting.
  case ok(id: String?, words: [String], Fields)
  /// The bad end of an answer.
  case error(id: String?, token: String, message: String, Fields)
  /// Data of the answer whose end is to come.
  case data(Fields)
  /// Something happened.
  case event(EventClass, Fields)

  /// Reads one line without its end.
  public init(_ line: ArraySlice<UInt8>) throws(GrammarError) {
    var rest = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    let id: String?
    do throws(RequestError) {
      id = try RequestID.take(from: &rest)
    } catch {
      throw GrammarError(message: error.refusal.message)
    }
    var scanner = LineScanner(rest)
    guard case .word(let first)? = try scanner.next() else { throw GrammarError(message: "a line without a head") }
    switch (first, id) {
    case ("OK", _):
      let (words, _, fields) = try Line.rest(&scanner)
      self = .ok(id: id, words: words, fields)
    case ("ERR", _):
      let (words, texts, fields) = try Line.rest(&scanner)
      guard words.count == 1, texts.count == 1 else { throw GrammarError(message: "ERR has one token and one text") }
      self = .error(id: id, token: words[0], message: texts[0], fields)
    case ("-", nil): self = .data(try Line.rest(&scanner).fields)
    case ("!", nil):
      let (words, _, fields) = try Line.rest(&scanner)
      guard words.count == 1 else { throw GrammarError(message: "an event has one class") }
      self = .event(EventClass(rawValue: words[0]), fields)
    default: throw GrammarError(message: "a line starts with OK, ERR, - or !, not with \(first)")
    }
  }

  private static func rest(
    _ scanner: inout LineScanner
  ) throws(GrammarError) -> (words: [String], texts: [String], fields: Fields) {
    var words: [String] = []
    var texts: [String] = []
    var fields = Fields()
    while let token = try scanner.next() {
      switch token {
      case .word(let word): words.append(word)
      case .quoted(let text): texts.append(text)
      case .pair(let key, let value): fields.append(key, value)
      }
    }
    return (words, texts, fields)
  }
}
