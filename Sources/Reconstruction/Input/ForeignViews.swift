import Codecs
import Imaging
import Media

/// A camera of somebody else's file before its picture has been looked at. A lens of width 0 takes the picture's size.
struct ForeignCamera {
  var name: String
  var lens: Lens
  var cameraFromWorld: RigidTransform
}

/// A picture's size in pixels.
struct PictureSize: Hashable {
  var width: Int, height: Int
}

/// Why a picture cannot be used.
struct UnusablePicture: Error {
  var reason: String
}

extension UnusablePicture {
  /// A picture that a rig's camera cannot have taken.
  init(_ width: Int, _ height: Int, besides lens: Lens) {
    self.init(reason: "the picture is \(width)×\(height), the rig's cameras \(lens.width)×\(lens.height)")
  }
}

/// A picture in grey, and its file's bytes. Throws only where memory ran out, for which the picture is not to blame: the
/// error calls it `name`.
func grayPicture(
  _ path: String, named name: String
) throws(ReconstructionError) -> Result<(bytes: [UInt8], picture: GrayImage), UnusablePicture> {
  let bytes: [UInt8]
  do throws(MediaError) {
    bytes = try FileBytes.read(path, limit: PictureLimits.standard.maxFileBytes)
  } catch {
    return .failure(UnusablePicture(reason: error.reason))
  }
  do throws(CodecError) {
    return .success((bytes, try Picture.decodeGray(bytes)))
  } catch {
    if error.kind == .noMemory { throw .outOfMemory("to decode \(name)") }
    return .failure(UnusablePicture(reason: error.description))
  }
}

/// The size that a picture's header gives. Damage further in is found when the picture is decoded.
func pictureSize(_ path: String) -> Result<PictureSize, UnusablePicture> {
  do throws(MediaError) {
    let bytes = try FileBytes.read(path, limit: PictureLimits.standard.maxFileBytes)
    do throws(CodecError) {
      let header = try Picture.header(bytes)
      return .success(PictureSize(width: header.width, height: header.height))
    } catch {
      return .failure(UnusablePicture(reason: error.description))
    }
  } catch {
    return .failure(UnusablePicture(reason: error.reason))
  }
}

/// What the readers of foreign camera files share: checks, and pairing cameras with pictures.
enum ForeignViews {
  /// No picture is larger than this in either direction (JPEG's own limit).
  static let sideLimit = 65_500

  /// A name that stays inside the folder of pictures.
  static func checkedName(_ name: String, _ line: TextFile.Line) throws(ReconstructionError) -> String {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard !name.isEmpty, !parts.contains(".."), !parts.contains(""), !name.contains("\0") else {
      throw line.error("the picture's name \"\(name.prefix(80))\" must be a path inside the folder of pictures")
    }
    return name
  }

  /// The rotation nearest to a matrix that is one up to rounding (at most 1 % off), else nil.
  static func nearestRotation(_ m: Matrix3) -> Matrix3? {
    func error(_ m: Matrix3) -> Double {
      let p = m * m.transpose
      return (p.row0 - [1, 0, 0]).length + (p.row1 - [0, 1, 0]).length + (p.row2 - [0, 0, 1]).length
    }
    guard error(m) < 0.02, m.determinant > 0 else { return nil }
    var r = m
    // Newton's iteration for the polar factor (N. Higham, 1986)
    for _ in 0..<8 {
      guard let inverse = r.inverse?.transpose else { return nil }
      r = Matrix3((r.row0 + inverse.row0) / 2, (r.row1 + inverse.row1) / 2, (r.row2 + inverse.row2) / 2)
    }
    return r
  }

  /// Views for all cameras whose picture is there and fits; an issue for each of the others.
  static func assemble(_ cameras: [ForeignCamera], images: String, file: String) throws(ReconstructionError) -> ViewSet
  {
    var set = ViewSet(views: [], box: nil, tableHeight: nil, isMetric: false)
    var found: [(camera: ForeignCamera, size: PictureSize)] = []
    for camera in cameras {
      switch pictureSize(path(camera, images)) {
      case .success(let size): found.append((camera, size))
      case .failure(let issue):
        set.issues.append(SampleIssue(kind: .invalid, name: camera.name, reason: issue.reason))
      }
    }
    let usual = usualSizes(found)
    for (camera, size) in found {
      guard let lens = fitted(camera.lens, to: size, usual: usual) else {
        let reason = "the picture is \(size.width)×\(size.height), which does not fit its camera"
        set.issues.append(SampleIssue(kind: .invalid, name: camera.name, reason: reason))
        continue
      }
      let index = set.views.count
      set.views.append(
        PosedView(
          index: index, name: camera.name, path: path(camera, images), lens: lens,
          cameraFromWorld: camera.cameraFromWorld, pass: 1, stop: index, side: 0))
    }
    guard set.views.count >= 3 else {
      let first = set.issues.first.map { " (\($0.name): \($0.reason))" } ?? ""
      throw ReconstructionError(
        .insufficientViews, place: images,
        "\(set.views.count) usable pictures for the \(cameras.count) cameras of \(file); three are needed\(first)")
    }
    let centres = set.views.map(\.cameraFromWorld.centre)
    let spread = centres.map { ($0 - centres[0]).length }.max() ?? 0
    guard spread > 1e-6, spread < 1e9 else {
      throw ReconstructionError(
        .invalidInput, place: file,
        "the cameras' centres lie \(spread) units apart; depth needs pictures from places 1e-6 to 1e9 units apart")
    }
    return set
  }

  private static func path(_ camera: ForeignCamera, _ images: String) -> String {
    images.hasSuffix("/") ? images + camera.name : images + "/" + camera.name
  }

  /// For each set of intrinsics without a size of its own, the size most of its pictures have.
  private static func usualSizes(_ found: [(camera: ForeignCamera, size: PictureSize)]) -> [Lens: PictureSize] {
    var counts: [Lens: [PictureSize: Int]] = [:]
    for (camera, size) in found where camera.lens.width == 0 {
      counts[camera.lens, default: [:]][size, default: 0] += 1
    }
    return counts.mapValues { sizes in
      sizes.max { a, b in (a.value, a.key.width, a.key.height) < (b.value, b.key.width, b.key.height) }!.key
    }
  }

  /// The lens at the picture's size: as given, or scaled when the picture was scaled as a whole.
  private static func fitted(_ lens: Lens, to size: PictureSize, usual: [Lens: PictureSize]) -> Lens? {
    if lens.width == 0 {
      guard usual[lens] == size else { return nil }
      var sized = lens
      sized.width = size.width
      sized.height = size.height
      return sized
    }
    if lens.width == size.width && lens.height == size.height { return lens }
    let sx = Double(size.width) / Double(lens.width)
    let sy = Double(size.height) / Double(lens.height)
    // a scaled picture keeps its proportions up to the rounding of its sides
    guard abs(sx / sy - 1) < 1.0 / Double(min(size.width, size.height)) else { return nil }
    return lens.scaled(width: size.width, height: size.height)
  }
}
