import Codecs
import Foundation
import Imaging
import Media
import Testing

/// The EXIF of pictures as another program finds it: by readers of the tests' own, and by exiftool where there is one.
@Suite struct ExifFileTests {
  private var exif: Exif {
    var exif = Exif()
    exif.make = "twinrig"
    exif.model = "simulated twin, left"
    exif.taken = CaptureTime(milliseconds: 1_796_034_296_123)
    exif.exposureTime = 0.02
    exif.fNumber = 2.8
    exif.isoSpeed = 140
    exif.focalLength = 4.74
    exif.focalLengthOn35mmFilm = 45.4
    exif.pixelsPerMillimetre = SIMD2(645.161290, 645.161290)
    exif.width = 64
    exif.height = 48
    return exif
  }

  private let photo: [Int: String] = [
    0x829A: "1/50", 0x829D: "14/5", 0x8827: "140", 0x9000: "0232", 0x9003: "2026:11:30 10:24:56",
    0x9011: "+00:00", 0x9291: "123", 0x920A: "237/50", 0xA002: "64", 0xA003: "48", 0xA210: "4", 0xA405: "45"
  ]

  @Test(arguments: Exif.ByteOrder.allCases) func theStructureHoldsWhatIsKnown(order: Exif.ByteOrder) throws {
    let fields = try TIFFFields(exif.tiff(order))
    #expect(fields.main[0x010F] == "twinrig" && fields.main[0x0110] == "simulated twin, left")
    #expect(fields.main[0x0112] == "1" && fields.main[0x0132] == "2026:11:30 10:24:56")
    for (tag, value) in photo { #expect(fields.photo[tag] == value, "\(tag): \(fields.photo[tag] ?? "-")") }
    #expect(fields.photo[0x927C] == nil)
    #expect(fields.isSorted)
  }

  @Test(arguments: Exif.ByteOrder.allCases) func theOwnReaderReadsTheSame(order: Exif.ByteOrder) throws {
    let read = try #require(Exif.read(tiff: exif.tiff(order)))
    #expect(read.make == exif.make && read.model == exif.model && read.taken == exif.taken)
    #expect(read.exposureTime == 0.02 && read.fNumber == 2.8 && read.isoSpeed == 140)
    #expect(read.focalLength == 4.74 && read.focalLengthOn35mmFilm == 45)
    #expect(read.width == 64 && read.height == 48)
    let pixels = try #require(read.focalLengthInPixels(width: 64, height: 48))
    #expect(abs(pixels - 4.74 * 645.161290) < 0.01)
  }

  @Test func whatIsUnknownIsNotWritten() throws {
    let fields = try TIFFFields(Exif().tiff())
    for tag in [0x829A, 0x829D, 0x8827, 0x9003, 0x9291, 0x920A, 0xA405] { #expect(fields.photo[tag] == nil) }
    #expect(fields.main[0x010F] == nil && fields.main[0x0112] == "1")
  }

  @Test func aHEICHoldsIt() throws {
    let file = try BoxFile(try HEIC.encode(Pattern.photo(width: 64, height: 48), exif: exif))
    let fields = try TIFFFields(try #require(file.exif))
    for (tag, value) in photo { #expect(fields.photo[tag] == value) }
    #expect(file.references(of: "cdsc").contains { $0.to == [file.primary] })
  }

  @Test func aJPEGHoldsIt() throws {
    let picture = Pattern.photo(width: 64, height: 48)
    let bytes = try JPEG.encode(picture, exif: exif)
    // the first segment, and JFIF's is gone
    #expect(bytes.starts(with: [0xFF, 0xD8, 0xFF, 0xE1]))
    #expect(!bytes.indices.contains { bytes[$0...].starts(with: Array("JFIF".utf8)) })
    let length = Int(bytes[4]) << 8 | Int(bytes[5])
    #expect(bytes[6..<12].elementsEqual("Exif\0\0".utf8))
    let fields = try TIFFFields(Array(bytes[12..<4 + length]))
    for (tag, value) in photo { #expect(fields.photo[tag] == value) }
    #expect(Picture.exif(bytes)?.isoSpeed == 140)
    #expect(try JPEG.decode(bytes).bytes == JPEG.decode(JPEG.encode(picture)).bytes)
  }

  @Test func momentsAreWrittenInUTC() {
    #expect(CaptureTime(milliseconds: 0).text == "1970:01:01 00:00:00")
    let before = CaptureTime(milliseconds: -1)
    #expect(before.text == "1969:12:31 23:59:59" && before.subSeconds == "999" && before.offset == "+00:00")
    #expect(CaptureTime(milliseconds: 951_782_400_007).text == "2000:02:29 00:00:00")
  }

  private static let exiftool = ["/usr/bin/exiftool", "/usr/local/bin/exiftool"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  @Test(.enabled(if: exiftool != nil), arguments: ["heic", "jpg"]) func exiftoolReadsIt(ending: String) throws {
    let picture = Pattern.photo(width: 64, height: 48)
    let bytes = ending == "heic" ? try HEIC.encode(picture, exif: exif) : try JPEG.encode(picture, exif: exif)
    let path = FileManager.default.temporaryDirectory.path + "/twinrig-exif-\(UInt64.random(in: 0 ... .max)).\(ending)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let tool = Process()
    tool.executableURL = URL(fileURLWithPath: try #require(Self.exiftool))
    tool.arguments = ["-s", "-validate", "-SubSecDateTimeOriginal", "-ExposureTime", "-FNumber", "-ISO", path]
    let pipe = Pipe()
    tool.standardOutput = pipe
    try tool.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    tool.waitUntilExit()
    for part in ["2026:11:30 10:24:56.123+00:00", "1/50", "2.8", "140"] { #expect(text.contains(part), "\(text)") }
  }
}
