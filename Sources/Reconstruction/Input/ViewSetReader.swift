import Session

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Finds out what kind of input a folder is, and reads it.
public enum ViewSetReader {
  /// Reads a folder of pictures whose cameras are in `cameras`: a Middlebury `par.txt`, a folder with a COLMAP text
  /// model, or one of that model's two files.
  public static func read(images: String, cameras: String) throws(ReconstructionError) -> ViewSet {
    var isFolder = false
    guard FileManager.default.fileExists(atPath: images, isDirectory: &isFolder), isFolder else {
      throw ReconstructionError(.invalidInput, place: images, "is not a folder of pictures")
    }
    guard FileManager.default.fileExists(atPath: cameras, isDirectory: &isFolder) else {
      throw ReconstructionError(.invalidInput, place: cameras, "there is no such camera file")
    }
    if isFolder { return try ColmapReader.read(model: cameras, images: images) }
    for name in ["cameras.txt", "images.txt"] where cameras == name || cameras.hasSuffix("/" + name) {
      return try ColmapReader.read(model: String(cameras.dropLast(name.count)) + ".", images: images)
    }
    return try MiddleburyReader.read(file: cameras, images: images)
  }

  /// Reads a session folder, finished or not.
  public static func read(session folder: String) throws(ReconstructionError) -> ViewSet {
    let contents: SessionContents
    do throws(SessionError) {
      contents = try SessionReader.read(folder)
    } catch {
      throw ReconstructionError(.invalidInput, place: error.place, error.fault)
    }
    return try SessionViews.viewSet(contents, folder: folder)
  }
}
