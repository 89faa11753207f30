import CLinux
import Rig
import Synchronization

/// An answer that is owed, exactly once.
struct Reply<Value: Sendable>: Sendable {
  let send: @Sendable (Result<Value, DeviceError>) -> Void
}

/// Two pictures of one moment, not converted yet.
struct RawPair: Sendable {
  /// A camera's part.
  struct Half: Sendable {
    var picture: RawPicture
    var time: Int64
    var controls: CameraControls
  }
  var left: Half, right: Half
}

/// What the thread of the cameras is asked to do.
enum TwinCommand: Sendable {
  /// The next pair whose exposure starts after `asked` (nanoseconds, CLOCK_MONOTONIC).
  case take(asked: Int64, operation: String, Reply<RawPair>)
  case apply(CameraControls, Reply<CameraControls>)
  /// Windows of the left and the right picture.
  case focus([PictureWindow], Reply<LensFocus?>)
  case restart(Reply<Void>)
  /// Answered at once: the thread is alive.
  case check(Reply<Void>)
  /// Answered when the cameras are closed.
  case stop(Reply<Void>)

  /// Answers with an error.
  func fail(_ error: DeviceError) {
    switch self {
    case .take(_, _, let reply): reply.send(.failure(error))
    case .apply(_, let reply): reply.send(.failure(error))
    case .focus(_, let reply): reply.send(.failure(error))
    case .restart(let reply), .check(let reply): reply.send(.failure(error))
    case .stop(let reply): reply.send(.success(()))
    }
  }
}

/// Hands commands to the thread of the cameras and wakes it.
final class TwinMailbox: Sendable {
  private struct State {
    var commands: [TwinCommand] = []
    var isClosed = false
  }
  private let state = Mutex(State())
  /// Readable when there are commands.
  let waker: Int32

  /// Throws `.faulty` where no event descriptor is to be had.
  init(device: String) throws(DeviceError) {
    waker = linux_waker_create()
    guard waker >= 0 else {
      throw DeviceError(.faulty, device: device, operation: "start", errno: -waker)
    }
  }

  deinit { linux_close(waker) }

  /// Hands a command over; false where nobody will take it any more.
  func post(_ command: TwinCommand) -> Bool {
    let isTaken = state.withLock { state in
      if !state.isClosed { state.commands.append(command) }
      return !state.isClosed
    }
    if isTaken { linux_waker_wake(waker) }
    return isTaken
  }

  /// What has come.
  func take() -> [TwinCommand] {
    linux_waker_clear(waker)
    return state.withLock { state in
      defer { state.commands = [] }
      return state.commands
    }
  }

  /// Takes nothing from now on; returns what was not taken.
  func close() -> [TwinCommand] {
    state.withLock { state in
      state.isClosed = true
      defer { state.commands = [] }
      return state.commands
    }
  }
}
