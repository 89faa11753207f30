// Measures: how fast the kernels are, and how good a model is against a known truth. The only program that reads truths.
import Spelling

#if canImport(Glibc)
  import Glibc
#endif

let usage = """
  usage: twinrig-bench [kernels] [--only WORD] [--repeat N] [--json]
         twinrig-bench quality --truth MESH --model MESH [--cameras PAR.TXT] [--align] [--samples N] [--seed N] [--json]
         twinrig-bench simulation [--width PIXELS] [--stops N] [--json]

  kernels     times of the inner loops, in processor time of one thread, the median of N; with checksums that must not
              change, and how many times faster than the plainest Swift of the same formula.
  quality     distances between a model and the truth (PLY or OBJ, same unit and, without --align, same frame):
              accuracy from the model to the truth, completeness from the truth to the model, counting of the truth
              only what three or more of the cameras see. --align moves the model rigidly onto the truth first and
              reports its error of scale.
  simulation  wall time of a stop of the simulated rig with its pair of pictures, the median of N, on all processors.

  """

func run(_ arguments: [String]) async throws {
  switch arguments.first {
  case "quality": try QualityCommand.run(arguments.dropFirst())
  case "simulation": try await SimulationCommand.run(arguments.dropFirst())
  case "kernels": try KernelsCommand.run(arguments.dropFirst())
  case "--help", "-h", "help": print(usage, terminator: "")
  case let word? where !word.hasPrefix("--"):
    let names = ["kernels", "quality", "simulation"]
    throw BenchError(Spelling.unknown("command", word, among: names, see: "twinrig-bench --help"))
  default: try KernelsCommand.run(arguments[...])
  }
}

struct OutputLost: Error, CustomStringConvertible {
  let description = "standard output cannot be written: \(String(cString: strerror(errno)))"
}

do {
  try await run(Array(CommandLine.arguments.dropFirst()))
  guard fflush(nil) == 0 else { throw OutputLost() }
} catch {
  let message = Array(VisibleText.line("twinrig-bench: \(error)").utf8) + [UInt8(ascii: "\n")]
  _ = write(STDERR_FILENO, message, message.count)
  exit(error is BenchError ? 2 : 1)
}
