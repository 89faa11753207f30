/// What a camera writes beside a picture, as far as somebody uses it.
///
/// CIPA DC-008, "Exchangeable image file format" 2.32, over TIFF 6.0. Everything is optional, and what is damaged is left
/// out: a picture without any is as good as one with nonsense.
public struct Exif: Sendable, Hashable {
  /// How the stored picture is turned: 1 upright … 8, as EXIF numbers them.
  public var orientation = 1
  /// The lens's focal length in millimetres.
  public var focalLength: Double?
  /// The focal length that would see as much on 35 mm film (36 × 24 mm), in millimetres.
  public var focalLengthOn35mmFilm: Double?
  /// Pixels per millimetre on the sensor, across and down.
  public var pixelsPerMillimetre: SIMD2<Double>?
  /// The width of the picture the numbers speak of, which may have been scaled since.
  public var width: Int?
  /// The height of that picture.
  public var height: Int?
  /// The exposure time in seconds.
  public var exposureTime: Double?
  /// The aperture: the focal length over the opening's diameter.
  public var fNumber: Double?
  /// The sensitivity as an ISO speed.
  public var isoSpeed: Int?
  /// When it was taken.
  public var taken: CaptureTime?
  /// The camera's maker.
  public var make: String?
  /// The camera's model.
  public var model: String?

  /// Nothing known: upright.
  public init() {}

  /// The diagonal of a picture on 35 mm film, 36 × 24 mm.
  public static let filmDiagonal = 43.266_615_305_567_87

  /// The focal length in pixels of a picture of the given size, or nil where nothing tells it.
  ///
  /// From the sensor's pixel pitch where it is written, else from the 35 mm equivalent, which compares diagonals
  /// (CIPA DCG-001).
  public func focalLengthInPixels(width pictureWidth: Int, height pictureHeight: Int) -> Double? {
    if let focalLength, let pitch = pixelsPerMillimetre {
      let pixels = focalLength * pitch.x * Double(pictureWidth) / Double(width ?? pictureWidth)
      if pixels.isFinite, pixels > 0 { return pixels }
    }
    guard let film = focalLengthOn35mmFilm else { return nil }
    let diagonal = Double(pictureWidth * pictureWidth + pictureHeight * pictureHeight).squareRoot()
    return film / Exif.filmDiagonal * diagonal
  }

  /// Reads a TIFF structure, or nil where it is none.
  public static func read(tiff bytes: [UInt8]) -> Exif? { TIFFReader(bytes)?.exif() }

  /// Reads the first EXIF segment of a JPEG, or nil where there is none.
  public static func read(jpeg bytes: [UInt8]) -> Exif? {
    guard bytes.count > 4, bytes[0] == 0xFF, bytes[1] == 0xD8 else { return nil }
    var at = 2
    while at + 4 <= bytes.count, bytes[at] == 0xFF {
      let marker = bytes[at + 1]
      if marker == 0xFF {
        at += 1
        continue
      }
      let length = Int(bytes.big16(at + 2))
      // the pictures' data begin: no more segments of ours
      guard marker != 0xDA, marker != 0xD9, length >= 2, at + 2 + length <= bytes.count else { return nil }
      let body = at + 4
      if marker == 0xE1, length >= 8, bytes[body..<body + 6].elementsEqual([0x45, 0x78, 0x69, 0x66, 0, 0]) {
        return read(tiff: Array(bytes[(body + 6)..<(at + 2 + length)]))
      }
      at += 2 + length
    }
    return nil
  }
}

/// The directories of a TIFF, every offset checked.
private struct TIFFReader {
  let bytes: [UInt8]
  let isBig: Bool

  struct Entry {
    var type: Int
    var count: Int
    /// Where the values begin.
    var offset: Int
  }

  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 8 else { return nil }
    switch (bytes[0], bytes[1]) {
    case (0x49, 0x49): isBig = false
    case (0x4D, 0x4D): isBig = true
    default: return nil
    }
    self.bytes = bytes
    guard word(2) == 42 else { return nil }
  }

  func exif() -> Exif {
    var exif = Exif()
    let main = directory(long(4))
    if let turn = whole(main[0x0112]), (1...8).contains(turn) { exif.orientation = turn }
    exif.make = text(main[0x010F])
    exif.model = text(main[0x0110])
    guard let place = whole(main[0x8769]) else { return exif }
    let photo = directory(place)
    exif.focalLength = positive(number(photo[0x920A]))
    exif.focalLengthOn35mmFilm = positive(number(photo[0xA405]))
    exif.width = whole(photo[0xA002]).flatMap { $0 > 0 ? $0 : nil }
    exif.height = whole(photo[0xA003]).flatMap { $0 > 0 ? $0 : nil }
    exif.exposureTime = positive(number(photo[0x829A]))
    exif.fNumber = positive(number(photo[0x829D]))
    exif.isoSpeed = whole(photo[0x8827]).flatMap { $0 > 0 ? $0 : nil }
    exif.taken = text(photo[0x9003]).map {
      CaptureTime(text: $0, subSeconds: text(photo[0x9291]), offset: text(photo[0x9011]))
    }
    let units = [2: 25.4, 3: 10.0, 4: 1.0, 5: 0.001]
    if let x = positive(number(photo[0xA20E])), let y = positive(number(photo[0xA20F])),
      let unit = units[whole(photo[0xA210]) ?? 2]
    {
      exif.pixelsPerMillimetre = SIMD2(x, y) / unit
    }
    return exif
  }

  private func word(_ at: Int) -> Int { Int(isBig ? bytes.big16(at) : bytes.little16(at)) }
  private func long(_ at: Int) -> Int { Int(isBig ? bytes.big32(at) : bytes.little32(at)) }

  private static let sizes = [1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1, 9: 4, 10: 8]

  private func directory(_ at: Int) -> [Int: Entry] {
    guard at >= 8, at + 2 <= bytes.count else { return [:] }
    var entries: [Int: Entry] = [:]
    for i in 0..<word(at) {
      let place = at + 2 + 12 * i
      guard place + 12 <= bytes.count else { break }
      let type = word(place + 2)
      let count = long(place + 4)
      guard let size = TIFFReader.sizes[type], count > 0, count <= bytes.count else { continue }
      let offset = size * count <= 4 ? place + 8 : long(place + 8)
      guard offset + size * count <= bytes.count, entries[word(place)] == nil else { continue }
      entries[word(place)] = Entry(type: type, count: count, offset: offset)
    }
    return entries
  }

  private func whole(_ entry: Entry?) -> Int? {
    guard let entry else { return nil }
    switch entry.type {
    case 1, 7: return Int(bytes[entry.offset])
    case 3: return word(entry.offset)
    case 4: return long(entry.offset)
    default: return nil
    }
  }

  private func number(_ entry: Entry?) -> Double? {
    guard let entry else { return nil }
    switch entry.type {
    case 5:
      let below = long(entry.offset + 4)
      return below == 0 ? nil : Double(long(entry.offset)) / Double(below)
    case 10:
      let above = Int32(truncatingIfNeeded: long(entry.offset))
      let below = Int32(truncatingIfNeeded: long(entry.offset + 4))
      return below == 0 ? nil : Double(above) / Double(below)
    default: return whole(entry).map(Double.init)
    }
  }

  private func positive(_ value: Double?) -> Double? { value.flatMap { $0 > 0 ? $0 : nil } }

  private func text(_ entry: Entry?) -> String? {
    guard let entry, entry.type == 2, entry.count <= 256 else { return nil }
    let characters = bytes[entry.offset..<entry.offset + entry.count].prefix { $0 != 0 }
    let text = String(decoding: characters, as: UTF8.self)
    let trimmed = text.split(separator: " ").joined(separator: " ")
    return trimmed.isEmpty ? nil : trimmed
  }
}
