/// Drivers of twin cameras in this build.
public enum CameraDriver: String, Sendable, Hashable, CaseIterable {
  /// Cameras in a simulated world.
  case simulated
  /// Whatever libcamera drives.
  case libcamera
}

/// How pictures are stored.
public enum ImageFormat: String, Sendable, Hashable, CaseIterable {
  /// HEVC's intra pictures in an ISO media file.
  case heic
  /// JPEG.
  case jpeg
}

/// The twin cameras.
public struct CameraConfiguration: Sendable, Hashable {
  /// What drives them.
  public var driver = CameraDriver.simulated
  /// Which of libcamera's cameras they are; empty: in the order of its list.
  public var left = "", right = ""
  /// Picture size in pixels.
  public var width = 1200, height = 1600
  /// Viewfinder size in pixels.
  public var previewWidth = 300, previewHeight = 400
  /// Frames a second.
  public var framesPerSecond = 30.0
  /// Focal length over the picture's short side.
  public var focalRatio = 1.75
  /// Radial distortion by design.
  public var k1 = -0.06, k2 = 0.04
  /// Where the lenses stand during scans, in dioptres; nil: they focus once before each.
  public var lensPosition: Double?
  /// How the pictures of sessions are stored.
  public var imageFormat = ImageFormat.jpeg
  /// The lenses' aperture, where it is known.
  public var fNumber: Double?
  /// The distance of the picture's pixels on the sensor in micrometres, where it is known.
  public var pixelPitch: Double?

  /// The defaults.
  public init() {}
}

extension CameraConfiguration: Configurable {
  static var fields: [Field<Self>] {
    [
      .value("driver", \.driver, .driver, "What drives the cameras."),
      .value(
        "left", \.left, .text(allowEmpty: true),
        "Libcamera: which camera is the left one: its id, a part of its id or of its sensor's name that no other has, or "
          + "its number in the list, from 0, as rpicam-hello --list-cameras counts. Empty: the first that is not the right "
          + "one."),
      .value("right", \.right, .text(allowEmpty: true), "Libcamera: which camera is the right one, likewise."),
      .value("width", \.width, .whole(64...8192, unit: "px"), "The pictures' width."),
      .value("height", \.height, .whole(64...8192, unit: "px"), "The pictures' height."),
      .value(
        "preview_width", \.previewWidth, .whole(32...2048, unit: "px"),
        "The viewfinder's width. It shows the same view as the picture, so it has the same proportions."),
      .value("preview_height", \.previewHeight, .whole(32...2048, unit: "px"), "The viewfinder's height."),
      .value("frames_per_second", \.framesPerSecond, .number(1...240, unit: "frames/s"), "Frames a second."),
      .value(
        "focal_ratio", \.focalRatio, .number(0.3...20),
        "The lenses' focal length, in short sides of the picture: focal length in pixels = focal_ratio × the smaller "
          + "of width and height."),
      .value("k1", \.k1, .number(-1...1), "Radial distortion by design, of the second power of the radius."),
      .value("k2", \.k2, .number(-1...1), "Radial distortion by design, of the fourth power of the radius."),
      .optional(
        "lens_dioptres", \.lensPosition, .number(0...32, unit: "dioptres"),
        "Libcamera: where the lenses stand during scans: one over the distance in metres that is sharp. Not set: lenses with "
          + "autofocus focus once before the empty table is photographed, on the middle of the table, and stay there."),
      .value(
        "image_format", \.imageFormat, .choice,
        "How the pictures of sessions are stored. HEIC takes about a third less room than JPEG and several times the work; "
          + "it wants an HEVC encoder, on Debian 13 the package libheif-plugin-x265."),
      .optional(
        "f_number", \.fNumber, .number(0.5...64),
        "The lenses' aperture, focal length over diameter; not set: not known. Only noted in the pictures, as EXIF."),
      .optional(
        "pixel_um", \.pixelPitch, .number(0.2...50, unit: "µm"),
        "The distance of the pictures' pixels on the sensor; not set: not known. Only noted in the pictures, as EXIF.")
    ]
  }
}
