import Imaging
import Reconstruction
import Testing

@Suite struct FootprintTests {
  /// A rectangle full of places, turned by `degrees` about the vertical.
  private func rectangle(_ width: Double, _ depth: Double, turned degrees: Double) -> [SIMD2<Double>] {
    let turn = Matrix3.rotation(.degrees(degrees), about: [0, 1, 0])
    return (0...10).flatMap { i in
      (0...10).map { k in
        let p = turn * SIMD3(width * (Double(i) / 10 - 0.5) + 3, 0, depth * (Double(k) / 10 - 0.5) - 7)
        return SIMD2(p.x, p.z)
      }
    }
  }

  @Test(arguments: [-44.0, -20, -3, 0, 5, 17, 30, 44]) func whatStandsAskewIsTurnedStraight(degrees: Double) {
    let turn = Footprint(rectangle(70, 40, turned: degrees)).turn
    #expect(abs(turn.degrees + degrees) < 1e-6)
  }

  @Test func theNearerSideComesToTheFront() {
    // a quarter turn less 10°: 10° back is nearer than 80° on
    let turn = Footprint(rectangle(70, 40, turned: 80)).turn
    #expect(abs(turn.degrees - 10) < 1e-6)
  }

  @Test func roundThingsStayAsTheyAre() {
    let circle = (0..<360).map { SIMD2(cosine(Double($0)), cosine(Double($0) - 90)) }
    #expect(Footprint(circle).turn == .zero)
  }

  @Test(arguments: [0, 1, 2, 3]) func fewPlacesAndPlacesInALineAreNoTrouble(count: Int) {
    #expect(Footprint((0..<count).map { _ in SIMD2(1, 2) }).turn == .zero)
    #expect(Footprint((0..<count).map { SIMD2(Double($0), 0) }).turn == .zero)
  }

  private func cosine(_ degrees: Double) -> Double {
    (Matrix3.rotation(.degrees(degrees), about: [0, 1, 0]) * SIMD3(1, 0, 0)).x
  }
}
