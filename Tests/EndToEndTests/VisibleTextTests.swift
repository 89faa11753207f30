import Foundation
import TestSupport
import Testing

/// What files, arguments and folders hold comes to a terminal as text, whatever it is.
@Suite(.serialized, .timeLimit(.minutes(2))) struct VisibleTextTests {
  /// In the words of `printf`: a colour, a title, C1's CSI, a line feed, a change of direction, and what anybody may read.
  private static let name = #"\033[31mno\033]0;x\007\302\233\nve\342\200\256lö–✓"#
  /// The same as it is shown.
  private static let shown = #"\u001b[31mno\u001b]0;x\u0007\u009b\nve\u202elö–✓"#

  /// Whether only line feeds are left of what steers a terminal.
  private func isPlain(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      let isControl = scalar.properties.generalCategory == .control && scalar != "\n"
      return !isControl && !scalar.properties.isBidiControl
    }
  }

  @Test(arguments: [
    "twinrig \"$n\"", "twinrig \"--$n\"", "twinrig config \"$n\"", "twinrig config check \"$n\"",
    "twinrig config check \"--$n\"", "twinrig demo \"$n\"", "twinrig reconstruct \"/$n\"",
    "twinrig reconstruct --\"$n\"", "twinrig --socket \"$n\" status", "twinrig scan \"-$n\"",
    "twinrigd --config \"$n\"", "twinrigd \"$n\"", "twinrig-bench \"$n\"", "twinrig-bench --\"$n\"",
    "twinrig-bench quality --truth \"$n\" --model x", "twinrig-bench --only \"$n\""
  ]) func wordsOfTheCommandLineSteerNoTerminal(script: String) throws {
    let outcome = try Program.run("n=$(printf '\(Self.name)')\n" + script)
    #expect(outcome.code != 0)
    #expect(isPlain(outcome.errors) && isPlain(outcome.output), "\(outcome)")
    #expect(outcome.errors.contains(Self.shown) && outcome.output.isEmpty, "\(outcome)")
  }

  @Test func jsonHoldsTheVeryText() throws {
    let outcome = try Program.run(
      "n=$(printf '\(Self.name)')\ntwinrig config check --json \"$n\"; printf '\(Self.name)' >&2")
    #expect(isPlain(outcome.output), "\(outcome)")
    let verdict = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
    #expect(verdict?["file"] as? String == outcome.errors)
  }

  @Test func keysAndValuesOfAFileSteerNoTerminal() throws {
    let outcome = try Program.run(
      #"""
      folder=$(mktemp -d)
      printf '"\\u001b[31mkey\\n" = 1\nboard = "\\u001b[1m\302\233"\n[pan]\ndriver = "\342\200\256\\u0007"\n' > "$folder/a"
      printf '"\302\233" = 1\n"\\n" 1\n' > "$folder/b"
      printf 'a = "\033[1m"\n' > "$folder/c"
      twinrig config check "$folder"/[abc]
      twinrigd --config "$folder/a"
      rm -r "$folder"
      """#)
    #expect(isPlain(outcome.errors), "\(outcome)")
    for part in [#"u001b[31mkey\n: unknown key"#, #"\u202e"#, #"twinrigd: error: "#] {
      #expect(outcome.errors.contains(part), "\(part): \(outcome)")
    }
    // a problem is a line: four of the first file, one of each other, and the agent's four
    #expect(outcome.errors.split(separator: "\n").count == 10, "\(outcome)")
  }

  @Test func aPathForScriptsIsThePathItself() throws {
    let box = try PaintedBox(count: 12, width: 120)
    defer { box.remove() }
    let outcome = try Program.run(
      #"""
      cd \#(box.folder); out=$(printf 'lö\302\233')
      twinrig reconstruct \#(box.images) --cameras \#(box.cameras) --output "$out" --detail preview --triangles 500 \
        --texture-size 256 2>&1 >paths
      while read -r path; do test -e "$path" || echo "not there"; done <paths; wc -l <paths
      """#)
    #expect(!outcome.output.contains("not there") && !outcome.output.hasSuffix("\n0\n"), "\(outcome)")
  }
}
