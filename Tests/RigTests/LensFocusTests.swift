import Rig
import Testing

/// Which position both lenses get.
@Suite struct LensFocusTests {
  private func position(_ left: Double?, _ right: Double?) -> Double? {
    LensFocus(left: left, right: right, range: 0...15).position(expected: 2)
  }

  @Test func twoThatAgreeGiveTheirMean() {
    #expect(position(2.25, 2.75) == 2.5)
    #expect(position(0, 0.5) == 0.25)
  }

  @Test func oneIsEnoughAndNoneIsNone() {
    #expect(position(2.25, nil) == 2.25 && position(nil, 9) == 9)
    #expect(position(nil, nil) == nil)
  }

  @Test func ofTwoThatDisagreeTheNearerToTheGeometryCounts() {
    #expect(position(0.5, 2.5) == 2.5)
    #expect(position(3, 11) == 3)
  }
}
