import Codecs
import Imaging
import Media

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The folder results go to. Each file appears whole or not at all, and is announced when it is there.
struct OutputFolder: Sendable {
  /// The folder's path.
  let path: String
  private let report: @Sendable (ReconstructionEvent) -> Void

  /// The folder at `path`, which is there.
  init(path: String, report: @escaping @Sendable (ReconstructionEvent) -> Void) {
    self.path = path
    self.report = report
  }

  /// Writes a file and announces it, where `kind` says as what. Throws `.io`.
  func write(_ bytes: [UInt8], as name: String, kind: ReconstructionEvent.FileKind? = nil) throws(ReconstructionError) {
    let file = path + "/" + name
    do {
      if name.contains("/") {
        try FileManager.default.createDirectory(
          atPath: String(file[..<file.lastIndex(of: "/")!]), withIntermediateDirectories: true)
      }
      try FileBytes.write(bytes, to: file)
    } catch { throw ReconstructionError(.io, place: file, (error as? MediaError)?.fault ?? "\(error)") }
    if let kind { report(.file(kind, path: file)) }
  }

  /// Writes a value as JSON that people can read.
  func write(json value: some Encodable, as name: String, kind: ReconstructionEvent.FileKind)
    throws(ReconstructionError)
  {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    let data: Data
    do { data = try encoder.encode(value) } catch {
      throw ReconstructionError(.io, place: path + "/" + name, "cannot be coded: \(error)")
    }
    try write([UInt8](data) + [10], as: name, kind: kind)
  }

  /// Poses, as soon as they are known.
  func writePoses(_ poses: PoseResult) throws(ReconstructionError) {
    try write(Array(PoseFiles.table(poses.views).utf8), as: "poses.tsv", kind: .poses)
    try write(Array(PoseFiles.colmapCameras(poses.views).utf8), as: "colmap/cameras.txt")
    try write(Array(PoseFiles.colmapImages(poses.views).utf8), as: "colmap/images.txt")
    try write(Array(PoseFiles.colmapPoints(poses.points).utf8), as: "colmap/points3D.txt")
  }

  /// The packages people open.
  func writeModel(_ model: TexturedModel) throws(ReconstructionError) {
    do {
      try write(try GLB.write(model), as: "model.glb", kind: .glb)
      try write(try USDZ.write(model), as: "model.usdz", kind: .model)
    } catch let error as ReconstructionError { throw error } catch {
      throw ReconstructionError(.io, place: path, "the model cannot be packed: \(error)")
    }
  }
}
