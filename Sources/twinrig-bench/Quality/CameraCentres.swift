import Imaging
import Media

/// Where the cameras of a Middlebury `par.txt` stand.
enum CameraCentres {
  /// Reads `name k11…k33 r11…r33 t1 t2 t3` lines; a line with another number of words (the count on top) is passed over.
  static func read(_ path: String) throws -> [SIMD3<Float>] {
    let text = String(decoding: try FileBytes.read(path, limit: 64 << 20), as: UTF8.self)
    let centres = text.split(whereSeparator: \.isNewline).compactMap { line -> SIMD3<Float>? in
      let words = line.split(whereSeparator: \.isWhitespace)
      let n = words.dropFirst(10).compactMap { Double($0) }
      guard words.count == 22, n.count == 12 else { return nil }
      let rotation = Matrix3([n[0], n[1], n[2]], [n[3], n[4], n[5]], [n[6], n[7], n[8]])
      return SIMD3<Float>(RigidTransform(rotation: rotation, translation: [n[9], n[10], n[11]]).centre)
    }
    guard !centres.isEmpty else { throw BenchError("\(path): no camera in it") }
    return centres
  }
}
