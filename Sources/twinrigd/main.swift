import CLinux
import Glibc

// First of all: whoever wants to end us while we start is heard, too.
_ = linux_signals_take_over()

/// Says what was asked for, and ends. A reader that has seen enough is no fault.
func answer(_ text: String) -> Never {
  print(text)
  guard fflush(nil) == 0 || errno == EPIPE else {
    Log.standard.error("standard output cannot be written: \(String(cString: strerror(errno)))")
    Log.standard.flush()
    exit(1)
  }
  exit(0)
}

do throws(UsageError) {
  let options = try AgentOptions(Array(CommandLine.arguments.dropFirst()))
  switch options.wish {
  case .help: answer(AgentOptions.usage)
  case .version: answer("twinrigd \(Version.text)")
  case .run(let settings):
    let code = await Agent.run(settings)
    Log.standard.flush()
    exit(code)
  case .motorsOff(let configuration):
    let code = await MotorsOffCommand(configuration: configuration, log: .standard).run()
    Log.standard.flush()
    exit(code)
  }
} catch {
  Log.standard.error(error.message)
  Log.standard.flush()
  exit(2)
}
