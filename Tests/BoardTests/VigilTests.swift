import Board
import Imaging
import LinuxRig
import Rig
import SimulatedRig
import Synchronization
import Testing

#if canImport(Glibc)
  import Glibc
#endif

/// Who answers, and who does not: on real step threads, whose pins the test can make hang.
@Suite(.timeLimit(.minutes(1))) struct VigilTests {
  /// Pins that hang on request, as those of a kernel driver that waits for its hardware.
  private final class Pins: StepperPins {
    private let hangs = Mutex(false)
    private let steps = Mutex(0)
    var count: Int { steps.withLock { $0 } }
    func hang(_ isSo: Bool) { hangs.withLock { $0 = isSo } }
    private func wait() { while hangs.withLock({ $0 }) { usleep(1000) } }
    func setStep(_ isHigh: Bool) throws(DeviceError) {
      wait()
      if isHigh { steps.withLock { $0 += 1 } }
    }
    func setDirection(isForward: Bool) throws(DeviceError) {}
    func setEnabled(_ isEnabled: Bool) throws(DeviceError) {}
    func isHome() throws(DeviceError) -> Bool? { nil }
    func check() throws(DeviceError) { wait() }
  }

  private func rig(_ pins: Pins) throws -> CaptureRig {
    var rig = try SimulatedWorld(.small).rig
    rig.turntable = StepperAxis(
      name: "turntable", limits: AxisLimits(range: nil, topSpeed: .degrees(3), acceleration: .degrees(300)),
      settings: StepperAxis.Settings(stepsPerTurn: 3600, homeSpeed: .degrees(3)), pins: pins, timer: BoardTimer())
    return rig
  }

  @Test func aLongMoveIsNoSilenceAndAThreadThatHangsIs() async throws {
    let pins = Pins()
    let rig = try rig(pins)
    let vigil = Vigil(over: rig)
    #expect(await vigil.silent(after: .seconds(30)) == [])
    try await rig.turntable.home()
    let move = Task { _ = try? await rig.turntable.move(to: .degrees(3000), speed: nil) }
    while pins.count < 3 { try await Task.sleep(for: .milliseconds(5)) }
    #expect(await vigil.silent(after: .seconds(30)) == [])
    pins.hang(true)
    // the step under way when it began to hang still counts as a sign of life
    while await vigil.silent(after: .milliseconds(100)) != ["axis turntable"] {}
    // asked once only: it has still to answer the first question
    #expect(await vigil.silent(after: .milliseconds(100)) == ["axis turntable"])
    pins.hang(false)
    while await vigil.silent(after: .seconds(5)) != [] {}
    await rig.turntable.stop()
    await move.value
  }

  @Test func aChipThatHangsWhileNothingMovesIsNoticed() async throws {
    let pins = Pins()
    let vigil = Vigil(over: try rig(pins))
    pins.hang(true)
    #expect(await vigil.silent(after: .milliseconds(100)) == ["axis turntable"])
    pins.hang(false)
    #expect(await vigil.silent(after: .seconds(30)) == [])
  }

  @Test func aDeviceThatIsNotThereOwesNoAnswer() async throws {
    let (plug, pins) = (Plug(), Pins())
    var rig = try rig(pins)
    let turntable = rig.turntable
    let device = Reopening<any Axis>(
      kind: "axis", name: "turntable", register: rig.register, presence: .quick,
      check: { axis throws(DeviceError) in try await axis.check() }
    ) { () throws(DeviceError) in
      try plug.check("turntable", "open")
      return PluggedAxis(axis: turntable, plug: plug)
    }
    rig.turntable = ReopeningAxis(device, limits: turntable.limits)
    plug.pull()
    // it is opened in the background: found gone, or not found at all
    for _ in 0..<1000 where rig.register.absent.isEmpty {
      await device.look()
      try await Task.sleep(for: .milliseconds(5))
    }
    pins.hang(true)
    #expect(await Vigil(over: rig).silent(after: .seconds(30)) == [])
    #expect(rig.register.absent.map(\.name) == ["turntable"])
    pins.hang(false)
  }
}
