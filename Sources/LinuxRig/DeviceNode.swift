import Rig

#if canImport(Glibc)
  import Glibc
#endif

/// A node in /dev, and who may use it.
package struct DeviceNode {
  package let path: String

  /// The node at a path, whether there is one or not.
  package init(path: String) { self.path = path }

  /// `root:gpio 0660`; nil where there is no such node.
  package var access: String? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    let mode = String(status.st_mode & 0o7777, radix: 8)
    return "\(Self.user(status.st_uid)):\(Self.group(status.st_gid)) 0\(mode)"
  }

  /// What can be done where the node refuses us with EACCES or EPERM: whose it is, and how we get to it. `group` is the one that
  /// the udev rules of the package give such nodes to.
  ///
  /// EPERM comes from no mode of the node: a control group lets its processes have certain devices only, as systemd's
  /// DevicePolicy= does.
  package func refusal(group: String, errno number: Int32) -> String {
    let owner = access.map { " (\($0))" } ?? ""
    if number == EPERM {
      return "\(path)\(owner) is kept from this service, whoever owns it: its unit's DeviceAllow= has to name it, or "
        + "its kind (systemctl show -p DeviceAllow twinrigd)"
    }
    return "\(path)\(owner) may not be opened by \(Self.user(geteuid())): join the group \(group) and log in again, or "
      + "install twinrig's udev rules"
  }

  private static func user(_ id: uid_t) -> String {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 4096)
    guard getpwuid_r(id, &entry, &buffer, buffer.count, &found) == 0, found != nil else { return "\(id)" }
    return String(cString: entry.pw_name)
  }

  private static func group(_ id: gid_t) -> String {
    var entry = Glibc.group()
    var found: UnsafeMutablePointer<Glibc.group>?
    var buffer = [CChar](repeating: 0, count: 4096)
    guard getgrgid_r(id, &entry, &buffer, buffer.count, &found) == 0, found != nil else { return "\(id)" }
    return String(cString: entry.gr_name)
  }
}
