/// What a decoder is allowed to spend on one picture. Sizes are checked in the header, before any memory is taken.
public struct PictureLimits: Sendable, Hashable {
  /// The most pixels a decoded picture may have.
  public var maxPixels: Int
  /// The largest file that is read.
  public var maxFileBytes: Int

  /// Limits; the default suits a board with 4 GB: 100 megapixels, 300 MB decoded.
  public init(maxPixels: Int = 100_000_000, maxFileBytes: Int = 256 << 20) {
    self.maxPixels = maxPixels
    self.maxFileBytes = maxFileBytes
  }

  /// The default limits.
  public static let standard = PictureLimits()

  func check(width: UInt32, height: UInt32) throws(CodecError) -> (width: Int, height: Int) {
    let (pixels, overflow) = Int(width).multipliedReportingOverflow(by: Int(height))
    guard width > 0, height > 0 else { throw CodecError(.invalid, "a picture of \(width) × \(height) pixels") }
    guard !overflow, pixels <= maxPixels else {
      throw CodecError(.tooLarge, "\(width) × \(height) pixels where at most \(maxPixels) are allowed")
    }
    return (Int(width), Int(height))
  }
}
