import Foundation
import TestSupport
import Testing

/// `twinrig reconstruct` on real files: what it refuses, and what it leaves behind.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ReconstructCommandTests {
  private let box: PaintedBox
  private var output: String { box.folder + "/a/b/out" }

  init() throws { box = try PaintedBox(count: 12, width: 120) }

  private func command(_ options: String = "", cameras: String? = nil, output: String? = nil) -> String {
    "twinrig reconstruct \(box.images) --cameras \(cameras ?? box.cameras) --output \(output ?? self.output)"
      + " --detail preview --triangles 500 --texture-size 256 --progress json \(options)"
  }

  private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  /// The one line that says why a job ended, as it was written.
  private func message(_ outcome: Program.Outcome) -> String {
    outcome.output.split(separator: "\n").last.map(String.init) ?? ""
  }

  @Test func aSecondJobInOneFolderIsRefusedAndTheFirstGoesOn() throws {
    defer { box.remove() }
    // the first is stopped where it certainly has the folder: once it has told of its first stage
    let outcome = try Program.run(
      """
      mkfifo \(box.folder)/lines
      \(command()) > \(box.folder)/lines &
      exec 3< \(box.folder)/lines
      read -r line <&3
      kill -STOP $!
      \(command())
      echo "second $?"
      kill -CONT $!
      cat <&3 > /dev/null
      wait $!
      echo "first $?"
      """)
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.suffix(2) == ["second 1", "first 0"], "\(outcome)")
    let error = lines.first { $0.contains("\"event\":\"error\"") } ?? ""
    #expect(error.contains("\"kind\":\"busy\"") && error.contains(output + ": another reconstruction"), "\(error)")
    #expect(exists(output + "/model.usdz"))
    // and once it has ended, the folder is free again
    #expect(try Program.run(command()).code == 0)
  }

  @Test func aSessionThatAnotherJobWorksOnIsRefused() throws {
    defer { box.remove() }
    let session = box.folder + "/session"
    try FileManager.default.createDirectory(atPath: session, withIntermediateDirectories: true)
    try "{}".write(toFile: session + "/session.json", atomically: true, encoding: .utf8)
    // the shell stands for the other job: its checkpoints lie in the session, wherever its results go
    let outcome = try Program.run(
      "exec 9< \(session); flock 9; twinrig reconstruct \(session) --output \(output) --progress json 9<&-")
    #expect(outcome.code == 1)
    #expect(message(outcome).contains(session + ": another reconstruction"), "\(outcome)")
    #expect(!exists(box.folder + "/a"))
    // results in the session itself want one lock, not two
    let inside = try Program.run("twinrig reconstruct \(session) --output \(session) --progress json")
    #expect(inside.code == 2 && message(inside).contains("session.json"), "\(inside)")
  }

  @Test func refusedInputsLeaveNoFolderBehind() throws {
    defer { box.remove() }
    try "nonsense\n".write(toFile: box.folder + "/bad.txt", atomically: true, encoding: .utf8)
    let outcome = try Program.run(command(cameras: box.folder + "/bad.txt"))
    #expect(outcome.code == 2 && message(outcome).contains("bad.txt:1: "), "\(outcome)")
    #expect(!exists(box.folder + "/a"))
    // what was there before stays, with all that is in it
    try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
    #expect(try Program.run(command(cameras: box.folder + "/bad.txt")).code == 2)
    #expect(exists(output))
  }

  @Test func aSessionThatCannotBeReadIsNamedOnceAndLeftAsItWas() throws {
    defer { box.remove() }
    let session = box.folder + "/session"
    try FileManager.default.createDirectory(atPath: session, withIntermediateDirectories: true)
    try "{".write(toFile: session + "/session.json", atomically: true, encoding: .utf8)
    let outcome = try Program.run("twinrig reconstruct \(session) --progress json")
    #expect(outcome.code == 2)
    #expect(message(outcome).components(separatedBy: session).count == 2, "\(message(outcome))")
    #expect(message(outcome).contains("\(session)/session.json: "))
    #expect(try FileManager.default.contentsOfDirectory(atPath: session) == ["session.json"])
  }

  @Test func aFolderThatCannotBeUsedIsNamedOnce() throws {
    defer { box.remove() }
    let outcome = try Program.run(command(output: box.cameras + "/out"))
    #expect(outcome.code == 1)
    #expect(message(outcome).components(separatedBy: box.cameras).count == 2, "\(message(outcome))")
    // a file in the way of one that is written
    try FileManager.default.createDirectory(atPath: output + "/poses.tsv", withIntermediateDirectories: true)
    let later = try Program.run(command())
    #expect(later.code == 1)
    #expect(message(later).components(separatedBy: "poses.tsv").count == 2, "\(message(later))")
  }

  @Test(arguments: ["1e300", "1e-300", "0", "-1", "nan", "inf", "1e7", "x"]) func unitsThatMakeNoSenseAreRefusedAtOnce(
    unit: String
  ) throws {
    defer { box.remove() }
    let outcome = try Program.run(command("--unit \(unit)"))
    #expect(outcome.code == 2 && outcome.output.isEmpty)
    #expect(outcome.errors.contains("--unit is \(unit)"), "\(outcome.errors)")
    #expect(!exists(box.folder + "/a"))
  }

  @Test func picturesThatCannotBeUsedAreAWrongInput() throws {
    defer { box.remove() }
    for i in 0..<11 { try Data("no picture".utf8).write(to: URL(fileURLWithPath: box.images + "/\(i).png")) }
    let outcome = try Program.run(command())
    #expect(outcome.code == 2 && message(outcome).contains("insufficientViews"), "\(outcome)")
    #expect(!exists(box.folder + "/a"))
  }

  /// Three pictures are named, four that share a reason are one line.
  @Test(arguments: [3, 4]) func picturesLeftOutForOneReasonAreSaidInOneLine(count: Int) throws {
    defer { box.remove() }
    for i in 0..<count { try Data("no picture".utf8).write(to: URL(fileURLWithPath: box.images + "/\(i).png")) }
    let shown = try Program.run(command() + " --progress bar")
    let lines = shown.errors.split(separator: "\n").filter { $0.hasPrefix("invalid: ") }
    #expect(lines.count == (count == 3 ? 3 : 1), "\(shown.errors)")
    #expect(
      lines.first?.hasPrefix(count == 3 ? "invalid: 0.png: " : "invalid: 4 pictures from 0.png to 3.png: ") == true)
  }

  /// Chooses pictures of the box: in each ring six, 60° apart, the second ring 24° above the first.
  private func keep(_ numbers: [Int]) throws -> String {
    let lines = try String(contentsOfFile: box.cameras, encoding: .utf8).split(separator: "\n").dropFirst()
    let kept = numbers.map { number in lines.first { $0.hasPrefix("\(number).png ") } ?? "" }
    let file = box.folder + "/few.txt"
    try ("\(kept.count)\n" + kept.joined(separator: "\n") + "\n").write(toFile: file, atomically: true, encoding: .utf8)
    return file
  }

  // too far apart to be matched at all, and one pair that nothing confirms
  @Test(arguments: [[0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5, 6]]) func picturesThatMeasureNothingMakeNoModel(
    numbers: [Int]
  ) throws {
    defer { box.remove() }
    // outlines alone would do for a shape
    let outcome = try Program.run(command(cameras: try keep(numbers)))
    #expect(outcome.code == 2, "\(outcome)")
    #expect(message(outcome).contains("insufficientViews") && message(outcome).contains("take more"), "\(outcome)")
    for file in ["model.usdz", "points.ply", "report.json"] { #expect(!exists(output + "/" + file), "\(file)") }
  }

  @Test func camerasOfOtherPicturesAreAWrongInput() throws {
    defer { box.remove() }
    let lines = try String(contentsOfFile: box.cameras, encoding: .utf8).split(separator: "\n")
    let rest = lines.dropFirst().map { $0.split(separator: " ", maxSplits: 1) }
    let mixed = zip(rest, rest.indices.map { rest[(5 * $0 + 3) % rest.count] }).map { "\($0[0]) \($1[1])" }
    let file = box.folder + "/mixed.txt"
    try ("\(rest.count)\n" + mixed.joined(separator: "\n") + "\n").write(
      toFile: file, atomically: true, encoding: .utf8)
    let outcome = try Program.run(command(cameras: file))
    #expect(outcome.code == 2 && !exists(output + "/model.usdz"), "\(outcome)")
  }

  @Test func aModelThatIsMostlyAGuessComesWithAWarning() throws {
    defer { box.remove() }
    // with 24° at least between them, so small pictures measure a fifth
    let outcome = try Program.run(command())
    #expect(outcome.code == 0, "\(outcome)")
    #expect(outcome.output.contains("{\"event\":\"warning\",\"reason\":\"only "), "\(outcome.output)")
    let report = try String(contentsOfFile: output + "/report.json", encoding: .utf8)
    #expect(report.contains("of the surface was measured"), "\(report)")
    // a person reads it last, just before how it ended
    let shown = try Program.run(command() + " --progress bar")
    let lines = shown.errors.split(separator: "\n")
    let warning = lines.suffix(2).first ?? ""
    #expect(warning.hasPrefix("warning: only ") && lines.last?.hasPrefix("done: ") == true, "\(shown)")
  }

  /// Whatever is refused, and wherever: by a C library, by C++, by Swift itself.
  @Test func tooLittleMemoryIsSaidWithItsStage() throws {
    defer { box.remove() }
    var codes: Set<Int32> = []
    for limit in [220, 260, 300, 340, 380, 420] {
      let outcome = try Program.run("ulimit -c 0 -v \(limit << 10); exec \(command("--threads 2"))")
      codes.insert(outcome.code)
      guard outcome.code != 0 else { continue }
      #expect(outcome.code == 5, "at \(limit) MiB: \(outcome)")
      let text = message(outcome)
      #expect(
        text.contains("\"kind\":\"outOfMemory\"") && text.contains("not enough memory"), "at \(limit) MiB: \(text)")
      #expect(text.contains("--detail preview"), "\(text)")
    }
    #expect(codes.contains(5), "no limit was too low")
  }

  /// The lines of standard output, each an object of JSON; fails where one is none.
  private func objects(_ outcome: Program.Outcome) throws -> [[String: Any]] {
    try outcome.output.split(separator: "\n").map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
    }
  }

  @Test func allThatJSONIsAskedForIsJSON() throws {
    defer { box.remove() }
    let options = "--output \(output) --detail preview --triangles 500 --texture-size 256"
    let made = try Program.run("twinrig --json reconstruct \(box.images) --cameras \(box.cameras) \(options)")
    #expect(made.code == 0 && made.errors.isEmpty, "\(made)")
    let lines = try objects(made)
    #expect(lines.allSatisfy { $0["line"] as? String == "event" }, "\(made.output)")
    #expect(lines.contains { $0["event"] as? String == "stage" } && lines.last?["event"] as? String == "done")
  }

  @Test(arguments: [
    ["--cameras none", "2", "USAGE"], ["--cameras none --progress bar", "2", "USAGE"], ["--triangles 1", "2", "USAGE"],
    ["", "2", "USAGE"], ["--cameras par.txt --output par.txt/out", "1", "FAILED"]
  ]) func aFaultThatJSONIsAskedForIsOneObject(words: [String]) throws {
    defer { box.remove() }
    let place = "cd \(box.folder); cp \(box.cameras) par.txt 2>/dev/null;"
    let outcome = try Program.run("\(place) twinrig --json reconstruct \(box.images) \(words[0])")
    #expect(String(outcome.code) == words[1] && outcome.errors.isEmpty, "\(outcome)")
    let last = try #require(try objects(outcome).last)
    #expect(last["line"] as? String == "error" && last["token"] as? String == words[2], "\(outcome)")
    #expect(last["message"] is String && last["fields"] is [String: Any], "\(outcome)")
  }

  @Test(arguments: [
    ["--nope", "unknown option --nope"], ["--triangles 1", "from 100 to 1000000; see twinrig reconstruct --help"],
    ["--memory-limit 127", "from 128 to"], ["--json", "--json stands before the command"], ["--name", "needs a value"],
    ["--detail best", "offers preview"], ["--output ''", "--output is followed by an empty name"],
    ["another", "one input at a time"], ["", "pictures need --cameras"]
  ]) func whatIsWrongWithTheWordsIsOneLine(words: [String]) throws {
    defer { box.remove() }
    let outcome = try Program.run("twinrig reconstruct \(box.images) \(words[0])")
    #expect(outcome.code == 2 && outcome.output.isEmpty, "\(outcome)")
    #expect(outcome.errors.hasPrefix("twinrig: ") && outcome.errors.contains(words[1]), "\(outcome)")
    #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome)")
  }

  @Test func whatFailsLaterIsSaidByTheProgramToo() throws {
    defer { box.remove() }
    let outcome = try Program.run("twinrig reconstruct \(box.images) --cameras \(box.folder)/none")
    #expect(outcome.code == 2 && outcome.output.isEmpty, "\(outcome)")
    #expect(outcome.errors.split(separator: "\n").last?.hasPrefix("twinrig: ") == true, "\(outcome)")
    let memory = try Program.run(
      "ulimit -c 0 -v \(200 << 10); exec \(command("--threads 2 --progress bar"))")
    #expect(memory.code == 5 && memory.errors.contains("twinrig: "), "\(memory)")
    #expect(memory.errors.split(separator: "\n").last?.contains("not enough memory") == true, "\(memory)")
    #expect(!memory.errors.contains("\n\n"), "\(memory)")
    let words = "reconstruct \(box.images) --cameras \(box.cameras) --output \(output) --threads 2"
    let json = try Program.run("ulimit -c 0 -v \(200 << 10); exec twinrig --json \(words)")
    let last = try objects(json).last
    #expect(json.code == 5 && last?["line"] as? String == "error", "\(json)")
    // Swift and C++ have said on standard error that they were refused memory
    #expect(last?["token"] as? String == "NOMEMORY", "\(json)")
  }
}
