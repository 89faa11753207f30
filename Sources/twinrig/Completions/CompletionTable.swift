import Spelling

/// What may come next on the command line, by what stands there already.
///
/// A context is the command's own words (`capture start`), these and a key (`capture start detail=`), or these and an option
/// that takes a value (`doctor --config`). All three shells find the context in the same way: words that make no longer
/// context leave it as it is.
struct CompletionTable {
  /// Names of files, or of folders, instead of words.
  static let files = "@files", folders = "@folders"

  /// Each context and its candidates, sorted.
  let contexts: [(context: String, candidates: [String])]

  /// That of this program.
  init() {
    var table: [String: [String]] = [:]
    Self.addAgent(to: &table)
    Self.addOwn(to: &table)
    let first = Set(AgentSyntax.entries.map { $0.path[0] } + Vocabulary.commands.map(\.name)).subtracting(["VERB"])
    table["help"] = first.sorted()
    for (context, candidates) in table where !context.contains("=") && !context.contains("--") {
      table[context] = candidates + (context.isEmpty ? [] : ["--help"])
    }
    table[""] = first.sorted() + ["--help", "--json", "--socket", "--version"]
    table["--socket"] = [Self.files]
    contexts = table.keys.sorted().map { ($0, Self.once(table[$0] ?? [])) }
  }

  private static func once(_ words: [String]) -> [String] {
    var seen: Set<String> = []
    return words.filter { seen.insert($0).inserted }
  }

  /// The agent's commands, and where a command's own words begin alike, what may follow.
  private static func addAgent(to table: inout [String: [String]]) {
    for entry in AgentSyntax.entries {
      let path = entry.path.joined(separator: " ")
      table[path, default: []] += entry.words + entry.keys.map { $0.name + "=" }
      for key in entry.keys where !key.values.isEmpty { table["\(path) \(key.name)="] = key.values }
      if entry.path.count > 1 { table[entry.path[0], default: []].append(entry.path[1]) }
    }
  }

  /// This program's own commands: their options are those that their usage names.
  private static func addOwn(to table: inout [String: [String]]) {
    let start = AgentSyntax.entries.first { $0.path == ["capture", "start"] }
    for command in ["scan", "demo"] {
      table[command] = start?.keys.map { $0.name + "=" } ?? []
      for key in start?.keys ?? [] where !key.values.isEmpty { table["\(command) \(key.name)="] = key.values }
    }
    let usages = [
      "scan": CommandUsage.scan, "demo": DemoCommand.usage, "doctor": DoctorCommand.usage,
      "reconstruct": ReconstructCommand.usage
    ]
    for (command, usage) in usages {
      let options = Spelling.options(in: usage).filter { $0 != "--json" || command == "doctor" }
      table[command, default: []] += options.sorted()
      for option in options { table["\(command) \(option)"] = values[option] }
    }
    table["reconstruct", default: []].append(folders)
    table["config", default: []] += ["check", "defaults"]
    table["config check"] = [files, "--json"]
    table["config defaults"] = []
    table["completions"] = CompletionsCommand.Shell.allCases.map(\.rawValue)
  }

  /// What an option's value may be; an empty list where that is anything. Options that are not here take none.
  private static let values: [String: [String]] = [
    "--cameras": [files], "--output": [folders], "--config": [files], "--detail": ["preview", "reduced", "medium"],
    "--progress": ["json"], "--triangles": [], "--texture-size": [], "--name": [], "--unit": [], "--threads": [],
    "--memory-limit": []
  ]
}
