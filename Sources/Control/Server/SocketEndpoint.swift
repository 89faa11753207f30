import CLinux
import Glibc

/// Where a server listens.
public struct SocketEndpoint: Sendable {
  /// The socket's path, for messages and for removing it at the end.
  public let path: String
  let descriptor: Int32
  /// Whether we made the node, and so remove it.
  let isOwn: Bool

  /// Binds a new socket with mode 0660, given to `group` where there is one of that name. A node left over by a dead
  /// agent is replaced; one that is answered refuses with `.occupied`; what is not a socket is left alone.
  public static func bind(path: String, group: String? = "twinrig") throws(ControlError) -> SocketEndpoint {
    let remedy = "choose another with --socket"
    let probe = linux_socket_connect(path)
    if probe >= 0 {
      linux_close(probe)
      throw ControlError(.occupied, path: path, operation: "listen: another agent answers here", remedy: remedy)
    }
    if probe == -ECONNREFUSED, linux_remove_socket(path) != 0 {
      throw ControlError(.system, path: path, operation: "listen: this is no left-over socket", remedy: remedy)
    }
    let descriptor = linux_socket_listen(path, 0o660, 32)
    guard descriptor >= 0 else {
      let kind: ControlError.Kind = descriptor == -EADDRINUSE ? .occupied : descriptor == -EACCES ? .denied : .system
      throw ControlError(
        kind, path: path, operation: "listen", errno: -descriptor,
        remedy: descriptor == -ENAMETOOLONG ? "a socket's path has at most 107 bytes" : remedy)
    }
    // Without the right to give it away, or without the group, the socket stays with its owner.
    if let group { _ = linux_give_to_group(path, group) }
    return SocketEndpoint(path: path, descriptor: descriptor, isOwn: true)
  }

  /// The socket that systemd passed on (LISTEN_FDS), if it did. The variables are removed, so that no child takes them
  /// for its own. Throws where it passed something else than one listening local stream socket.
  public static func inherited() throws(ControlError) -> SocketEndpoint? {
    let count = linux_inherited_descriptors()
    guard count > 0 else { return nil }
    guard count == 1, linux_socket_is_listening(3) == 1 else {
      throw ControlError(
        .system, path: "LISTEN_FDS", operation: "take over \(count) descriptors",
        remedy: "the socket unit must have exactly one ListenStream= with a path")
    }
    _ = linux_set_nonblocking(3)
    return SocketEndpoint(path: "LISTEN_FDS", descriptor: 3, isOwn: false)
  }

  /// Stops listening, and removes the node where it is ours.
  func close() {
    if isOwn { linux_remove_listener(descriptor, path) }
    linux_close(descriptor)
  }
}
