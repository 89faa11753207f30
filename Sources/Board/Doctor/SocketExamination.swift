import LinuxRig

#if canImport(Glibc)
  import Glibc
#endif

/// The control socket and who may use it, and the account that the agent runs as.
struct SocketExamination {
  /// Where the socket should be.
  let path: String
  /// The agent's account; nil where there is none.
  let agent: Account?
  /// Whoever runs this.
  let caller: Account
  /// Groups that the devices of the configuration need.
  let deviceGroups: [String]
  let agentRuns: Bool

  func findings() -> [Finding] { [accountFinding, socketFinding] }

  private var accountFinding: Finding {
    guard let agent else {
      return .warning(
        "account", "there is no user twinrig: the agent would run as \(caller.name)", .command("systemd-sysusers"))
    }
    let missing = deviceGroups.filter { !agent.groupNames.contains($0) }
    guard let first = missing.first, !agent.isRoot else {
      let groups = agent.groupNames.sorted().joined(separator: " ")
      return .ok("account", "\(agent.name) is in the groups \(groups)")
    }
    return .fault(
      "account", "\(agent.name) is not in the group \(missing.joined(separator: ", ")), which its devices belong to",
      .command("adduser \(agent.name) \(first) && systemctl restart twinrigd"))
  }

  private var socketFinding: Finding {
    let subject = "socket"
    var status = stat()
    guard stat(path, &status) == 0 else {
      return agentRuns
        ? .fault(
          subject, "the agent runs, but its socket \(path) is gone",
          .command("systemctl restart twinrigd.socket twinrigd"))
        : .warning(
          subject, "there is no \(path): nobody can talk to an agent",
          .command("systemctl enable --now twinrigd.socket"))
    }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      return .fault(subject, "\(path) is no socket", .command("rm \(path) && systemctl restart twinrigd.socket"))
    }
    let who = DeviceNode(path: path).access ?? "?"
    guard caller.mayReadAndWrite(path) == true else {
      let group = Account.owningGroup(of: path) ?? "twinrig"
      return .warning(
        subject, "\(path) (\(who)) may not be used by \(caller.name)",
        .command("adduser \(caller.name) \(group)   # then log in again"))
    }
    return .ok(subject, "\(path) (\(who)) may be used by \(caller.name)")
  }
}
