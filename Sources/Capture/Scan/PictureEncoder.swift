import Codecs
import Imaging
import Media
import Rig
import Session
import Threads

/// Makes the files of a session's pictures, with what is known of the camera beside them.
package struct PictureEncoder: Sendable {
  let format: PictureFormat
  private let jpegQuality: Int
  private let heicQuality: Int
  private let camera: String
  private let lenses: [Lens]
  private let fNumber: Double?
  private let pixelPitch: Double?
  /// Why no picture can be encoded on this machine, and what to do; nil where they can.
  package var obstacle: String?

  /// An encoder of what `rig` sees.
  package init(_ settings: ScanSettings, rig: CaptureRig) {
    format = settings.pictureFormat
    jpegQuality = settings.jpegQuality
    heicQuality = settings.heicQuality
    camera = rig.camera.name
    lenses = rig.geometry.lenses
    fNumber = settings.fNumber
    pixelPitch = settings.pixelPitch
    if format == .heic, let missing = HEIC.missingEncoder {
      obstacle =
        "no picture can be stored as HEIC: \(missing.message) and restart the agent, or set cameras.image_format = "
        + "\"jpeg\""
    }
  }

  /// Bytes that a pair of so many pixels a picture takes, about, at the usual qualities (measured on photographs and rounded
  /// up): half a byte a pixel for a JPEG, a third for a HEIC.
  func bytesOfPair(pixels: Int64) -> Int64 { format == .heic ? pixels * 2 / 3 : pixels }

  /// Encodes both pictures at the same time, each on a thread of its own: a board takes seconds for a large HEIC.
  func encode(_ pair: PairPicture) async throws(ScanFault) -> [[UInt8]] {
    async let left = file(pair.left, of: 0, taken: pair.taken)
    async let right = file(pair.right, of: 1, taken: pair.taken)
    let files = await [left, right]
    return try files.map { (file) throws(ScanFault) in
      do { return try file.get() } catch { throw ScanFault(.other, "encode a picture: \(error)") }
    }
  }

  /// Encodes both pictures, and puts with them what the journal says of each.
  func files(of pair: PairPicture, _ measures: [ShotMeasure]) async throws(ScanFault) -> [PictureFile] {
    let encoded = try await encode(pair)
    return zip(encoded, zip(pair.sides, measures)).map { bytes, frame in
      let (side, measure) = frame
      return PictureFile(
        bytes: bytes, format: format, sensorTimestamp: side.sensorTimestamp, controls: side.readback,
        sharpness: measure.sharpness, meanLuma: measure.brightness.mean, clipped: measure.brightness.clipped)
    }
  }

  private func file(_ side: SidePicture, of index: Int, taken: CaptureTime) async -> Result<[UInt8], CodecError> {
    await BlockingThread.result("encode") {
      let exif = exif(side, of: index, taken: taken)
      do throws(CodecError) {
        switch format {
        case .jpeg: return .success(try JPEG.encode(side.image, quality: jpegQuality, exif: exif))
        case .heic: return .success(try HEIC.encode(side.image, quality: heicQuality, exif: exif))
        }
      } catch { return .failure(error) }
    }
  }

  /// What is known of a picture, as EXIF.
  private func exif(_ side: SidePicture, of index: Int, taken: CaptureTime) -> Exif {
    let (width, height) = (side.image.width, side.image.height)
    var exif = Exif()
    exif.make = "twinrig"
    exif.model = "\(camera), \(index == 0 ? "left" : "right")"
    exif.taken = taken
    exif.width = width
    exif.height = height
    exif.exposureTime = side.controls.exposureMicroseconds.map { $0 / 1e6 }
    exif.fNumber = fNumber
    // no sensor tells its base sensitivity: a gain of one counts as ISO 100, as with other software for such cameras
    exif.isoSpeed = side.controls.gain.map { Int((100 * min(max($0, 0), 600)).rounded()) }
    let lens = lenses[index].scaled(width: width, height: height)
    let diagonal = Double(width * width + height * height).squareRoot()
    exif.focalLengthOn35mmFilm = lens.fx / diagonal * Exif.filmDiagonal
    if let pixelPitch {
      // of the pixels as they are in the picture: a mode may put several of the sensor's into one
      exif.focalLength = lens.fx * pixelPitch / 1000
      exif.pixelsPerMillimetre = SIMD2(repeating: 1000 / pixelPitch)
    }
    return exif
  }
}
