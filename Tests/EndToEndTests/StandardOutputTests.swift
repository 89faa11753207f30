import Foundation
import TestSupport
import Testing

/// What a program says and nobody can keep is not done; what nobody wants to read is.
@Suite(.serialized, .timeLimit(.minutes(2))) struct StandardOutputTests {
  @Test(arguments: [
    "twinrig --version > /dev/full", "twinrig --help > /dev/full", "twinrig reconstruct --help > /dev/full",
    "twinrig config defaults > /dev/full", "twinrig --version >&-", "twinrig --version > /dev/null < /dev/null 1<&0",
    "twinrig-bench --help > /dev/full", "twinrigd --help > /dev/full"
  ]) func anOutputThatCannotBeWrittenIsAFailure(script: String) throws {
    let outcome = try Program.run(script)
    #expect(outcome.code == 1)
    #expect(outcome.errors.contains("standard output cannot be written"), "\(outcome.errors)")
    #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
  }

  @Test(arguments: [
    "twinrig config defaults | head -n 1; exit ${PIPESTATUS[0]}", "twinrig --help | true; exit ${PIPESTATUS[0]}",
    "twinrig --json help | true; exit ${PIPESTATUS[0]}", "twinrig-bench --help | true; exit ${PIPESTATUS[0]}",
    "twinrigd --help | true; exit ${PIPESTATUS[0]}", "twinrig --version", "twinrig --version 2>&-",
    "twinrig --version <&-"
  ]) func aReaderThatHasSeenEnoughIsNone(script: String) throws {
    let outcome = try Program.run(script)
    #expect(outcome.code == 0)
    #expect(outcome.errors.isEmpty, "\(outcome.errors)")
  }

  @Test func aFaultOfTheCommandKeepsItsOwnCode() throws {
    let outcome = try Program.run("twinrig --nonsense > /dev/full")
    #expect(outcome.code == 2)
  }

  @Test func aReconstructionThatFailsWithoutItsReaderSaysWhy() throws {
    let box = try PaintedBox(count: 2, width: 120)
    defer { box.remove() }
    for face in ["json", "bar"] {
      let outcome = try Program.run(
        """
        exec 3> >(true); wait $!
        twinrig reconstruct \(box.images) --cameras \(box.images)/none --progress \(face) >&3
        """)
      #expect(outcome.code == 2 && outcome.errors.contains("\(box.images)/none"), "\(outcome)")
    }
  }

  @Test func whatIsOpenedLaterIsNotWrittenOver() throws {
    let box = try PaintedBox(count: 12, width: 120)
    defer { box.remove() }
    let outcome = try Program.run(
      """
      twinrig reconstruct \(box.images) --cameras \(box.cameras) --output \(box.folder)/out --detail preview \
        --triangles 500 --texture-size 256 --progress json <&- >&-
      """)
    #expect(outcome.code == 1 && outcome.errors.contains("standard output cannot be written"), "\(outcome.errors)")
    // the model is there all the same, and nothing but a model is in it
    let model = try Data(contentsOf: URL(fileURLWithPath: box.folder + "/out/model.glb"))
    #expect(model.starts(with: Array("glTF".utf8)) && model.range(of: Data("\"event\"".utf8)) == nil)
  }
}
