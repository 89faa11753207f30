import Control
import TestSupport
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct GrammarTests {
  private func parse(_ text: String) throws -> Request? { try Request(line: Array(text.utf8)[...]) }

  private func refusal(_ text: String) -> Refusal? {
    do {
      _ = try parse(text)
      return nil
    } catch let error as RequestError {
      return error.refusal
    } catch {
      return nil
    }
  }

  @Test func aRequestIsTakenApart() throws {
    let request = try #require(try parse("@a.1 capture start now name=\"blue \\\"vase\\\"\\n\\t\\\\\" shots=36"))
    #expect(request.id == "a.1")
    #expect(request.verb == "capture")
    #expect(request.words == ["start", "now"])
    #expect(request.fields.text("name") == "blue \"vase\"\n\t\\")
    #expect(request.fields.integer("shots") == 36)
  }

  @Test func blankLinesAndCommentsAreNoRequests() throws {
    for text in ["", "   ", "# capture cancel", "#", "#" + String(repeating: "x", count: 5000)] {
      #expect(try parse(text) == nil)
    }
  }

  @Test func severalBlanksSeparateAsOneDoes() throws {
    #expect(try parse("  a   b  c=1 ") == (try parse("a b c=1")))
  }

  @Test(arguments: [
    ("a name=\"x", "not closed"), ("a name=\"x\\", "not closed"), ("a name=\"x\"y", "closing quote"),
    ("a name=\"\\q\"", "unknown escape"), ("a x=1 word", "words come first"), ("a x=1 x=2", "given twice"),
    ("a x=", "no value"), ("a x= y=1", "no value"), ("a \"text\"", "only after key="), ("x=1 a", "before the verb"),
    ("a b\u{7}", "control character"), ("a\tb", "control character"), ("a x=\"\r\"", "control character"),
    ("a x=b\"c\"", "quote inside"), ("@ a", "an id is"), ("@\"x\" a", "an id is"),
    ("@" + String(repeating: "1", count: 33) + " a", "an id is")
  ])
  func aMalformedLineIsRefusedWithTheReason(line: String, reason: String) {
    #expect(refusal(line)?.token == .badArgument)
    #expect(refusal(line)?.message.contains(reason) == true, "\(refusal(line)?.message ?? "accepted")")
  }

  @Test(arguments: ["Status", "1a", "@1", "-x", "é"])
  func whatIsNoVerbIsBadCommand(line: String) { #expect(refusal(line)?.token == .badCommand) }

  @Test func bytesThatAreNotUTF8AreRefused() throws {
    #expect(throws: RequestError.self) { try Request(line: [0x61, 0x20, 0xFF, 0xFE]) }
    #expect(throws: RequestError.self) { try Request(line: Array("a x=\"".utf8) + [0xC3, 0x28, 0x22]) }
  }

  @Test func theIDSurvivesAnErrorBehindIt() throws {
    do {
      _ = try parse("@7 a x=\"")
      Issue.record("accepted")
    } catch let error as RequestError {
      #expect(error.id == "7")
    }
  }

  @Test func theLimitIs1024BytesWithoutTheLineEnd() throws {
    let fits = "echo text=" + String(repeating: "x", count: 1014)
    #expect(try parse(fits) != nil)
    #expect(refusal(fits + "x")?.token == .tooLong)
  }

  @Test func textsThatLookLikeSomethingElseAreQuoted() {
    for text in ["", "?", "-", "7", "-1.5e3", "a b", "a\"b", "a\\b", "a\nb", "inf"] {
      #expect(FieldValue.text(text).isQuoted, "\(text)")
    }
    for text in ["a", "20261130-0007", "/var/lib/x.usdz", "flipped,height", "a=b", "Größe"] {
      #expect(!FieldValue.text(text).isQuoted, "\(text)")
    }
  }

  @Test func numbersHaveTheirDecimals() {
    #expect("\(FieldValue.number(8.1, decimals: 2))" == "8.10")
    #expect("\(FieldValue.number(-0.004, decimals: 2))" == "0.00")
    #expect("\(FieldValue.number(-0.006, decimals: 2))" == "-0.01")
    #expect("\(FieldValue.number(0.05, decimals: 3))" == "0.050")
    #expect("\(FieldValue.number(123.5, decimals: 0))" == "124")
    #expect("\(FieldValue.number(.nan, decimals: 2))" == "?")
    #expect("\(FieldValue.number(nil, decimals: 2))" == "?")
    #expect("\(FieldValue.shortNumber(930.7, decimals: 3))" == "930.7")
    #expect("\(FieldValue.shortNumber(806, decimals: 3))" == "806")
    #expect("\(FieldValue.shortNumber(100, decimals: 0))" == "100")
  }

  @Test func everyRequestSurvivesTheWire() throws {
    var random = SplitMix(seed: 2026)
    for _ in 0..<5000 {
      var fields = Fields()
      for index in 0..<Int.random(in: 0...3, using: &random) { fields.append("k\(index)", .text(random.text())) }
      let request = Request(
        id: Bool.random(using: &random) ? "r\(Int.random(in: 0...999, using: &random))" : nil, verb: "verb",
        words: ["w1", "20261130-0007"], fields: fields)
      let line = Array(request.description.utf8)
      guard line.count <= Request.longestLine else { continue }
      #expect(!line.contains(UInt8(ascii: "\n")))
      #expect(try Request(line: line[...]) == request)
    }
  }

  @Test func everyAnswerSurvivesTheWire() throws {
    var random = SplitMix(seed: 7)
    for _ in 0..<2000 {
      let text = random.text()
      let fields: Fields = ["a": .text(text), "b": .number(random.unit() * 100, decimals: 3), "c": .unknown]
      let lines = Array("- \(fields)".utf8)
      #expect(try Line(lines[...]) == .data(fields))
    }
  }

  @Test func noBytesWhateverTrapTheParsers() {
    var random = SplitMix(seed: 99)
    let alphabet = Array("@1 ax=\"\\\n\t#-!OKERR ?".utf8) + [0, 0x7F, 0xC3, 0xA9, 0xFF]
    for _ in 0..<20000 {
      let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in alphabet.randomElement(using: &random)! }
      if let request = try? Request(line: bytes[...]) {
        // What is accepted means the same when it is said again.
        let again = Array(request.description.utf8)
        #expect((try? Request(line: again[...])) == request)
      }
      _ = try? Line(bytes[...])
    }
  }
}

extension SplitMix {
  fileprivate mutating func unit() -> Double { Double.random(in: 0..<1, using: &self) }

  /// A text of everything that is hard for a line protocol.
  fileprivate mutating func text() -> String {
    let parts = ["a", "Z", "7", " ", "\"", "\\", "\n", "\t", "=", "#", "@", "?", "-", "é", "漢", "👩‍👩‍👧", "!", "'", "\\n"]
    return (0..<Int.random(in: 0...12, using: &self)).map { _ in parts.randomElement(using: &self)! }.joined()
  }
}

/// Everything a fuzzer ever found, and what it started from.
struct RequestCorpusTests {
  @Test func theCorpusIsReplayed() throws {
    let folder = #filePath.split(separator: "/").dropLast(2).map { "/\($0)" }.joined() + "/Fuzz/corpus/Request"
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    #expect(names.count >= 6)
    for name in names {
      let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)")))
      for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
        _ = try? Line(line)
        guard let request = try? Request(line: line) else { continue }
        let again = Array(request.description.utf8)
        #expect(again.count > Request.longestLine || (try? Request(line: again[...])) == request, "\(name)")
      }
    }
  }
}
