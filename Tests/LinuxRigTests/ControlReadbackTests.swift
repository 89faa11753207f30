import LinuxRig
import Rig
import Testing

/// Whether a camera does what it was told.
@Suite struct ControlReadbackTests {
  private static let wanted = CameraControls(exposureMicroseconds: 10_000, gain: 2, redGain: 1.5, blueGain: 1.25)

  private var limits: ControlLimits {
    var limits = ControlLimits()
    limits.exposure = 100...100_000
    limits.gain = 1...16
    limits.colourGain = 0...32
    return limits
  }

  @Test func framesUnderWayProveNothing() {
    var readback = ControlReadback(of: Self.wanted, limits: limits, settling: 2)
    var reached: [Bool] = []
    for _ in 0..<4 { reached.append(readback.take(Self.wanted)) }
    #expect(reached == [false, false, true, true])
  }

  @Test func otherValuesAreNotAccepted() {
    var readback = ControlReadback(of: Self.wanted, limits: limits, settling: 0)
    var other = Self.wanted
    other.gain = 4
    for _ in 0..<20 {
      let isReached = readback.take(other)
      #expect(!isReached)
    }
    #expect(readback.objection == "reports gain 4.0 where 2.0 was asked for")
    // sensors have steps
    var rounded = Self.wanted
    rounded.exposureMicroseconds = 10_057
    rounded.gain = 2.03
    let isReached = readback.take(rounded)
    #expect(isReached && readback.objection == nil)
  }

  @Test func aLensSomewhereElseIsNotAccepted() {
    var limits = limits
    limits.lens = 0...15
    var wanted = Self.wanted
    wanted.lensPosition = 2.25
    var readback = ControlReadback(of: wanted, limits: limits, settling: 0)
    var other = wanted
    other.lensPosition = 2.5
    let isReached = readback.take(other)
    #expect(!isReached && readback.objection == "reports lens position 2.5 where 2.25 was asked for")
    other.lensPosition = 2.3
    let isReachedNearly = readback.take(other)
    #expect(isReachedNearly && readback.objection == nil)
    // infinity is a position
    wanted.lensPosition = 0
    var far = ControlReadback(of: wanted, limits: limits, settling: 0)
    let isFar = far.take(other)
    #expect(!isFar)
    let isReachedFar = far.take(wanted)
    #expect(isReachedFar)
  }

  @Test func whatACameraDoesNotHaveOrReportIsNotWaitedFor() {
    var without = ControlReadback(of: Self.wanted, limits: ControlLimits(), settling: 4)
    let isReachedWithout = without.take(CameraControls())
    #expect(isReachedWithout)
    var silent = ControlReadback(of: Self.wanted, limits: limits, settling: 1)
    let reached = [silent.take(CameraControls()), silent.take(CameraControls())]
    #expect(reached == [false, true])
  }

  @Test func limitsAreTold() throws {
    func refusal(_ controls: CameraControls, _ limits: ControlLimits) -> String? {
      do throws(DeviceError) {
        try limits.check(controls, device: "cameras")
        return nil
      } catch { return error.kind == .outOfRange ? error.remedy : "\(error)" }
    }
    #expect(refusal(Self.wanted, limits) == nil)
    #expect(refusal(CameraControls(gain: 17), limits) == "use 1.0 to 16.0")
    #expect(refusal(CameraControls(exposureMicroseconds: 99), limits) == "use 100.0 to 100000.0")
    // what no camera could do is refused even where none would do it
    for nonsense in [
      CameraControls(exposureMicroseconds: 0), CameraControls(exposureMicroseconds: .nan), CameraControls(gain: 1e6),
      CameraControls(redGain: -1), CameraControls(lensPosition: .infinity)
    ] { #expect(refusal(nonsense, ControlLimits()) != nil, "\(nonsense)") }
  }
}
