// Measures: how fast the kernels are, and how good a model is against a known truth. The only program that reads truths.
import Spelling

#if canImport(Glibc)
  import Glibc
#endif

func run(_ arguments: [String]) async throws {
  var words = arguments[...]
  let isHelp = words.first == "help"
  if isHelp { words.removeFirst() }
  let name = words.first.flatMap { $0.hasPrefix("-") ? nil : $0 }
  let command = try name.map(BenchCommand.named)
  if command != nil { words.removeFirst() }
  if isHelp || words.contains("--help") || words.contains("-h") {
    return print(command?.usage ?? BenchCommand.usage)
  }
  try await (try command ?? BenchCommand.named("kernels")).run(words)
}

struct OutputLost: Error, CustomStringConvertible {
  let description = "standard output cannot be written: \(String(cString: strerror(errno)))"
}

// a reader that has seen enough (`| head`) is an error of the write, and none of ours
signal(SIGPIPE, SIG_IGN)
do {
  try await run(Array(CommandLine.arguments.dropFirst()))
  guard fflush(nil) == 0 || errno == EPIPE else { throw OutputLost() }
} catch {
  let message = Array(VisibleText.line("twinrig-bench: \(error)").utf8) + [UInt8(ascii: "\n")]
  _ = write(STDERR_FILENO, message, message.count)
  exit(error is BenchError ? 2 : 1)
}
