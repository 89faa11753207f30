import Codecs
import Imaging
import Media
import Rig

/// An OBJ file that is to be the object of a world. Whatever is wrong with one is told with what would be right.
struct ObjectFile {
  let path: String
  /// The picture on it; nil for the one its material names.
  let texture: String?
  /// The length of its unit in millimetres.
  let unit: Double
  let up: SimulatedUp

  /// Longest sides that are an object: what is smaller has its unit wrong, and what is larger would reach the cameras.
  private static let sizes = 5.0...600.0

  /// Reads it, upright and in millimetres.
  func mesh() throws(DeviceError) -> RenderMesh {
    let (contents, skin) = try read()
    var mesh = contents.mesh
    guard !mesh.triangles.isEmpty else { throw failure(.unsupported, "use a file with faces: it has none") }
    try checkSize(of: mesh)
    guard !mesh.uvs.isEmpty else { throw failure(.unsupported, "use a file with texture coordinates: it has none") }
    guard mesh.uvs.allSatisfy({ abs($0.x) < 1e4 && abs($0.y) < 1e4 }) else {
      throw failure(.unsupported, "export it anew: its texture coordinates are thousands of pictures away")
    }
    if up == .z {
      mesh.positions = mesh.positions.map { SIMD3($0.x, $0.z, -$0.y) }
      mesh.normals = mesh.normals.map { SIMD3($0.x, $0.z, -$0.y) }
    }
    let picture = if let texture { texture } else { try onlyPicture(of: skin, contents.libraries) }
    return try RenderMesh(mesh, texture: try colours(picture), closed: false, name: path)
  }

  /// The one picture on it. An object of the simulated world has one; with the first of several on all of its faces it
  /// would be another object.
  private func onlyPicture(of skin: OBJ.Skin, _ libraries: [String]) throws(DeviceError) -> String {
    guard let picture = skin.pictures.first else { throw missing(libraries) }
    let remedy = "bake its materials into one picture, or name the one to use as simulation.model.texture"
    if skin.pictures.count > 1 {
      let names = skin.pictures.prefix(3).joined(separator: ", ") + (skin.pictures.count > 3 ? ", …" : "")
      throw failure(
        .unsupported, remedy, "its materials name \(skin.pictures.count) pictures (\(names)), one can be used")
    }
    if let bare = skin.bare.first {
      let which = bare.isEmpty ? "faces without a material have" : "its material \(bare) has"
      throw failure(.unsupported, remedy, "\(which) no picture, other faces have \(picture)")
    }
    return picture
  }

  private func read() throws(DeviceError) -> (contents: OBJ.Contents, skin: OBJ.Skin) {
    do { return try OBJ.open(path, scale: Float(unit)) } catch {
      switch error.kind {
      case .absent: throw failure(.absent, "check simulation.model.path")
      case .io: throw failure(.absent, "see whether it is a file and may be read", error.message)
      case .tooLarge: throw failure(.outOfRange, "use a coarser mesh", fault(error))
      default: throw failure(.unsupported, "mend or export it anew", fault(error))
      }
    }
  }

  /// What is wrong with the file and in which line; its path is told anyway.
  private func fault(_ error: MediaError) -> String {
    let line = error.place.flatMap { $0.hasPrefix(path + ", ") ? $0.dropFirst(path.count + 2) + ": " : nil } ?? ""
    return line + error.fault
  }

  private func colours(_ picture: String) throws(DeviceError) -> RenderTexture {
    let image: RGBImage
    do { image = try Picture.read(picture) } catch {
      throw failure(.absent, "put the picture there, or name another as simulation.model.texture", "\(error)")
    }
    return try RenderTexture(image, gloss: 0.12, name: picture)
  }

  /// Why no material names a picture.
  private func missing(_ libraries: [String]) -> DeviceError {
    let remedy = "name a picture as simulation.model.texture"
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    for library in libraries {
      let place = library.hasPrefix("/") ? library : folder + library
      if (try? FileBytes.read(place, limit: 16 << 20)) == nil {
        return failure(.absent, "put the file there, or \(remedy)", "its material library \(place) cannot be read")
      }
    }
    return failure(
      .absent, remedy, libraries.isEmpty ? "it has no material library" : "no material of its library names a picture")
  }

  private func checkSize(of mesh: TriangleMesh) throws(DeviceError) {
    var low = SIMD3<Double>(repeating: .infinity)
    var high = -low
    for position in mesh.positions {
      low = pointwiseMin(low, SIMD3<Double>(position))
      high = pointwiseMax(high, SIMD3<Double>(position))
    }
    let size = high - low
    if Self.sizes.contains(size.max()) { return }
    var remedy = "objects of 50 to 250 mm fit the rig"
    // the units that files come in
    if let right = [1, 10, 25.4, 1000].first(where: { (20...400).contains(size.max() / unit * $0) }) {
      remedy =
        "with simulation.model.unit_mm = \(Self.text(right)) its longest side would be "
        + "\(Self.text(size.max() / unit * right)) mm"
    }
    let sides = (0..<3).map { Self.text(size[$0]) }.joined(separator: " × ")
    throw failure(.outOfRange, remedy, "it would be \(sides) mm")
  }

  /// A length with three digits.
  private static func text(_ length: Double) -> String {
    if length >= 1e6 { return "over a million" }
    let step = length >= 100 ? 1.0 : length >= 10 ? 10 : length >= 1 ? 100 : 1e4
    let rounded = (length * step).rounded() / step
    return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
  }

  private func failure(_ kind: DeviceError.Kind, _ remedy: String, _ reason: String? = nil) -> DeviceError {
    DeviceError(
      kind, device: "object", operation: "load \(path)" + (reason.map { ": \($0)" } ?? ""), remedy: remedy)
  }
}
