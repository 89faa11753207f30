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
    #expect(throws: DecodingError.self) { try read("{\"a\(part)\":\"\"}") }
    #expect(throws: DecodingError.self) { try read("{\"a\":\"\(part)\"}") }
  }

  @Test(arguments: [0x80, 0xC0, 0xC3, 0xE2, 0xED, 0xF5, 0xFF] as [UInt8]) func whatIsNoUTF8IsAnError(byte: UInt8) {
    for place in 1...6 {
      var bytes = Array(#"{"a":"b"}"#.utf8)
      bytes.insert(byte, at: place)
      #expect(throws: DecodingError.self) { try JSONInput.decode([String: String].self, from: bytes) }
    }
  }

  @Test func whereTheDamageIsIsSaid() {
    #expect {
      try JSONInput.decode([String: String].self, from: Array("{\"€".utf8) + [0xFF] + Array("\":\"\"}".utf8))
    } throws: { "\($0)".contains("byte 5") }
    #expect { try read(#"{"a":"\q"}"#) } throws: { "\($0)".contains("byte 6") }
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
