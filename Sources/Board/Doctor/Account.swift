#if canImport(Glibc)
  import Glibc
#endif

/// A user of this computer and the groups it is in: what it may open.
package struct Account: Sendable, Hashable {
  /// Its name.
  package var name: String
  /// Its number.
  package var id: UInt32
  /// The numbers of its groups, the first one among them.
  package var groups: Set<UInt32>
  /// The names of its groups, as far as they have one.
  package var groupNames: Set<String>

  /// An account from its parts.
  package init(name: String, id: UInt32, groups: Set<UInt32>, groupNames: Set<String>) {
    self.name = name
    self.id = id
    self.groups = groups
    self.groupNames = groupNames
  }

  /// Whoever runs this program, with the groups of this login: those that were joined after it do not count yet.
  package static var current: Account {
    var numbers = [gid_t](repeating: 0, count: 1024)
    let count = max(0, getgroups(Int32(numbers.count), &numbers))
    let groups = Set(numbers.prefix(Int(count)) + [getegid()])
    let name = entry(of: geteuid())?.name ?? "\(geteuid())"
    return Account(name: name, id: geteuid(), groups: groups, groupNames: names(of: groups))
  }

  /// The account with a name, with the groups that its next login or service has; nil where there is none.
  package static func named(_ name: String) -> Account? {
    var record = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 16_384)
    guard getpwnam_r(name, &record, &buffer, buffer.count, &found) == 0, found != nil else { return nil }
    var numbers = [gid_t](repeating: 0, count: 1024)
    var count = Int32(numbers.count)
    guard getgrouplist(name, record.pw_gid, &numbers, &count) >= 0 else { return nil }
    let groups = Set(numbers.prefix(Int(count)))
    return Account(name: name, id: record.pw_uid, groups: groups, groupNames: names(of: groups))
  }

  /// Whether it is root, who may do anything.
  package var isRoot: Bool { id == 0 }

  /// Whether it may read and write what is at a path, by its mode alone; nil where nothing is there.
  package func mayReadAndWrite(_ path: String) -> Bool? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    if isRoot { return true }
    let wanted: mode_t = status.st_uid == id ? 0o600 : groups.contains(status.st_gid) ? 0o060 : 0o006
    return status.st_mode & wanted == wanted
  }

  /// The name of the group that something at a path belongs to; its number where it has none.
  package static func owningGroup(of path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return names(of: [status.st_gid]).first ?? "\(status.st_gid)"
  }

  private static func entry(of id: uid_t) -> (name: String, group: gid_t)? {
    var record = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 16_384)
    guard getpwuid_r(id, &record, &buffer, buffer.count, &found) == 0, found != nil else { return nil }
    return (String(cString: record.pw_name), record.pw_gid)
  }

  private static func names(of groups: Set<gid_t>) -> Set<String> {
    Set(
      groups.compactMap { id in
        var record = group()
        var found: UnsafeMutablePointer<group>?
        var buffer = [CChar](repeating: 0, count: 65_536)
        guard getgrgid_r(id, &record, &buffer, buffer.count, &found) == 0, found != nil else { return nil }
        return String(cString: record.gr_name)
      })
  }
}
