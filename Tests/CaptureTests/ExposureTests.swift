import Capture
import Imaging
import Rig
import Session
import Testing

/// Light that flickers with the mains.
@Suite(.serialized) struct ExposureTests {
  private let request = ScanRequest(shots: 4, passes: 1)

  @Test(arguments: [50.0, 60], [0.05, 0.3, 1]) func exposuresAreWholeHalfWavesOfTheMains(
    hertz: Double, light: Double
  ) async throws {
    let station = try Station.quick(roomLight: light, settings: { $0.mainsHertz = hertz })
    await station.controller.initialize()
    let told = try await station.scan(request)
    #expect(states(told).last == .completed)
    let exposures = try station.contents().shots.compactMap { $0.left.controls.exposureMicroseconds }
    #expect(exposures.count == 4)
    let halfWave = 1e6 / (2 * hertz)
    for exposure in exposures {
      let waves = (exposure / halfWave).rounded()
      // a sensor counts in its rows' times, ten microseconds here
      #expect(waves >= 1 && abs(exposure - waves * halfWave) <= 10, "\(exposure) µs at \(hertz) Hz")
    }
    #expect(!tellsOfFlicker(told))
  }

  @Test(arguments: [50.0, 60]) func aRoomTooBrightForAHalfWaveIsToldOf(hertz: Double) async throws {
    let station = try Station.quick(roomLight: 30, settings: { $0.mainsHertz = hertz })
    await station.controller.initialize()
    let told = try await station.scan(request)
    #expect(states(told).last == .completed)
    #expect(tellsOfFlicker(told))
    for shot in try station.contents().shots {
      #expect((shot.left.controls.exposureMicroseconds ?? .infinity) < 1e6 / (2 * hertz))
      #expect(shot.left.clipped < 0.05)
    }
  }

  private func tellsOfFlicker(_ events: [ScanEvent]) -> Bool {
    events.contains { event in
      if case .feedback(let found) = event { found.contains(.flicker) } else { false }
    }
  }
}
