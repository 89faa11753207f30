extension Exif {
  /// How the whole numbers of a TIFF structure are written.
  public enum ByteOrder: Sendable, CaseIterable {
    /// "II"
    case little
    /// "MM"
    case big
  }

  /// The TIFF structure, as it stands behind `Exif\0\0`: what is known, and what the standard demands of every picture
  /// (CIPA DC-008 2.32, table 17). No thumbnail, and nothing that only a maker could read.
  public func tiff(_ order: ByteOrder = .little) -> [UInt8] {
    var photo = TIFFDirectory(order)
    addPhoto(to: &photo)
    var main = TIFFDirectory(order)
    addMain(to: &main)
    // a directory's size does not depend on what the pointer says
    main.add(0x8769, long: 0)
    let second = 8 + main.size
    main.replace(0x8769, long: second)
    let header = TIFFDirectory.header(order)
    return header + main.bytes(at: 8) + photo.bytes(at: second)
  }

  /// The same, headed as a JPEG's segment and an item of a HEIC want it.
  public func headed(_ order: ByteOrder = .little) -> [UInt8] { Array("Exif\0\0".utf8) + tiff(order) }

  private func addMain(to main: inout TIFFDirectory) {
    if let make { main.add(0x010F, text: make) }
    if let model { main.add(0x0110, text: model) }
    main.add(0x0112, short: orientation)
    // nobody prints it at a size of its own: 72 dots an inch stand for "not known"
    main.add(0x011A, rational: 72)
    main.add(0x011B, rational: 72)
    main.add(0x0128, short: 2)
    if let taken { main.add(0x0132, text: taken.text) }
    main.add(0x0213, short: 1)
  }

  private func addPhoto(to photo: inout TIFFDirectory) {
    if let exposureTime { photo.add(0x829A, rational: exposureTime) }
    if let fNumber { photo.add(0x829D, rational: fNumber) }
    if let isoSpeed { photo.add(0x8827, short: isoSpeed) }
    photo.add(0x9000, undefined: Array("0232".utf8))
    if let taken { addTime(taken, to: &photo) }
    photo.add(0x9101, undefined: [1, 2, 3, 0])
    if let focalLength { photo.add(0x920A, rational: focalLength) }
    photo.add(0xA000, undefined: Array("0100".utf8))
    photo.add(0xA001, short: 1)
    if let width { photo.add(0xA002, long: width) }
    if let height { photo.add(0xA003, long: height) }
    if let pixelsPerMillimetre {
      photo.add(0xA20E, rational: pixelsPerMillimetre.x)
      photo.add(0xA20F, rational: pixelsPerMillimetre.y)
      photo.add(0xA210, short: 4)
    }
    if let film = focalLengthOn35mmFilm { photo.add(0xA405, short: Int(film.rounded())) }
  }

  private func addTime(_ time: CaptureTime, to photo: inout TIFFDirectory) {
    photo.add(0x9003, text: time.text)
    photo.add(0x9004, text: time.text)
    if let offset = time.offset { for tag in 0x9010...0x9012 { photo.add(tag, text: offset) } }
    if let digits = time.subSeconds { for tag in 0x9290...0x9292 { photo.add(tag, text: digits) } }
  }
}

/// One directory of a TIFF in the making (TIFF 6.0, section 2). Tags come out in ascending order, as it demands.
private struct TIFFDirectory {
  private struct Entry {
    var tag: Int, type: Int, count: Int
    var value: [UInt8]
  }

  private let order: Exif.ByteOrder
  private var entries: [Entry] = []

  init(_ order: Exif.ByteOrder) { self.order = order }

  static func header(_ order: Exif.ByteOrder) -> [UInt8] {
    let directory = TIFFDirectory(order)
    return Array((order == .little ? "II" : "MM").utf8) + directory.word(42) + directory.long(8)
  }

  mutating func add(_ tag: Int, short value: Int) { add(tag, 3, 1, word(min(max(value, 0), 0xFFFF))) }
  mutating func add(_ tag: Int, long value: Int) { add(tag, 4, 1, long(value)) }
  mutating func add(_ tag: Int, undefined value: [UInt8]) { add(tag, 7, value.count, value) }
  mutating func add(_ tag: Int, text: String) {
    let bytes = Array(text.utf8) + [0]
    add(tag, 2, bytes.count, bytes)
  }
  mutating func add(_ tag: Int, rational value: Double) {
    guard let (above, below) = Self.fraction(value) else { return }
    add(tag, 5, 1, long(above) + long(below))
  }

  mutating func replace(_ tag: Int, long value: Int) {
    for index in entries.indices where entries[index].tag == tag { entries[index].value = long(value) }
  }

  private mutating func add(_ tag: Int, _ type: Int, _ count: Int, _ value: [UInt8]) {
    entries.append(Entry(tag: tag, type: type, count: count, value: value))
  }

  /// Bytes of the directory and of what does not fit into it.
  var size: Int { 2 + 12 * entries.count + 4 + entries.map(Self.outside).reduce(0, +) }

  /// Values longer than the four bytes of an entry stand behind the directory, at even offsets.
  private static func outside(_ entry: Entry) -> Int {
    entry.value.count <= 4 ? 0 : entry.value.count + entry.value.count % 2
  }

  func bytes(at offset: Int) -> [UInt8] {
    var place = offset + 2 + 12 * entries.count + 4
    var directory = word(entries.count)
    var outside: [UInt8] = []
    for entry in entries.sorted(by: { $0.tag < $1.tag }) {
      directory += word(entry.tag) + word(entry.type) + long(entry.count)
      if entry.value.count <= 4 {
        directory += entry.value + [UInt8](repeating: 0, count: 4 - entry.value.count)
      } else {
        directory += long(place)
        outside += entry.value + (entry.value.count % 2 == 1 ? [0] : [])
        place += Self.outside(entry)
      }
    }
    return directory + long(0) + outside
  }

  private func word(_ value: Int) -> [UInt8] { ordered(UInt16(truncatingIfNeeded: value)) }
  private func long(_ value: Int) -> [UInt8] { ordered(UInt32(truncatingIfNeeded: value)) }
  private func ordered<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
    withUnsafeBytes(of: order == .little ? value.littleEndian : value.bigEndian) { Array($0) }
  }

  /// A fraction in lowest terms, to a millionth where the numbers allow; nil for what is none or has no place in 32 bits.
  private static func fraction(_ value: Double) -> (Int, Int)? {
    guard value.isFinite, value >= 0, value < 4e9 else { return nil }
    var below = 1_000_000
    while value * Double(below) > 4e9 { below /= 10 }
    let above = Int((value * Double(below)).rounded())
    var (a, b) = (above, below)
    while b != 0 { (a, b) = (b, a % b) }
    return (above / max(a, 1), below / max(a, 1))
  }
}
