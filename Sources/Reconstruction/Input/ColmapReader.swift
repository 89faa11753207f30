import Imaging

/// Cameras as a COLMAP text model: `cameras.txt` and `images.txt` in one folder (COLMAP's documentation, "Output
/// Format"). COLMAP puts the first pixel's centre at (0.5, 0.5); lenses here at (0, 0).
public enum ColmapReader {
  /// Reads the model in the folder `model` and pairs it with the pictures in the folder `images`. Pictures that are
  /// missing or odd become issues; a malformed line throws `.invalidInput` with file and line.
  public static func read(model: String, images: String) throws(ReconstructionError) -> ViewSet {
    let folder = model.hasSuffix("/") ? model : model + "/"
    let lenses = try parseCameras(TextFile(path: folder + "cameras.txt"))
    let cameras = try parseImages(TextFile(path: folder + "images.txt"), lenses: lenses)
    return try ForeignViews.assemble(cameras, images: images, file: folder + "images.txt")
  }

  static func parseCameras(_ text: TextFile) throws(ReconstructionError) -> [Int: Lens] {
    var lenses: [Int: Lens] = [:]
    for line in text.lines where !line.isBlankOrRemark {
      let words = line.words()
      guard words.count >= 5 else { throw line.error("should hold CAMERA_ID MODEL WIDTH HEIGHT PARAMS") }
      let id = try line.whole(words[0], "the camera's number", in: 0...Int(UInt32.max))
      let width = try line.whole(words[2], "the width", in: 1...ForeignViews.sideLimit)
      let height = try line.whole(words[3], "the height", in: 1...ForeignViews.sideLimit)
      var numbers: [Double] = []
      for word in words.dropFirst(4) { numbers.append(try line.number(word, "a parameter")) }
      let lens = try lens(model: words[1], width: width, height: height, numbers, line)
      guard lenses.updateValue(lens, forKey: id) == nil else { throw line.error("camera \(id) is listed twice") }
    }
    guard !lenses.isEmpty else { throw ReconstructionError(.invalidInput, place: text.path, "lists no camera") }
    return lenses
  }

  private static func lens(
    model: String, width: Int, height: Int, _ n: [Double], _ line: TextFile.Line
  ) throws(ReconstructionError) -> Lens {
    let counts = ["SIMPLE_PINHOLE": 3, "PINHOLE": 4, "SIMPLE_RADIAL": 4, "RADIAL": 5, "OPENCV": 8]
    guard let count = counts[model] else {
      let known = counts.keys.sorted().joined(separator: ", ")
      throw line.error("the camera model \(model.prefix(40)) is not supported; these are: \(known)")
    }
    guard n.count == count else { throw line.error("\(model) has \(count) parameters, not \(n.count)") }
    let hasTwoFocals = model == "PINHOLE" || model == "OPENCV"
    let c = hasTwoFocals ? 2 : 1
    var lens = Lens(
      width: width, height: height, fx: n[0], fy: hasTwoFocals ? n[1] : n[0], cx: n[c] - 0.5, cy: n[c + 1] - 0.5)
    guard lens.fx > 0, lens.fy > 0 else { throw line.error("focal lengths must be positive") }
    let rest = Array(n.dropFirst(c + 2))
    if rest.count >= 1 { lens.k1 = rest[0] }
    if rest.count >= 2 { lens.k2 = rest[1] }
    if rest.count >= 4 {
      lens.p1 = rest[2]
      lens.p2 = rest[3]
    }
    return lens
  }

  static func parseImages(_ text: TextFile, lenses: [Int: Lens]) throws(ReconstructionError) -> [ForeignCamera] {
    var cameras: [ForeignCamera] = []
    var seen: Set<String> = []
    var isPointLine = false
    for line in text.lines {
      // every image's line is followed by one with its 2-D points, which may be empty
      if isPointLine {
        isPointLine = false
        // a file without the lines of points would lose every second image without a word
        if !line.isBlankOrRemark, isImage(line) {
          throw line.error(
            "an image where the points of the one before it belong; each image needs a line of points "
              + "behind it, which may be empty")
        }
        continue
      }
      if line.isBlankOrRemark { continue }
      let camera = try image(line, lenses: lenses)
      guard seen.insert(camera.name).inserted else { throw line.error("\(camera.name) is listed twice") }
      cameras.append(camera)
      isPointLine = true
    }
    guard !cameras.isEmpty else { throw ReconstructionError(.invalidInput, place: text.path, "lists no image") }
    // COLMAP lists images in the order it registered them; a reconstruction must not depend on that
    return cameras.sorted { $0.name < $1.name }
  }

  /// Whether a line cannot be one of points: those are X, Y and a number, again and again.
  private static func isImage(_ line: TextFile.Line) -> Bool {
    let words = line.words(limit: 17)
    guard let last = words.last, words.count < 17 else { return false }
    return words.count % 3 != 0 || (try? line.number(last, "")) == nil
  }

  private static func image(_ line: TextFile.Line, lenses: [Int: Lens]) throws(ReconstructionError) -> ForeignCamera {
    let words = line.words(limit: 10)
    guard words.count == 10 else {
      throw line.error("should hold IMAGE_ID QW QX QY QZ TX TY TZ CAMERA_ID NAME, each followed by a line of points")
    }
    var n: [Double] = []
    for word in words[1...7] { n.append(try line.number(word, "a number of the pose")) }
    let id = try line.whole(words[8], "the camera's number", in: 0...Int(UInt32.max))
    guard let lens = lenses[id] else { throw line.error("camera \(id) is not in cameras.txt") }
    let length = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2] + n[3] * n[3]).squareRoot()
    guard abs(length - 1) < 0.05 else { throw line.error("the quaternion's length is \(length), not 1") }
    let (w, x, y, z) = (n[0] / length, n[1] / length, n[2] / length, n[3] / length)
    let rotation = Matrix3(
      [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
      [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
      [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)])
    return ForeignCamera(
      name: try ForeignViews.checkedName(words[9], line), lens: lens,
      cameraFromWorld: RigidTransform(rotation: rotation, translation: [n[4], n[5], n[6]]))
  }
}
