// Tries the devices of a configuration, on a board or an emulated one: checks what RigContract promises of axes, lamps, buttons,
// gauges and the signal, and tells each in a line of key=value. It moves what moves, and asks for every line itself, so no agent
// may run.
//
//   rig-probe CONFIG [FINGER]
//
// FINGER is a program that presses and releases the button whose number it is given; without it no button is tried. Exit status:
// 0 all is well, 1 something is not, 2 the command line or the configuration is wrong.
//
// Each promise is checked in a process of its own (rig-probe CONFIG FINGER NUMBER): what one leaves behind must not help the
// next, and only the end of a process surely lets go of a line.

import Configuration

#if canImport(Glibc)
  import Glibc
#endif

/// One line, at once: whoever reads along sees where it hangs.
func say(_ line: String) {
  print(line)
  fflush(nil)
}

/// Runs a program, whose words have no quotes in them; returns its exit status.
func run(_ words: String...) -> Int32 {
  let status = system(words.map { "'\($0)'" }.joined(separator: " "))
  return status & 0x7F == 0 ? status >> 8 & 0xFF : 1
}

let words = CommandLine.arguments
guard (2...4).contains(words.count) else {
  say("usage: rig-probe CONFIG [FINGER]")
  exit(2)
}
let file = words[1]
let finger = words.count > 2 ? words[2] : ""
do throws(ConfigurationError) {
  let probe = Probe(try TwinrigConfiguration(file: file), finger: finger)
  if words.count == 4, let number = Int(words[3]) {
    exit(await probe.check(number) ? 0 : 1)
  }
  var broken = 0
  for number in 0..<probe.count where run(words[0], file, finger, "\(number)") != 0 { broken += 1 }
  say("summary ok=\(broken == 0 ? 1 : 0) kept=\(probe.count - broken) broken=\(broken)")
  exit(broken == 0 ? 0 : 1)
} catch {
  for problem in error.problems { say("failed reason=\"\(problem)\"") }
  exit(2)
}
