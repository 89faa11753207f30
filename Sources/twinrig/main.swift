import CLinux
import Glibc

let arguments = Array(CommandLine.arguments.dropFirst())
// Before there is a second thread: commands that follow a job answer ^C themselves.
if CommandLineDispatch.takesSignals(arguments) { linux_signals_take_over() }
exit(await CommandLineDispatch.run(arguments))
