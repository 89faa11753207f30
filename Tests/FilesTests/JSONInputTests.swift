import Files
import Testing

/// JSON as a disk may give it back: it is read, or an error is thrown, and the program goes on.
@Suite struct JSONInputTests {
  private func read(_ text: String) throws -> [String: String] {
    try JSONInput.decode([String: String].self, from: Array(text.utf8))
  }

  @Test func textsAndKeysAreReadAsTheyWereMeant() throws {
    #expect(try read(#"{"a":"b"}"#) == ["a": "b"])
    #expect(try read("\r\n{\t\"ä€😀\" : \"\u{7F}\" }\n") == ["ä€😀": "\u{7F}"])
    #expect(try read(#"{"\"\\\/\b\f\n\r\t":"\u00e4\u20AC\ud83D\uDe00"}"#) == ["\"\\/\u{8}\u{c}\n\r\t": "ä€😀"])
  }

  @Test(arguments: [
    #"\q"#, #"\"#, #"\u"#, #"\u12"#, #"\u12x4"#, #"\uD800"#, #"\uD800\n"#, #"\uD800\u0041"#, #"\uDC00"#, "\u{0}",
    "\u{1}", "\t", "\n"
  ])
  func whatNoStringMayHoldIsAnError(part: String) {
    #expect(throws: DamagedJSON.self) { try read("{\"a\(part)\":\"\"}") }
    #expect(throws: DamagedJSON.self) { try read("{\"a\":\"\(part)\"}") }
  }

  @Test(arguments: [0x80, 0xC0, 0xC3, 0xE2, 0xED, 0xF5, 0xFF] as [UInt8]) func whatIsNoUTF8IsAnError(byte: UInt8) {
    for place in 1...6 {
      var bytes = Array(#"{"a":"b"}"#.utf8)
      bytes.insert(byte, at: place)
      #expect(throws: DamagedJSON.self) { try JSONInput.decode([String: String].self, from: bytes) }
    }
  }

  private struct Shot: Decodable {
    var pass: Int
    var place: [Double]
    var name: String?
  }

  private func complaint(_ bytes: [UInt8]) -> String {
    do {
      _ = try JSONInput.decode([String: Shot].self, from: bytes)
      return "none"
    } catch {
      return "\(error)"
    }
  }

  /// What a person is told, and where to look; never a decoder's own words.
  private static let complaints = [
    ("", "it is empty"), (" \n", "nothing but space is in it"), ("{", "at byte 1: it ends where a key should be"),
    (#"{"a""#, #"at byte 4: it ends where ":" should be"#), (#"{"a":"#, "at byte 5: it ends where a value should be"),
    (#"{"a":{"pass":1,"place":[1,]}}"#, #"at byte 26: "]" where a value should be"#),
    (#"{"a":{"pass":1 "place":[]}}"#, #"at byte 15: """ where a comma or "}" should be"#),
    (#"{"a":{"pass":01}}"#, #"at byte 14: "1" where a comma or "}" should be"#),
    (#"{"a":{"pass":-}}"#, #"at byte 14: "}" where a digit should be"#),
    (#"{"a":{"pass":1.}}"#, #"at byte 15: "}" where a digit should be"#),
    (#"{"a":{"pass":1e}}"#, #"at byte 15: "}" where a digit should be"#),
    (#"{"a":{"pass":NaN}}"#, #"at byte 13: "N" where a value should be"#),
    (#"{"a":nul}"#, #"at byte 8: "}" where "null" should be"#),
    (#"{"a":{}}x"#, #"at byte 8: "x" where the end should be"#),
    (#"{"a":"\q"}"#, "at byte 6: no escape that JSON has"),
    (#"{"a":"b"#, "at byte 7: it ends where the end of a text should be"),
    (#"{"a":{"pass":1e999,"place":[]}}"#, "at byte 13: the number 1e999 does not fit there"),
    (#"{"a":{"pass":1.5,"place":[]}}"#, "at byte 13: the number 1.5 does not fit there"),
    (#"{"a":{"pass":1,"place":[0,1e400]}}"#, "at byte 26: the number 1e400 does not fit there"),
    (#"{"a":{"pass":1}}"#, #""a.place" is missing"#),
    (#"{"a":{"pass":"1","place":[]}}"#, #""a.pass" is not a whole number"#),
    (#"{"a":{"pass":1,"place":[0,true]}}"#, #""a.place[1]" is not a number"#),
    (#"{"a":{"pass":1,"place":{}}}"#, #""a.place" is not a list"#), (#"{"a":[]}"#, #""a" is not an object"#),
    (#"{"a":{"pass":1,"place":null}}"#, #""a.place" is null instead of a list"#), ("[]", "is not an object")
  ]

  @Test(arguments: complaints) func whatIsWrongIsSaidAndWhere(text: String, wanted: String) {
    #expect(complaint(Array(text.utf8)) == wanted)
  }

  @Test func aVectorOfAnotherLengthIsSaidInOurWords() {
    do {
      _ = try JSONInput.decode([String: SIMD3<Double>].self, from: Array(#"{"a":[1,2]}"#.utf8))
      Issue.record("a vector of two was read")
    } catch {
      #expect("\(error)".contains("has more or fewer numbers than belong there"))
    }
  }

  @Test func bytesThatNoTextHasAreFound() {
    #expect(complaint(Array("{\"€".utf8) + [0xFF] + Array("\":\"\"}".utf8)) == "at byte 5: no UTF-8 text")
    #expect(complaint(Array("{\"a\":\u{1}}".utf8)) == "at byte 5: a byte of value 1 where a value should be")
  }

  @Test func aTextThatLiesDeepInItselfIsRefusedInTime() {
    let deep = [UInt8](repeating: UInt8(ascii: "["), count: 1 << 20)
    #expect(complaint(deep).hasSuffix("values lie too deep in one another"))
  }

  @Test func whatIsQuotedIsReadBack() throws {
    let texts = ["", "a \"b\" \\ /", "\u{0}\u{1}\u{1f}\n\r\t\u{8}", "ä€😀\u{2028}\u{7f}"]
    for text in texts {
      #expect(try read("{\(JSONString.quoted(text)):\(JSONString.quoted(text))}") == [text: text])
    }
  }

  @Test func noByteOfADocumentEndsTheProgram() throws {
    struct Record: Decodable {
      var name: String
      var values: [Double]
      var more: [String: [Int]]?
    }
    let whole = Array(#"{"name":"\"\u00e4 \ud83d\ude00 ä","values":[1,-2.5e3],"more":{"k\t":[1]}}"#.utf8)
    #expect(try JSONInput.decode(Record.self, from: whole).name == "\"ä 😀 ä")
    for place in whole.indices {
      for byte in UInt8.min ... .max {
        var bytes = whole
        bytes[place] = byte
        _ = try? JSONInput.decode(Record.self, from: bytes)
      }
      _ = try? JSONInput.decode(Record.self, from: Array(whole[..<place]))
    }
  }
}
