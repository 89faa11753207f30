import Rig

/// A camera that libcamera lists.
package struct ListedCamera: Sendable, Hashable {
  /// What it is told apart by, e.g. `/base/axi/pcie@120000/rp1/i2c@88000/imx708@1a`.
  package var id: String
  /// The sensor, e.g. `imx708`.
  package var model: String

  /// A camera.
  package init(id: String, model: String) {
    self.id = id
    self.model = model
  }

  /// `"ID" (MODEL)`.
  package var text: String { model.isEmpty ? "\"\(id)\"" : "\"\(id)\" (\(model))" }
}

/// Which of the listed cameras are the left and the right one: by a number in the list, an id, or a part of an id or model.
/// What is not said is taken in the list's order.
package struct CameraChoice: Sendable, Hashable {
  /// The left and the right one.
  package let left: ListedCamera, right: ListedCamera

  /// Chooses. Throws `.absent` where there are not two or not these, `.outOfRange` where a text fits several or both are one.
  package init(left: String, right: String, among cameras: [ListedCamera], device: String) throws(DeviceError) {
    let list = cameras.enumerated().map { "\($0.offset): \($0.element.text)" }.joined(separator: ", ")
    func refusal(_ kind: DeviceError.Kind, _ remedy: String) -> DeviceError {
      DeviceError(kind, device: device, operation: "find the cameras", remedy: remedy)
    }
    guard cameras.count >= 2 else {
      throw refusal(
        .absent,
        (cameras.isEmpty ? "libcamera lists no camera" : "libcamera lists one camera only, \(list)")
          + "; check the flat cables, and on a Raspberry Pi config.txt: camera_auto_detect=0 and one dtoverlay a port")
    }
    func index(_ text: String, _ side: String) throws(DeviceError) -> Int? {
      if text.isEmpty { return nil }
      if let exact = cameras.firstIndex(where: { $0.id == text }) { return exact }
      if let number = Int(text), cameras.indices.contains(number) { return number }
      let part = text.lowercased()
      let fitting = cameras.indices.filter {
        cameras[$0].id.lowercased().contains(part) || cameras[$0].model.lowercased().contains(part)
      }
      if fitting.count == 1 { return fitting[0] }
      throw fitting.isEmpty
        ? refusal(.absent, "no camera fits cameras.\(side) = \"\(text)\"; there are \(list)")
        : refusal(.outOfRange, "cameras.\(side) = \"\(text)\" fits several; there are \(list)")
    }
    let (asLeft, asRight) = (try index(left, "left"), try index(right, "right"))
    let first = asLeft ?? cameras.indices.first { $0 != asRight } ?? 0
    let second = asRight ?? cameras.indices.first { $0 != first } ?? 0
    guard first != second else {
      throw refusal(.outOfRange, "cameras.left and cameras.right are both \(cameras[first].text); there are \(list)")
    }
    self.left = cameras[first]
    self.right = cameras[second]
  }
}
