import Imaging
import Testing

@Suite struct PlaneTests {
  @Test func brightnessFollowsBT601() {
    let image = RGBImage(width: 2, height: 1, bytes: [255, 255, 255, 10, 200, 30])
    #expect(image.gray.pixels == [255, 124])
  }
}
