// Tries the devices of a configuration, on a board or an emulated one: checks what RigContract promises of axes, lamps, buttons,
// gauges and the signal, and tells each in a line of key=value. It moves what moves, and asks for every line itself, so no agent
// may run.
//
//   rig-probe CONFIG [FINGER]
//
// FINGER is a program that presses and releases the button whose number it is given; without it no button is tried. Exit status:
// 0 all is well, 1 something is not, 2 the command line or the configuration is wrong.

import Configuration

#if canImport(Glibc)
  import Glibc
#endif

/// One line, at once: whoever reads along sees where it hangs.
func say(_ line: String) {
  print(line)
  fflush(nil)
}

let words = CommandLine.arguments
guard (2...3).contains(words.count) else {
  say("usage: rig-probe CONFIG [FINGER]")
  exit(2)
}
do throws(ConfigurationError) {
  let probe = Probe(try TwinrigConfiguration(file: words[1]), finger: words.count > 2 ? words[2] : nil)
  let broken = await probe.run()
  exit(broken == 0 ? 0 : 1)
} catch {
  for problem in error.problems { say("failed reason=\"\(problem)\"") }
  exit(2)
}
