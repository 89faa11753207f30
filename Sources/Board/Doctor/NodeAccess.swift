import LinuxRig

/// Whether the agent's account may open a node of /dev, and what lets it.
struct NodeAccess {
  /// Who runs the agent.
  let account: Account

  /// What is wrong with the access to a node; nil where nothing is. `group` is the one that the package's rules give such
  /// nodes to, `subsystem` what the kernel calls them.
  func finding(_ subject: String, _ path: String, group: String, subsystem: String) -> Finding? {
    guard account.mayReadAndWrite(path) == false else { return nil }
    let owner = DeviceNode(path: path).access.map { " (\($0))" } ?? ""
    let isGivenToGroup = Account.owningGroup(of: path) == group
    let remedy: Remedy =
      isGivenToGroup && !account.groupNames.contains(group)
      ? .command("adduser \(account.name) \(group)")
      : .command("udevadm control --reload && udevadm trigger --subsystem-match=\(subsystem) --action=change")
    return .fault(subject, "\(path)\(owner) may not be opened by \(account.name)", remedy)
  }

  /// What is said of a node that could not be opened for want of a right: the account has none, or it has and whoever runs
  /// this has not.
  func denial(_ subject: String, _ path: String, group: String, subsystem: String) -> Finding {
    if let finding = finding(subject, path, group: group, subsystem: subsystem) { return finding }
    return .warning(
      subject, "\(path) may be opened by \(account.name), but not by you: what hangs there was not tried",
      .command("sudo twinrig doctor"))
  }
}
