import CLinux
import Glibc

// First of all, while there is one thread: the mask is inherited by all later ones.
linux_signals_take_over()

do throws(UsageError) {
  let options = try AgentOptions(Array(CommandLine.arguments.dropFirst()))
  switch options.wish {
  case .help:
    print(AgentOptions.usage)
    exit(0)
  case .version:
    print("twinrigd \(Version.text)")
    exit(0)
  case .run(let settings): exit(await Agent.run(settings))
  }
} catch {
  Log.standard.error(error.message)
  exit(2)
}
