import Capture
import Session
import Testing

/// Boxes that a person sets.
@Suite struct BoxTests {
  private func refusal(_ numbers: [Double], _ station: Station) async -> ScanRefusal? {
    let request = ScanRequest(
      shots: 4, passes: 1,
      box: (min: SIMD3(numbers[0], numbers[1], numbers[2]), max: SIMD3(numbers[3], numbers[4], numbers[5])))
    do throws(ScanRefusal) {
      _ = try await station.controller.start(request)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    ([0.0, 0, 0, 1, 1, 1], "shorter than 5 mm"), ([-40.0, 0, -40, 40, 4, 40], "shorter than 5 mm"),
    ([150.0, 0, -40, 250, 80, 40], "beside the turntable"), ([101.0, 0, 101, 180, 80, 180], "beside the turntable"),
    ([-40.0, -80, -40, 40, -1, 40], "below the turntable"), ([-40.0, 900, -40, 40, 990, 40], "see nothing of the box"),
    ([-4000.0, 9000, -4000, 4000, 9900, 4000], "see nothing of the box")
  ]) func oneThatNoObjectCanBeInIsRefused(_ numbers: [Double], _ words: String) async throws {
    let station = try Station.quick()
    await station.controller.initialize()
    let refusal = await refusal(numbers, station)
    #expect(refusal?.kind == .badArgument && refusal?.message.contains(words) == true, "\(String(describing: refusal))")
    #expect(try station.library.sessions().isEmpty)
  }

  @Test(arguments: [
    [-40.0, 0, -40, 40, 80, 40], [-3, 0, -3, 3, 6, 3], [-40, -10, -40, 40, 80, 40], [95, 0, -20, 180, 60, 20],
    [-500, -500, -500, 500, 2000, 500]
  ]) func oneThatAnObjectCanBeInIsTaken(_ numbers: [Double]) async throws {
    let station = try Station.quick()
    await station.controller.initialize()
    #expect(await refusal(numbers, station) == nil)
    await station.controller.suspend("the test ends")
  }
}
