import Codecs
import Files
import Imaging
import Rig
import Session

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One place of the empty table, as pictures.
struct Plate: Sendable {
  var axes: AxisAngles
  /// The full pictures, encoded, left and right.
  var files: [[UInt8]]
  /// How they are encoded.
  var format: PictureFormat
  /// The previews, left and right.
  var previews: [RGBImage]
}

/// The empty table as photographed once, kept across sessions: nobody wants to clear the table before every scan.
struct PlateSet: Sendable {
  var plates: [Plate]
  /// The controls they were shot with; a scan that uses them is shot with the same.
  var controls: CameraControls
}

/// Plates on disk, one folder for each way the rig can be set up.
struct PlateLibrary: Sendable {
  let root: String
  var claim: StateClaim?

  private struct Index: Codable {
    struct Entry: Codable {
      var axes: AxisAngles
      var left: String
      var right: String
    }
    var key: String
    var controls: CameraControls
    var entries: [Entry]
    /// How the pictures are encoded.
    var format: PictureFormat
  }

  /// What plates depend on: where everything stands, the format, the head, the lamps and the lenses where they are put somewhere.
  static func key(
    geometry: RigGeometry, mode: CameraMode, pan: Angle, tilt: Angle, lamps: Double, lens: Double?
  ) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let geometry = (try? encoder.encode(geometry)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    return "\(geometry) \(mode) \(pan.degrees) \(tilt.degrees) \(lamps)" + (lens.map { " \($0)" } ?? "")
  }

  /// The plates for a set-up, or nil where there are none. Throws where there are some that cannot be used: the file and why.
  func load(_ key: String) throws(SessionError) -> PlateSet? {
    let folder = folder(key)
    guard let index = try index(in: folder), index.key == key else { return nil }
    var plates: [Plate] = []
    for entry in index.entries {
      var plate = Plate(axes: entry.axes, files: [], format: index.format, previews: [])
      for name in [entry.left, entry.right] {
        let (file, preview) = try pictures("\(folder)/\(name)", index.format)
        plate.files.append(file)
        plate.previews.append(preview)
      }
      plates.append(plate)
    }
    return PlateSet(plates: plates, controls: index.controls)
  }

  private func index(in folder: String) throws(SessionError) -> Index? {
    let path = "\(folder)/plates.json"
    let bytes: [UInt8]
    do throws(SessionError) { bytes = try DurableFolder.read(path, limit: 1 << 20) } catch
      where error.kind == .notFound
    {
      return nil
    }
    let index: Index
    do throws(DamagedJSON) { index = try JSONInput.decode(Index.self, from: bytes) } catch {
      throw SessionError(.damaged, path: path, operation: "\(error)")
    }
    if index.entries.isEmpty { throw SessionError(.damaged, path: path, operation: "it names no picture") }
    for entry in index.entries where entry.left.contains("/") || entry.right.contains("/") {
      throw SessionError(.damaged, path: path, operation: "it names pictures in another folder")
    }
    return index
  }

  /// The picture of that name, which goes into sessions as it is, and its preview.
  private func pictures(
    _ name: String, _ format: PictureFormat
  ) throws(SessionError) -> (file: [UInt8], preview: RGBImage) {
    let path = "\(name).\(format.ending)"
    let file = try DurableFolder.read(path, limit: 1 << 28)
    let small = try DurableFolder.read("\(name).png", limit: 1 << 28)
    do throws(CodecError) { try check(file, format) } catch {
      throw SessionError(.damaged, path: path, operation: error.message)
    }
    do throws(CodecError) { return (file, try PNG.decode(small)) } catch {
      throw SessionError(.damaged, path: "\(name).png", operation: error.message)
    }
  }

  /// Throws where a picture cannot be read to its end.
  private func check(_ file: [UInt8], _ format: PictureFormat) throws(CodecError) {
    switch format {
    case .jpeg: _ = try JPEG.decodeGray(file, scale: .eighth)
    case .heic: _ = try HEIC.decode(file)
    }
  }

  /// Keeps the plates of a set-up in place of older ones.
  func save(_ set: PlateSet, key: String) throws(ScanFault) {
    let folder = folder(key)
    let format = set.plates.first?.format ?? .jpeg
    var index = Index(key: key, controls: set.controls, entries: [], format: format)
    do {
      try claim?.check()
      let place = DurableFolder(path: folder)
      try place.makeAll()
      for (number, plate) in set.plates.enumerated() {
        let names = ["\(number)-left", "\(number)-right"]
        for (side, name) in names.enumerated() {
          try place.write(plate.files[side], as: "\(name).\(format.ending)")
          try place.write(try PNG.encode(plate.previews[side]), as: "\(name).png")
        }
        index.entries.append(.init(axes: plate.axes, left: names[0], right: names[1]))
      }
      try place.synchronise()
      // the index last: it makes the pictures count
      try place.write([UInt8](try JSONEncoder().encode(index)), as: "plates.json")
      try place.synchronise()
      removeOthers(than: format, in: folder)
    } catch let error as SessionError {
      throw ScanFault(disk: error)
    } catch {
      throw ScanFault(.other, "\(folder): keep plates: \(error)")
    }
  }

  /// Pictures of a set that was replaced by one of another format, which nobody would read again.
  private func removeOthers(than format: PictureFormat, in folder: String) {
    for name in (try? DurableFolder.names(in: folder)) ?? [] {
      let isOther = PictureFormat.allCases.contains { $0 != format && name.hasSuffix("." + $0.ending) }
      if isOther { try? FileManager.default.removeItem(atPath: "\(folder)/\(name)") }
    }
  }

  private func folder(_ key: String) -> String { "\(root)/\(Self.hash(key))" }

  /// FNV-1a, 64 bits (Fowler, Noll, Vo): the same on every run, unlike the standard library's.
  private static func hash(_ text: String) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
