import CLinux
import Configuration
import Control
import Glibc
import Spelling

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `twinrig demo --output DIR [--config FILE] [key=value …]`: starts an agent of its own on a simulated rig, has
/// it scan, and puts the model and its picture into DIR.
enum DemoCommand {
  static let usage = """
    usage: twinrig demo --output DIR [--config FILE] [key=value of capture start …]
    Scans the object of a simulated rig with an agent of its own, and makes a model of it.
      --output DIR    where the model, its picture, the session and the agent's log go
      --config FILE   the rig (config/simulated.toml, or the one that is installed)
      key=value       name= shots= passes= detail= overcapture= box=, as twinrig scan --help explains them
    ^C ends it. Exit codes: 0 the model is there, 1 failed, 2 wrong usage, 4 refused by the agent, 130 cancelled.
    """

  /// What the words after `demo` say.
  private struct Wishes {
    var output = ""
    var configuration: String?
    /// The `key=value` words of `capture start`.
    var words: [String] = []

    init(_ arguments: [String]) throws(ClientFailure) {
      var rest = arguments[...]
      func value(_ option: String) throws(ClientFailure) -> String {
        guard let value = rest.popFirst(), !value.isEmpty else {
          throw .usage("\(option) needs a value; see twinrig demo --help")
        }
        return value
      }
      while let word = rest.popFirst() {
        switch word {
        case "--output": output = try value(word)
        case "--config": configuration = try value(word)
        default: words.append(try Self.pair(word))
        }
      }
      if output.isEmpty { throw .usage("demo needs --output DIR; see twinrig demo --help") }
    }

    private static func pair(_ word: String) throws(ClientFailure) -> String {
      if ["--json", "--socket"].contains(word) { throw ClientOptions.misplaced(word, before: "demo") }
      if word.hasPrefix("-") {
        throw .usage(Spelling.unknownOption(word, among: Spelling.options(in: usage), see: "twinrig demo --help"))
      }
      guard word.contains("=") else { throw .usage("demo takes no word \(word); see twinrig demo --help") }
      return word
    }
  }

  static func run(_ arguments: [String], _ options: ClientOptions) async throws(ClientFailure) -> Int32 {
    let wishes = try Wishes(arguments)
    // all that can be wrong with the words, before anything is made of them
    let start = try Request(arguments: ["capture", "start"] + wishes.words)
    let rig = try configuration(wishes.configuration)
    let began = ContinuousClock.now
    let folder = try Folder(wishes.output)
    if !options.isJSON {
      Terminal.say("A simulated rig (\(rig)) scans the object on its table and makes a model of it, in a few minutes.")
      Terminal.say("What it asks for, a simulated person does.")
      Terminal.say("All goes to \(folder.path); what the agent says, to twinrigd.log there.")
      Terminal.say("")
    }
    let agent = try await DemoAgent.start(
      configuration: rig, state: folder.path + "/state", log: folder.path + "/twinrigd.log")
    let result: Result<(Int32, session: String?, model: Fields?), ClientFailure>
    do throws(ClientFailure) {
      result = .success(try await scan(agent, start, options))
    } catch {
      result = .failure(error)
    }
    await agent.stop()
    let (code, session, model) = try result.get()
    guard code == ExitCode.done else { return code }
    guard let model else {
      throw ClientFailure(code: ExitCode.failed, message: "no model came of it; see \(folder.path)/twinrigd.log")
    }
    let seconds = (ContinuousClock.now - began) / .seconds(1)
    try show(model, of: session ?? "", in: folder, seconds: seconds, isJSON: options.isJSON)
    return ExitCode.done
  }

  /// Scans, and asks for the model that came of it.
  private static func scan(
    _ agent: DemoAgent, _ start: Request, _ options: ClientOptions
  ) async throws(ClientFailure) -> (Int32, session: String?, model: Fields?) {
    let client = try await agent.connect()
    defer { client.close() }
    var follower = ScanFollower(client: client, isJSON: options.isJSON, asks: false, isUnattended: true)
    let code = try await follower.run(start)
    guard code == ExitCode.done, let id = follower.model?.text("model") else { return (code, follower.session, nil) }
    let answer = try await client.answer(Request(verb: "model", words: [id]))
    return (code, follower.session, answer.data.first)
  }

  /// Copies what people want to see, and says where it is.
  private static func show(
    _ model: Fields, of session: String, in folder: Folder, seconds: Double, isJSON: Bool
  ) throws(ClientFailure) {
    for (key, name) in [
      ("file", "model.usdz"), ("glb", "model.glb"), ("preview", "preview.png"), ("report", "report.json")
    ] {
      if let path = model.text(key) { try folder.take(path, as: name, isNeeded: key == "file") }
    }
    if isJSON {
      let fields: Fields = [
        "model": .text("\(folder.path)/model.usdz"), "picture": .text("\(folder.path)/preview.png"),
        "session": .text("\(folder.path)/state/sessions/\(session)"), "seconds": .number(seconds, decimals: 1)
      ]
      Terminal.say(JSONText.line("ok", fields))
      return
    }
    let size = ["x", "y", "z"].map { model.text($0) ?? "?" }.joined(separator: " × ")
    Terminal.tell("model    \(folder.path)/model.usdz (and model.glb), \(size) cm")
    Terminal.tell("picture  \(folder.path)/preview.png")
    Terminal.tell("session  \(folder.path)/state/sessions/\(session), with mesh, poses and points in result/")
    Terminal.tell("It took \(ProgressBar.clock(seconds)) minutes.")
  }

  /// The file that describes the rig: the one that was named, else the first of the usual ones that is there. What is
  /// wrong with it is found here, before the agent would.
  private static func configuration(_ named: String?) throws(ClientFailure) -> String {
    let usual = ["config/simulated.toml", "/usr/share/twinrig/simulated.toml"]
    guard let file = named ?? usual.first(where: { access($0, R_OK) == 0 }) else {
      throw .usage("no configuration of a simulated rig (\(usual.joined(separator: ", "))); name one with --config")
    }
    do throws(ConfigurationError) {
      _ = try TwinrigConfiguration(file: file)
    } catch {
      let more = error.problems.count > 1 ? "; twinrig config check says what else is wrong with it" : ""
      throw .usage((error.problems.first?.description ?? "\(file): cannot be used") + more)
    }
    return file
  }

  /// The folder that the demo writes to.
  private struct Folder {
    let path: String

    init(_ path: String) throws(ClientFailure) {
      do {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      } catch {
        throw ClientFailure(
          code: ExitCode.usage, message: "\(path): no such folder can be made; name another one with --output")
      }
      var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
      guard realpath(path, &buffer) != nil else {
        throw ClientFailure(code: ExitCode.usage, message: "\(path): \(String(cString: strerror(errno)))")
      }
      self.path = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func take(_ source: String, as name: String, isNeeded: Bool) throws(ClientFailure) {
      do {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: source))
        try bytes.write(to: URL(fileURLWithPath: "\(path)/\(name)"), options: .atomic)
      } catch {
        if isNeeded { throw ClientFailure(code: ExitCode.failed, message: "\(source): cannot be copied: \(error)") }
      }
    }
  }
}
