import CLinux
import Glibc

let arguments = Array(CommandLine.arguments.dropFirst())
Terminal.occupyDescriptors()
// A reader that has seen enough (`| head`) is an error of the write, not our end.
signal(SIGPIPE, SIG_IGN)
// Commands that follow a job answer ^C themselves.
if CommandLineDispatch.takesSignals(arguments) { _ = linux_signals_take_over() }
exit(Terminal.exitCode(await CommandLineDispatch.run(arguments)))
