/// `twinrig completions bash|zsh|fish`: what a shell completes this program's words by.
enum CompletionsCommand {
  /// The shells there are completions for.
  enum Shell: String, CaseIterable {
    case bash, zsh, fish
  }

  /// What `--help` says.
  static let usage = """
    usage: twinrig completions bash|zsh|fish
    Prints what the shell completes this program's words by: its commands, the agent's, their keys, values and options. The
    package installs it; without the package, in bash: . <(twinrig completions bash)
    """

  /// Prints what the one word after `completions` asks for.
  static func run(_ arguments: [String], isJSON: Bool) throws(ClientFailure) -> Int32 {
    let names = Shell.allCases.map(\.rawValue)
    guard arguments.count == 1 else {
      throw .usage("completions needs one word: \(names.joined(separator: ", ")); see twinrig completions --help")
    }
    guard let shell = Shell(rawValue: arguments[0]) else {
      throw .usage("there are no completions for \(arguments[0]); there are \(names.joined(separator: ", "))")
    }
    let text = script(shell)
    if isJSON { Terminal.say(JSONText.line("ok", ["text": .text(text)])) } else { Terminal.say(lines: text) }
    return ExitCode.done
  }

  private static func script(_ shell: Shell) -> String {
    let table = CompletionTable()
    switch shell {
    case .bash: return BashCompletion.script(table)
    case .zsh: return ZshCompletion.script(table)
    case .fish: return FishCompletion.script(table)
    }
  }
}
