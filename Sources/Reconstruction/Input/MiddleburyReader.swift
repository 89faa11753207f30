import Imaging

/// Cameras in the format of the Middlebury multi-view benchmark (S. Seitz et al., "A Comparison and Evaluation of
/// Multi-View Stereo Reconstruction Algorithms", CVPR 2006): a count, then `name k11…k33 r11…r33 t1 t2 t3` a line, with
/// x ~ K [R | t] X and pixel centres at whole numbers.
public enum MiddleburyReader {
  /// Reads the cameras of `file` and pairs them with the pictures in the folder `images`. Pictures that are missing or
  /// odd become issues; a malformed line throws `.invalidInput` with file and line.
  public static func read(file: String, images: String) throws(ReconstructionError) -> ViewSet {
    let cameras = try parse(TextFile(path: file))
    return try ForeignViews.assemble(cameras, images: images, file: file)
  }

  static func parse(_ text: TextFile) throws(ReconstructionError) -> [ForeignCamera] {
    let lines = text.lines.filter { !$0.isBlankOrRemark }
    guard let head = lines.first else { throw ReconstructionError(.invalidInput, place: text.path, "is empty") }
    let headWords = head.words()
    guard headWords.count == 1 else { throw head.error("should hold the number of views and nothing else") }
    let count = try head.whole(headWords[0], "the number of views", in: 1...100_000)
    guard lines.count == count + 1 else {
      throw ReconstructionError(
        .invalidInput, place: text.path,
        "announces \(count) views but lists \(lines.count - 1); the file is cut short or was edited")
    }
    var seen: Set<String> = []
    var cameras: [ForeignCamera] = []
    for line in lines.dropFirst() {
      let camera = try camera(line)
      guard seen.insert(camera.name).inserted else { throw line.error("\(camera.name) is listed twice") }
      cameras.append(camera)
    }
    return cameras
  }

  private static func camera(_ line: TextFile.Line) throws(ReconstructionError) -> ForeignCamera {
    let words = line.words()
    guard words.count == 22 else {
      throw line.error("should hold a name and 21 numbers (K, R, t), not \(words.count) words")
    }
    var n: [Double] = []
    for (i, word) in words.dropFirst().enumerated() { n.append(try line.number(word, "number \(i + 1)")) }
    guard n[8] != 0 else { throw line.error("k33 is zero") }
    let k = n[0..<9].map { $0 / n[8] }
    guard k[0] > 0, k[4] > 0 else { throw line.error("focal lengths must be positive") }
    guard k[0] > 1e-3, k[4] > 1e-3, [k[0], k[2], k[4], k[5]].allSatisfy({ $0.magnitude < 1e7 }) else {
      throw line.error("K by its k33 has focal lengths or a middle that no picture has")
    }
    guard abs(k[3]) + abs(k[6]) + abs(k[7]) < 1e-9, abs(k[1]) < 1e-6 * k[0] else {
      throw line.error("K has skew or is not upper triangular, which no lens here has")
    }
    let rotation = Matrix3([n[9], n[10], n[11]], [n[12], n[13], n[14]], [n[15], n[16], n[17]])
    guard let rotation = ForeignViews.nearestRotation(rotation) else { throw line.error("R is not a rotation") }
    return ForeignCamera(
      name: try ForeignViews.checkedName(words[0], line),
      lens: Lens(width: 0, height: 0, fx: k[0], fy: k[4], cx: k[2], cy: k[5]),
      cameraFromWorld: RigidTransform(rotation: rotation, translation: [n[18], n[19], n[20]]))
  }
}
