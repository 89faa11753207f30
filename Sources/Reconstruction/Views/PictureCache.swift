import Imaging
import Synchronization

/// What is kept of one view's pictures.
enum PictureKind: Hashable, Sendable { case rgb, gray, luminance }

/// A picture of any kind.
enum CachedPicture: Sendable {
  case rgb(RGBImage)
  case gray(GrayImage)
  case luminance(Plane<UInt16>)

  /// The memory it occupies.
  var byteCount: Int {
    switch self {
    case .rgb(let picture): picture.bytes.count
    case .gray(let picture): picture.pixels.count
    case .luminance(let picture): 2 * picture.pixels.count
    }
  }
}

/// Pictures by view, kind and level, bounded in bytes: the least recently used go first.
final class PictureCache: Sendable {
  struct Key: Hashable, Sendable {
    var view: Int
    var kind: PictureKind
    var level: Int
  }

  private struct Entry {
    var picture: CachedPicture
    var lastUse: Int
  }

  private struct State {
    var entries: [Key: Entry] = [:]
    var bytes = 0
    var clock = 0
  }

  private let limit: Int
  private let state = Mutex(State())

  init(byteLimit: Int) { limit = byteLimit }

  func picture(_ key: Key) -> CachedPicture? {
    state.withLock { state in
      guard let entry = state.entries[key] else { return nil }
      state.clock += 1
      state.entries[key]?.lastUse = state.clock
      return entry.picture
    }
  }

  /// Keeps a picture, and drops the oldest others until the limit holds. A picture larger than the limit is not kept.
  func insert(_ picture: CachedPicture, for key: Key) {
    let size = picture.byteCount
    guard size <= limit else { return }
    state.withLock { state in
      state.clock += 1
      if let old = state.entries.updateValue(Entry(picture: picture, lastUse: state.clock), forKey: key) {
        state.bytes -= old.picture.byteCount
      }
      state.bytes += size
      while state.bytes > limit, let oldest = state.entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
        state.entries[oldest.key] = nil
        state.bytes -= oldest.value.picture.byteCount
      }
    }
  }
}
