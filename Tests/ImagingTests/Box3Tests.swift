import Imaging
import Testing

@Suite struct Box3Tests {
  private let lens = Lens(width: 64, height: 48, fx: 60, fy: 60, cx: 31.5, cy: 23.5)

  @Test func isSeenWhereItsCornersAre() throws {
    let box = Box3(min: [-10, -5, 100], max: [10, 5, 120])
    let seen = try #require(box.extent(through: lens, cameraFromWorld: .identity))
    // 10 mm at 100 mm are 6 pixels
    #expect(seen == PixelRect(x: 25, y: 20, width: 14, height: 8))
  }

  @Test(arguments: [1e-3, 1e-12, 1e-300, Double.leastNonzeroMagnitude])
  func cornersBesideTheCameraAreCutToThePicture(depth: Double) throws {
    let box = Box3(min: [-500, -500, depth], max: [500, 500, 100])
    #expect(box.extent(through: lens, cameraFromWorld: .identity) == PixelRect(width: 64, height: 48))
    let aside = Box3(min: [400, -5, depth], max: [500, 5, 100])
    let seen = try #require(aside.extent(through: lens, cameraFromWorld: .identity))
    #expect(seen.area == 0)
  }

  @Test func cornersBehindTheCameraHaveNoPlace() {
    let box = Box3(min: [-1, -1, -1], max: [1, 1, 100])
    #expect(box.extent(through: lens, cameraFromWorld: .identity) == nil)
  }

  @Test func raysMeetItOrPassBy() {
    let box = Box3(min: [-1, -1, 5], max: [1, 1, 7])
    #expect(box.isMet(by: [0, 0, 1], from: .zero))
    #expect(!box.isMet(by: [0, 0, -1], from: .zero))
    #expect(!box.isMet(by: [1, 0, 1], from: .zero))
    #expect(box.isMet(by: [1, 0, 0], from: [-9, 0, 6]))
  }
}
