import LinuxRig
import Rig
import Testing

/// Which cameras a configuration means.
@Suite struct CameraChoiceTests {
  private static let cameras = [
    ListedCamera(id: "/base/axi/i2c@88000/imx708@1a", model: "imx708"),
    ListedCamera(id: "/base/axi/i2c@80000/imx708@1a", model: "imx708"),
    ListedCamera(id: "/base/usb/webcam", model: "HD Webcam")
  ]

  private func choose(
    _ left: String, _ right: String, _ cameras: [ListedCamera] = CameraChoiceTests.cameras
  ) throws(DeviceError) -> [Int?] {
    let choice = try CameraChoice(left: left, right: right, among: cameras, device: "cameras")
    return [cameras.firstIndex(of: choice.left), cameras.firstIndex(of: choice.right)]
  }

  private func refusal(
    _ left: String, _ right: String, _ cameras: [ListedCamera] = CameraChoiceTests.cameras
  ) -> DeviceError? {
    do throws(DeviceError) {
      _ = try choose(left, right, cameras)
      return nil
    } catch { return error }
  }

  @Test(arguments: [
    ("", "", 0, 1), ("1", "0", 1, 0), ("", "0", 1, 0), ("", "1", 0, 1), ("0", "", 0, 1), ("1", "", 1, 0),
    ("88000", "80000", 0, 1), ("/base/axi/i2c@80000/imx708@1a", "webcam", 1, 2), ("hd web", "", 2, 0)
  ]) func camerasAreFound(left: String, right: String, first: Int, second: Int) throws {
    let found = try choose(left, right)
    #expect(found == [first, second])
  }

  @Test func twoOnOneAreRefused() throws {
    let error = try #require(refusal("88000", "0"))
    #expect(error.kind == .outOfRange && error.description.contains("both \"/base/axi/i2c@88000/imx708@1a\" (imx708)"))
  }

  @Test func whatFitsSeveralIsRefused() throws {
    let error = try #require(refusal("imx708", ""))
    #expect(error.kind == .outOfRange && error.description.contains("fits several; there are 0: "), "\(error)")
  }

  @Test func whatIsNotThereIsRefusedAndTheOthersNamed() throws {
    let error = try #require(refusal("", "imx477"))
    #expect(error.kind == .absent && error.description.contains("cameras.right = \"imx477\""), "\(error)")
    #expect(error.description.contains("2: \"/base/usb/webcam\" (HD Webcam)"), "\(error)")
    #expect(refusal("9", "")?.kind == .absent)
  }

  @Test func oneCameraIsNoPair() throws {
    let one = try #require(refusal("", "", [Self.cameras[2]]))
    #expect(one.kind == .absent && one.description.contains("one camera only, 0: \"/base/usb/webcam\""), "\(one)")
    let none = try #require(refusal("", "", []))
    #expect(none.kind == .absent && none.description.contains("lists no camera; check the flat cables"), "\(none)")
  }
}
