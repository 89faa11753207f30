import CLinux
import Configuration

#if canImport(Glibc)
  import Glibc
#endif

/// The folder that sessions and models go to, and the disk it is on.
struct StorageExamination {
  let configuration: TwinrigConfiguration
  let roots: SystemRoots
  /// Who runs the agent.
  let account: Account

  private var folder: String { configuration.agent.stateFolder }

  func findings() -> [Finding] { [folderFinding, mountFinding, diskFinding] }

  private var folderFinding: Finding {
    let subject = "state folder"
    var status = stat()
    guard stat(folder, &status) == 0 else {
      return .warning(
        subject, "there is no \(folder) yet: the agent's first start makes it",
        .command("install -d -o \(account.name) -g \(account.name) -m 0750 \(folder)"))
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      return .fault(subject, "\(folder) is no folder", .setting("agent.state_folder = \"/var/lib/twinrig\""))
    }
    guard account.mayReadAndWrite(folder) == true else {
      return .fault(
        subject, "\(folder) may not be written by \(account.name)", .command("chown -R \(account.name): \(folder)"))
    }
    return .ok(subject, "\(folder) may be written by \(account.name)")
  }

  /// The mount that the folder is on: the longest that its path begins with.
  private var mount: (point: String, options: [Substring])? {
    let lines = roots.text(of: "\(roots.proc)/self/mounts")?.split(separator: "\n") ?? []
    var best: (point: String, options: [Substring])?
    for line in lines {
      let words = line.split(separator: " ")
      guard words.count >= 4 else { continue }
      let point = String(words[1])
      let isAbove = point == "/" || folder == point || folder.hasPrefix(point + "/")
      // of two on one point, the later one is on top
      if isAbove, point.utf8.count >= best?.point.utf8.count ?? 0 {
        best = (point, words[3].split(separator: ","))
      }
    }
    return best
  }

  private var mountFinding: Finding {
    guard let mount else { return .ok("file system", "this computer does not tell how it is mounted") }
    guard mount.options.contains("ro") else { return .ok("file system", "\(mount.point) may be written") }
    return .fault(
      "file system", "\(mount.point) is read-only: the kernel has found a fault of the disk, or somebody wanted it so",
      .command("mount -o remount,rw \(mount.point)   # and see dmesg for why"))
  }

  private var diskFinding: Finding {
    // the folder may be still to be made
    var place = folder
    while place.count > 1, access(place, F_OK) != 0 {
      place = String(place[..<(place.lastIndex(of: "/") ?? place.startIndex)])
    }
    let bytes = twinrig_free_bytes(place.isEmpty ? "/" : place)
    guard bytes >= 0 else {
      return .fault("disk", "cannot be asked: errno \(-bytes)", .command("df \(folder)"))
    }
    let (free, floor) = (Int(bytes / 1_000_000), configuration.agent.diskFloorMegabytes)
    let text = "\(free) MB free for \(folder), of which \(floor) stay free"
    let remedy = Remedy.command("du -xsh \(folder)/sessions/*   # and remove those that are copied elsewhere")
    if free < floor { return .fault("disk", text, remedy) }
    // a scan of three passes
    return free < floor + 1000 ? .warning("disk", "\(text): that is about one scan", remedy) : .ok("disk", text)
  }
}
