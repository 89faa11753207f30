import Rig

/// Asks those who drive a rig's devices for a sign of life, over and over: that tells a thread that hangs from one that works
/// on something long, and a device that is gone from one that nobody uses.
package actor Vigil {
  private let rig: CaptureRig
  /// Whoever has not answered yet.
  private var asked: Set<String> = []
  private var waiting: CheckedContinuation<Void, Never>?
  private var round = 0

  /// A vigil over a rig. Nobody is asked yet.
  package init(over rig: CaptureRig) { self.rig = rig }

  /// Asks everybody who has not still got an earlier question to answer, and waits until those who move motors and take
  /// pictures have answered, at most for so long. Returns those of them who have not. One call at a time.
  package func silent(after patience: Duration) async -> [String] {
    for (name, check) in questions where !asked.contains(name) {
      asked.insert(name)
      Task {
        await check()
        self.answered(name)
      }
    }
    if owing.isEmpty { return [] }
    round += 1
    let mine = round
    let timer = Task {
      do { try await ContinuousClock().sleep(for: patience) } catch { return }
      self.stopWaiting(mine)
    }
    await withCheckedContinuation { waiting = $0 }
    timer.cancel()
    return owing
  }

  private var questions: [(String, DeviceRegister.Check)] {
    var questions = rig.register.checks
    let known = Set(questions.map(\.name))
    for axis in rig.axes where !known.contains("axis \(axis.name)") {
      questions.append(("axis \(axis.name)", { try? await axis.check() }))
    }
    let camera = rig.camera
    if !known.contains("camera \(camera.name)") {
      questions.append(("camera \(camera.name)", { try? await camera.check() }))
    }
    return questions
  }

  /// A lamp or a button that hangs is no reason to end a scan.
  private var owing: [String] { asked.filter { $0.hasPrefix("axis ") || $0.hasPrefix("camera ") }.sorted() }

  private func answered(_ name: String) {
    asked.remove(name)
    if owing.isEmpty { stopWaiting(round) }
  }

  private func stopWaiting(_ number: Int) {
    guard number == round else { return }
    waiting?.resume()
    waiting = nil
  }
}
