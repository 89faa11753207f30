/// What is wrong with a line, for a person.
public struct GrammarError: Error, Sendable, Hashable {
  /// What is wrong and how to write it.
  public let message: String
}

/// The one reader of words, quoted texts and pairs, for requests and replies alike. It sees one line without its end.
struct LineScanner {
  enum Token: Equatable {
    case word(String)
    case quoted(String)
    case pair(String, FieldValue)
  }

  private let line: ArraySlice<UInt8>
  private var position: Int

  init(_ line: ArraySlice<UInt8>) {
    self.line = line
    position = line.startIndex
  }

  /// The next token; nil at the end of the line. After an error the scanner must not be used again.
  mutating func next() throws(GrammarError) -> Token? {
    while position < line.endIndex, line[position] == UInt8(ascii: " ") { position += 1 }
    guard position < line.endIndex else { return nil }
    if line[position] == UInt8(ascii: "\"") { return .quoted(try quotedText()) }
    let start = position
    let isKey = scanKey()
    guard isKey else {
      position = start
      return .word(try bareText(what: "word"))
    }
    let key = String(decoding: line[start..<position], as: UTF8.self)
    position += 1
    guard position < line.endIndex, line[position] != UInt8(ascii: " ") else {
      throw GrammarError(message: "\(key)= has no value; an empty one is written \(key)=\"\"")
    }
    if line[position] == UInt8(ascii: "\"") { return .pair(key, FieldValue(text: try quotedText(), isQuoted: true)) }
    return .pair(key, .bare(try bareText(what: "value of \(key)=")))
  }

  /// Stands at the `=` of a pair and returns true, or returns false where this is no pair.
  private mutating func scanKey() -> Bool {
    let start = position
    while position < line.endIndex {
      switch line[position] {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
        position += 1
      case UInt8(ascii: "="): return position > start
      default: return false
      }
    }
    return false
  }

  private mutating func bareText(what: String) throws(GrammarError) -> String {
    let start = position
    while position < line.endIndex, line[position] != UInt8(ascii: " ") {
      try check(line[position])
      if line[position] == UInt8(ascii: "\"") {
        throw GrammarError(message: "a quote inside a bare \(what); put the whole value in quotes, \\\" for a quote")
      }
      position += 1
    }
    return try text(line[start..<position])
  }

  private mutating func quotedText() throws(GrammarError) -> String {
    position += 1
    var bytes: [UInt8] = []
    while position < line.endIndex {
      let byte = line[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard position == line.endIndex || line[position] == UInt8(ascii: " ") else {
          throw GrammarError(message: "something follows a closing quote; put a blank between")
        }
        return try text(bytes[...])
      case UInt8(ascii: "\\"): bytes.append(try escaped())
      default:
        try check(byte)
        bytes.append(byte)
      }
    }
    throw GrammarError(message: "a quote is not closed")
  }

  private mutating func escaped() throws(GrammarError) -> UInt8 {
    guard position < line.endIndex else { throw GrammarError(message: "a quote is not closed") }
    let byte = line[position]
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): return byte
    case UInt8(ascii: "n"): return UInt8(ascii: "\n")
    case UInt8(ascii: "t"): return UInt8(ascii: "\t")
    default: throw GrammarError(message: "an unknown escape; there are \\\" \\\\ \\n and \\t")
    }
  }

  private func check(_ byte: UInt8) throws(GrammarError) {
    if byte < 0x20 || byte == 0x7F {
      throw GrammarError(message: "a control character; in quotes, \\n and \\t stand for line feed and tab")
    }
  }

  private func text(_ bytes: ArraySlice<UInt8>) throws(GrammarError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw GrammarError(message: "this is not UTF-8") }
    return text
  }
}
