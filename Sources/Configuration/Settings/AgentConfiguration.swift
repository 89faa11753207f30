/// The agent as a program: its files and limits.
public struct AgentConfiguration: Sendable, Hashable {
  /// The control socket.
  public var socket = "/run/twinrig/control.sock"
  /// The folder of sessions, models, media and what the agent remembers.
  public var stateFolder = "/var/lib/twinrig"
  /// Free disk space that is never used, in megabytes (10⁶ bytes).
  public var diskFloorMegabytes = 500

  /// The defaults.
  public init() {}
}

extension AgentConfiguration: Configurable {
  static var fields: [Field<Self>] {
    [
      .value("socket", \.socket, .socketPath, "The control socket."),
      .value(
        "state_folder", \.stateFolder, .absolutePath,
        "The folder that holds sessions/, models/, media/ and what the agent remembers."),
      .value(
        "disk_floor_mb", \.diskFloorMegabytes, .whole(10...1_000_000, unit: "MB (millions of bytes)"),
        "Disk space that stays free: a scan that would need it is refused, one that runs pauses in order.")
    ]
  }
}

/// The station as a whole.
public struct RigConfiguration: Sendable, Hashable {
  /// The rig's name, in sessions and replies.
  public var name = "simulated"
  /// The mains' frequency in hertz: exposures are whole half-waves of it.
  public var mainsHertz = 50

  /// The defaults.
  public init() {}
}

extension RigConfiguration: Configurable {
  static var fields: [Field<Self>] {
    [
      .value("name", \.name, .text(limit: 64), "The rig's name, in sessions and replies."),
      .value(
        "mains_hz", \.mainsHertz, .whole(oneOf: [50, 60], unit: "Hz"),
        "The mains' frequency. Exposures are whole half-waves of it, so that lamps do not flicker in the pictures.")
    ]
  }
}
