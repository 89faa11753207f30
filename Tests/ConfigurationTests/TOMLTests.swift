import Configuration
import Testing

/// Texts that are not TOML, or too much of it.
@Suite struct TOMLTests {
  @Test(arguments: [
    ("[scan]\nshots = = 3\n", 2), ("[scan]\nshots = 3\nshots = 4\n", 3), ("[scan\n", 1), ("a = \"\\q\"\n", 1),
    ("a = 99999999999999999999\n", 1), ("x = 1\n\n[x]\n", 3)
  ])
  func aSyntaxErrorNamesItsLine(text: String, line: Int) {
    let found = problems(text)
    #expect(found.count == 1 && found[0].hasPrefix("\(line): "), "\(found)")
  }

  @Test func bytesThatAreNoTextAreRefused() {
    for bytes in [[0xFF, 0xFE], [0x61, 0x3D, 0x22, 0xC0, 0xAF, 0x22], [0], [0xED, 0xA0, 0x80]] as [[UInt8]] {
      #expect(throws: ConfigurationError.self) { try TwinrigConfiguration(text: bytes, file: "rig.toml") }
    }
  }

  @Test func whatTheLibraryAssertsOnIsRefusedLikeTheRest() {
    #expect(problems("a = 1979-05-27T\0\0\0\07:32:00Z\n") == ["0: : not TOML (the parser gave up)"])
  }

  @Test func deepNestingIsRefusedAndNotARecursionWithoutEnd() {
    let arrays = "x = " + String(repeating: "[", count: 100_000)
    #expect(problems(arrays).count == 1)
    let tables = "x = " + String(repeating: "{y=", count: 100_000)
    #expect(problems(tables).count == 1)
    // allowed depth, unknown key
    let nested = "x = " + String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
    #expect(problems(nested).map { $0.contains("unknown key") } == [true])
  }

  @Test func aKeyOfEndlessPartsIsRefusedAndNotARecursionWithoutEnd() {
    let parts = Array(repeating: "a", count: 200_000).joined(separator: ".")
    for text in ["[\(parts)]\n", "\n\(parts) = 1\n"] {
      #expect(problems(text).first?.contains("more than 10000 dots in a line") == true)
    }
  }

  @Test func limitsHold() {
    #expect(problems("x = [" + String(repeating: "1,", count: 30_000) + "]") == ["0: : too many values"])
    #expect(
      problems(String(repeating: "#\n", count: 600_000)) == ["0: : larger than 1048576 bytes"])
    let lamps = String(repeating: "[[lamp]]\n", count: 9)
    #expect(problems(lamps) == ["1: lamp: 9 of them; there can be 8"])
  }

  @Test func aKeyMayHaveAnyCharacters() {
    #expect(problems("\"a\\u0000b\" = 1").count == 1)
    #expect(problems("\"\" = 1").count == 1)
    #expect(problems("\"" + String(repeating: "ü", count: 10_000) + "\" = 1").count == 1)
  }
}
