import CLinux
import Rig

/// What happens to frames.
extension TwinStream {
  /// Takes frames of both in turn; false where there may be more. Cameras that are faster than they were asked to be do not
  /// keep commands waiting, nor each other.
  func takeFrames() -> Bool {
    for _ in 0..<Self.framesAtOnce {
      var isEmpty = true
      for side in Side.allCases where failure == nil {
        guard let frame = source.next(side) else { continue }
        isEmpty = false
        take(frame, side)
      }
      if failure == nil, let side = Side.allCases.first(where: { source.isGone($0) }) {
        collapse(.absent, side, "has been unplugged: plug it in again and restart the cameras")
      }
      if isEmpty || failure != nil { return true }
    }
    return false
  }

  private static let framesAtOnce = 16

  private func take(_ frame: CompletedFrame, _ side: Side) {
    switch frame.status {
    case .cancelled: return collapse(.timedOut, side, "has given up its frames: restart the cameras")
    case .early: return giveBack(side, frame)
    case .damaged:
      statistics.damaged += 1
      tally.noteDamaged(side)
      return giveBack(side, frame)
    case .good: break
    }
    tally.note(side, frame.time.nanoseconds, arrived: linux_now())
    noteFocus(frame, side)
    if !frame.time.isMeasured { statistics.untimed += 1 }
    for outcome in matcher.add(frame, of: side, at: frame.time.nanoseconds) {
      switch outcome {
      case .orphan(let side, let frame):
        if isPaired { statistics.noteOrphan(isLeft: side == .left) }
        giveBack(side, frame)
      case .pair(let left, let right):
        serve(left, right)
        giveBack(.left, left)
        giveBack(.right, right)
      }
    }
  }

  /// Buffers go back at once: pictures are copied out of them, because a scan keeps pictures longer than a camera can spare
  /// a buffer, and because memory that the camera shares may not be cached, so that it is read best once and in a row.
  private func giveBack(_ side: Side, _ frame: CompletedFrame) {
    guard failure == nil else { return }
    do throws(DeviceError) { try source.giveBack(side, frame.buffer) } catch {
      collapse(error.kind, side, "takes no more requests: restart the cameras")
    }
  }

  private func serve(_ left: CompletedFrame, _ right: CompletedFrame) {
    restartsWithoutPair = 0
    isPaired = true
    statistics.note(skew: right.time.nanoseconds - left.time.nanoseconds)
    report(statistics)
    settle(left.controls, right.controls)
    // the stamp is where the exposure begins, or with many drivers ends
    let begins = [left, right].map { frame in
      frame.time.nanoseconds - Int64((frame.controls.exposureMicroseconds ?? 0) * 1000)
    }
    let first = begins.min() ?? 0
    let served = takes.filter { $0.asked <= first }
    guard !served.isEmpty else { return }
    takes.removeAll { $0.asked <= first }
    let result: Result<RawPair, DeviceError>
    do throws(DeviceError) {
      result = .success(RawPair(left: try half(.left, left), right: try half(.right, right)))
    } catch { result = .failure(error) }
    for take in served {
      take.reply.send(result.mapError { $0.during(take.operation) })
    }
  }

  private func settle(_ left: CameraControls, _ right: CameraControls) {
    guard var current = settling else { return }
    let isLeftReady = current.readbacks[0].take(left)
    let isRightReady = current.readbacks[1].take(right)
    settling = current
    guard isLeftReady, isRightReady else { return }
    settling = nil
    answer(current.purpose, .success(left))
  }

  private func half(_ side: Side, _ frame: CompletedFrame) throws(DeviceError) -> RawPair.Half {
    RawPair.Half(
      picture: try source.copy(side, frame.buffer), time: frame.time.nanoseconds, controls: frame.controls)
  }

  /// The pipeline is dead until it is restarted.
  private func collapse(_ kind: DeviceError.Kind, _ side: Side, _ what: String) {
    let name = source.names.indices.contains(side.rawValue) ? source.names[side.rawValue] : ""
    let error = hinted(DeviceError(kind, device: device, operation: "stream", remedy: "\"\(name)\" \(what)"))
    failure = error
    fail(error)
  }

  /// Everyone who waits is told.
  func fail(_ error: DeviceError) {
    for take in takes { take.reply.send(.failure(error.during(take.operation))) }
    takes = []
    endFocusing(error)
    guard let current = settling else { return }
    settling = nil
    answer(current.purpose, .failure(error.during(current.purpose.operation)))
  }
}
