import CLinux
import Glibc

// First of all: whoever wants to end us while we start is heard, too.
_ = linux_signals_take_over()

do throws(UsageError) {
  let options = try AgentOptions(Array(CommandLine.arguments.dropFirst()))
  switch options.wish {
  case .help:
    print(AgentOptions.usage)
    exit(0)
  case .version:
    print("twinrigd \(Version.text)")
    exit(0)
  case .run(let settings):
    let code = await Agent.run(settings)
    Log.standard.flush()
    exit(code)
  }
} catch {
  Log.standard.error(error.message)
  Log.standard.flush()
  exit(2)
}
