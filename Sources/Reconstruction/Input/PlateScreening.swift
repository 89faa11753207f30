import Imaging
import Session

extension RigContext {
  /// So many pairs of the empty table tell the room from the object.
  static let platesNeeded = 2

  /// Looks at every picture of the empty table once: a pair with one that cannot be used is left out, and each such picture
  /// becomes an issue. Throws only where memory ran out.
  func screeningPlates(threads: Int) throws(ReconstructionError) -> (RigContext, issues: [SampleIssue]) {
    let files = plates.flatMap { [($0.left, geometry.stereo.left), ($0.right, geometry.stereo.right)] }
    let faults = Slots<String?>(count: files.count)
    try Parallel.forEach(files.count, threads: threads) { i throws(ReconstructionError) in
      faults[i] = try Self.fault(of: files[i].0, files[i].1)
    }
    let found = faults.values
    var screened = self
    screened.plates = plates.indices.filter { found[2 * $0] == nil && found[2 * $0 + 1] == nil }.map { plates[$0] }
    let issues = files.indices.compactMap { i in
      found[i].map { SampleIssue(kind: .invalid, name: Self.name(files[i].0), reason: $0) }
    }
    return (screened, issues)
  }

  private static func fault(of path: String, _ lens: Lens) throws(ReconstructionError) -> String? {
    switch try grayPicture(path, named: path) {
    case .failure(let fault): return fault.reason
    case .success(let (_, picture)):
      if picture.width == lens.width, picture.height == lens.height { return nil }
      return UnusablePicture(picture.width, picture.height, besides: lens).reason
    }
  }

  /// The picture's name in its session.
  private static func name(_ path: String) -> String { path.split(separator: "/").suffix(2).joined(separator: "/") }
}
