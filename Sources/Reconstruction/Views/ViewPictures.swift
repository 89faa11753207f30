import Codecs
import Imaging
import Synchronization

/// The pictures of a view set as the stages want them: undistorted, in colour or grey, at full size or halved, decoded
/// when they are first asked for and kept as long as the byte limit allows. Safe to use from many threads; two threads
/// that want the same view wait for one decoding.
///
/// Level 0 is the full size; each level halves width and height (2×2 mean, an odd last row or column is dropped).
public final class ViewPictures: Sendable {
  /// Reads the picture at a path; its size must be that of the view's lens.
  public typealias Reader = @Sendable (_ path: String) throws(ReconstructionError) -> RGBImage

  private let views: [PosedView]
  private let read: Reader
  private let cache: PictureCache
  private let gates: [Gate]
  private let maps = Mutex<[Lens: PixelMap]>([:])
  /// Maps take 8 bytes a pixel: a pair of cameras has two, sets with a lens of its own for each picture must not keep all.
  private static let mapLimit = 4

  /// Pictures of `views`, keeping at most about `byteLimit` bytes of them; `reader` is for pictures that are not files.
  public init(of views: ViewSet, byteLimit: Int = 256 << 20, reader: @escaping Reader = ViewPictures.read) {
    self.views = views.views
    read = reader
    cache = PictureCache(byteLimit: byteLimit)
    gates = views.views.map { _ in Gate() }
  }

  /// Reads a picture file.
  public static let read: Reader = { (path) throws(ReconstructionError) in
    do throws(CodecError) {
      return try Picture.read(path)
    } catch {
      if error.kind == .noMemory { throw ReconstructionError.outOfMemory("to decode \(path)") }
      throw ReconstructionError(
        .invalidInput, place: error.place ?? path, "the picture cannot be read: \(error.fault)")
    }
  }

  /// The pinhole that an undistorted picture of the view has at a level.
  public func lens(_ view: Int, level: Int = 0) -> Lens {
    (0..<level).reduce(views[view].lens.pinhole) { lens, _ in lens.halved }
  }

  /// The undistorted picture in colour. Throws `.invalidInput` where it cannot be read or has the wrong size.
  public func rgb(_ view: Int, level: Int = 0) throws(ReconstructionError) -> RGBImage {
    guard case .rgb(let picture) = try picture(view, .rgb, level) else { fatalError("a picture of another kind") }
    return picture
  }

  /// The undistorted picture in grey. Throws `.invalidInput` where it cannot be read or has the wrong size.
  public func gray(_ view: Int, level: Int = 0) throws(ReconstructionError) -> GrayImage {
    guard case .gray(let picture) = try picture(view, .gray, level) else { fatalError("a picture of another kind") }
    return picture
  }

  /// The undistorted picture in grey with the fraction bits that halving adds: 256 units are one step of `gray`.
  public func luminance(_ view: Int, level: Int = 0) throws(ReconstructionError) -> Plane<UInt16> {
    guard case .luminance(let picture) = try picture(view, .luminance, level) else {
      fatalError("a picture of another kind")
    }
    return picture
  }

  private func picture(_ view: Int, _ kind: PictureKind, _ level: Int) throws(ReconstructionError) -> CachedPicture {
    if let picture = cache.picture(.init(view: view, kind: kind, level: level)) { return picture }
    return try gates[view].pass { () throws(ReconstructionError) in
      try produce(view, kind, level, isWanted: true)
    }
  }

  /// Finds or makes a picture. Called with the view's gate closed behind us.
  private func produce(
    _ view: Int, _ kind: PictureKind, _ level: Int, isWanted: Bool = false
  ) throws(ReconstructionError) -> CachedPicture {
    let key = PictureCache.Key(view: view, kind: kind, level: level)
    if let picture = cache.picture(key) { return picture }
    let picture: CachedPicture
    if level > 0 {
      switch try produce(view, kind, level - 1) {
      case .rgb(let larger): picture = .rgb(larger.halved)
      case .gray(let larger): picture = .gray(larger.halved)
      case .luminance(let larger): picture = .luminance(larger.halved)
      }
    } else {
      let full: RGBImage
      if case .rgb(let known)? = cache.picture(.init(view: view, kind: .rgb, level: 0)) {
        full = known
      } else {
        full = try undistorted(view)
      }
      picture = kind == .rgb ? .rgb(full) : kind == .gray ? .gray(full.gray) : .luminance(full.luminance)
    }
    // full-size pictures on the way to smaller ones would push everything else out
    if level > 0 || isWanted { cache.insert(picture, for: key) }
    return picture
  }

  private func undistorted(_ view: Int) throws(ReconstructionError) -> RGBImage {
    let posed = views[view]
    let picture = try read(posed.path)
    guard picture.width == posed.lens.width, picture.height == posed.lens.height else {
      throw ReconstructionError(
        .invalidInput, place: posed.path,
        "the picture is \(picture.width)×\(picture.height) but its camera says \(posed.lens.width)×\(posed.lens.height)"
      )
    }
    return posed.lens.isDistorted ? map(posed.lens).apply(picture) : picture
  }

  /// What straightens the pictures of a lens.
  private func map(_ lens: Lens) -> PixelMap {
    maps.withLock { maps in
      if let map = maps[lens] { return map }
      if maps.count >= Self.mapLimit { maps.removeAll() }
      let map = PixelMap(from: lens, to: lens.pinhole)
      maps[lens] = map
      return map
    }
  }
}

/// Lets one thread at a time make pictures of a view.
private final class Gate: Sendable {
  private let mutex = Mutex(())

  func pass<Value: Sendable>(_ body: () throws(ReconstructionError) -> Value) throws(ReconstructionError) -> Value {
    let result: Result<Value, ReconstructionError> = mutex.withLock { _ in
      do throws(ReconstructionError) { return .success(try body()) } catch { return .failure(error) }
    }
    return try result.get()
  }
}
