import Spelling

/// One of the things that can be measured, as the command line knows it.
struct BenchCommand: Sendable {
  let name: String
  /// How it is called, without the program's name.
  let call: String
  /// What it measures.
  let meaning: String
  /// Measures, as the words after its name say.
  let run: @Sendable (_ words: ArraySlice<String>) async throws -> Void

  /// All there are.
  static let all = [
    BenchCommand(
      name: "kernels", call: "[kernels] [--only WORD] [--repeat N] [--json]",
      meaning: """
        times of the inner loops, in processor time of one thread, the median of N; with checksums that must not
        change, and how many times faster than the plainest Swift of the same formula.
        """, run: { try KernelsCommand.run($0) }),
    BenchCommand(
      name: "quality",
      call: "quality --truth MESH --model MESH [--cameras PAR.TXT] [--align] [--samples N] [--seed N] [--json]",
      meaning: """
        distances between a model and the truth (PLY or OBJ, same unit and, without --align, same frame):
        accuracy from the model to the truth, completeness from the truth to the model, counting of the truth
        only what three or more of the cameras see (--least-views N: so many). --align moves the model rigidly
        onto the truth first and reports its error of scale.
        """, run: { try QualityCommand.run($0) }),
    BenchCommand(
      name: "simulation", call: "simulation [--width PIXELS] [--stops N] [--json]",
      meaning: """
        wall time of a stop of the simulated rig with its pair of pictures, the median of N, on all processors.
        """,
      run: { try await SimulationCommand.run($0) })
  ]

  /// The command of that name. Throws where there is none.
  static func named(_ name: String) throws -> BenchCommand {
    if let command = all.first(where: { $0.name == name }) { return command }
    throw BenchError(Spelling.unknown("command", name, among: all.map(\.name), see: "twinrig-bench --help"))
  }

  /// What `--help` says of all.
  static var usage: String {
    let calls = all.map { "twinrig-bench \($0.call)" }.joined(separator: "\n       ")
    let meanings = all.map { command in
      let head = command.name + String(repeating: " ", count: 12 - command.name.count)
      return "  " + head + command.meaning(indent: 14)
    }
    return "usage: \(calls)\n\n\(meanings.joined(separator: "\n"))\n\(exits)"
  }

  /// What `--help` says of this one.
  var usage: String { "usage: twinrig-bench \(call)\n  \(meaning(indent: 2))\n\(Self.exits)" }

  private static let exits = "Exit codes: 0 done, 1 failed, 2 wrong usage."

  private func meaning(indent: Int) -> String {
    meaning.split(separator: "\n").joined(separator: "\n" + String(repeating: " ", count: indent))
  }
}
