// Opens two real cameras and tries them, for a board or an emulated one: checks what CameraContract promises, captures pairs,
// builds the pipeline up again, and tells each in a line of key=value. Exit status: 0 all is well, 1 something is not,
// 2 the command line is wrong, 3 there are no two such cameras.

import LinuxRig
import Rig

#if canImport(Glibc)
  import Glibc
#endif

guard let options = Options(Array(CommandLine.arguments.dropFirst())) else {
  print(Options.usage)
  exit(2)
}
do throws(DeviceError) {
  let camera = try LibcameraPair(options.mode, left: options.left, right: options.right)
  let found = camera.statistics ?? CameraStatistics()
  say("cameras left=\"\(found.left)\" right=\"\(found.right)\" libcamera=\(LibcameraPair.libraryVersion)")
  var probe = Probe(options: options, camera: camera)
  await probe.run()
  exit(probe.broken == 0 ? 0 : 1)
} catch {
  say("failed reason=\"\(error)\"")
  exit(3)
}
