import Configuration
import Control
import Spelling

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `twinrig config check FILE…` and `twinrig config defaults`: what can be said about configuration files without an
/// agent.
///
/// Exit status: 0 all is right, 1 something is wrong with a file, 2 the command line is.
enum ConfigCommand {
  /// What `--help` says.
  static let usage = """
    usage: twinrig config check [--json] FILE…   says everything that is wrong with configuration files
           twinrig config defaults               prints every key with meaning, unit and default
    and of the agent:
           twinrig config                        what is in force, as key and value
           twinrig config reload                 reads its file again: what has changed, and what waits for a restart
    """

  /// What is known about one file.
  private struct Verdict: Encodable {
    struct Problem: Encodable {
      var file: String
      var line: Int?
      var column: Int?
      var key: String?
      var message: String
    }
    var file: String
    var valid: Bool
    var problems: [Problem]
  }

  /// Whether these arguments (those after `config`) are for this command and not a request to the agent.
  static func handles(_ arguments: [String]) -> Bool {
    guard let word = arguments.first else { return false }
    return word != "reload" && !word.contains("=")
  }

  /// Does what the arguments after `config` say and returns the exit status. `isJSON` where all that is printed has to be
  /// JSON (`twinrig --json`).
  static func run(_ arguments: [String], isJSON: Bool) throws(ClientFailure) -> Int32 {
    var files = arguments.dropFirst()
    switch arguments.first ?? "" {
    case "defaults":
      if let word = files.first { throw .usage("config defaults takes no word \(word); see twinrig config --help") }
      let text = TwinrigConfiguration().documentedText
      guard !isJSON else {
        Terminal.say(JSONText.line("ok", ["text": .text(text)]))
        return ExitCode.done
      }
      Terminal.say(lines: String(text.dropLast()))
      return ExitCode.done
    case "check":
      let json = isJSON || files.contains("--json")
      files.removeAll { $0 == "--json" }
      if let option = files.first(where: { $0.hasPrefix("-") }) {
        throw .usage(Spelling.unknownOption(option, among: Spelling.options(in: usage), see: "twinrig config --help"))
      }
      if files.isEmpty { throw .usage("config check needs a file; see twinrig config --help") }
      if files.contains("") { throw .usage("config check is given an empty name for a file") }
      return check(Array(files), json: json)
    case "": throw .usage("config takes no empty word; see twinrig config --help")
    case let word:
      throw .usage(Vocabulary.unknown("config \(word)", among: ["check", "defaults", "reload"].map { "config \($0)" }))
    }
  }

  private static func check(_ files: [String], json: Bool) -> Int32 {
    let verdicts = files.map(verdict)
    for verdict in verdicts {
      if json {
        Terminal.say(encoded(verdict))
      } else if verdict.valid {
        Terminal.say("\(verdict.file): no problems")
      } else {
        for problem in verdict.problems { Terminal.complain(line(problem)) }
      }
    }
    return verdicts.allSatisfy(\.valid) ? ExitCode.done : ExitCode.failed
  }

  private static func verdict(on file: String) -> Verdict {
    do throws(ConfigurationError) {
      _ = try TwinrigConfiguration(file: file)
      return Verdict(file: file, valid: true, problems: [])
    } catch {
      return Verdict(
        file: file, valid: false,
        problems: error.problems.map {
          Verdict.Problem(
            file: $0.file, line: $0.line > 0 ? $0.line : nil, column: $0.column > 0 ? $0.column : nil,
            key: $0.key.isEmpty ? nil : $0.key, message: $0.message)
        })
    }
  }

  private static func line(_ problem: Verdict.Problem) -> String {
    ConfigurationProblem(
      file: problem.file, line: problem.line ?? 0, column: problem.column ?? 0, key: problem.key ?? "",
      message: problem.message
    ).description
  }

  private static func encoded(_ verdict: Verdict) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(verdict) else { return "{}" }
    return String(decoding: data, as: UTF8.self)
  }
}
