import Files

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Appends plain values to bytes, as they lie in this machine's memory: archives are read back on the machine that wrote
/// them.
struct ArchiveWriter {
  private(set) var bytes: [UInt8] = []

  /// Appends numbers or vectors of numbers, with their count.
  mutating func put<Element>(_ values: [Element]) {
    precondition(_isPOD(Element.self))
    put(count: values.count)
    values.withUnsafeBytes { bytes.append(contentsOf: $0) }
  }

  /// Appends what can be coded, as JSON.
  mutating func put<Value: Encodable>(coded value: Value) throws(ReconstructionError) {
    do { put([UInt8](try JSONEncoder().encode(value))) } catch {
      throw ReconstructionError(.io, "cannot code a checkpoint: \(error)")
    }
  }

  private mutating func put(count: Int) {
    withUnsafeBytes(of: UInt64(count)) { bytes.append(contentsOf: $0) }
  }
}

/// Reads back what an `ArchiveWriter` wrote. Throws `ArchiveDamage` rather than read beyond the end.
struct ArchiveReader {
  private let bytes: [UInt8]
  private var position: Int

  init(_ bytes: [UInt8], from start: Int = 0) {
    self.bytes = bytes
    position = start
  }

  /// Whether everything was read.
  var isAtEnd: Bool { position == bytes.count }

  /// Numbers or vectors of numbers.
  mutating func values<Element>(of type: Element.Type) throws(ArchiveDamage) -> [Element] {
    precondition(_isPOD(type))
    let stride = MemoryLayout<Element>.stride
    guard bytes.count - position >= 8 else { throw ArchiveDamage() }
    let wanted = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: position, as: UInt64.self) }
    position += 8
    guard wanted <= UInt64((bytes.count - position) / stride) else { throw ArchiveDamage() }
    let count = Int(wanted)
    // filled in place, an empty array would be the one that all empty arrays share
    guard count > 0 else { return [] }
    let start = position
    position += count * stride
    return [Element](unsafeUninitializedCapacity: count) { out, used in
      bytes.withUnsafeBytes { source in
        UnsafeMutableRawBufferPointer(out).copyMemory(
          from: UnsafeRawBufferPointer(rebasing: source[start..<start + count * stride]))
      }
      used = count
    }
  }

  /// What was put as JSON.
  mutating func coded<Value: Decodable>(_ type: Value.Type) throws(ArchiveDamage) -> Value {
    let text = try values(of: UInt8.self)
    guard let value = try? JSONInput.decode(type, from: text) else { throw ArchiveDamage() }
    return value
  }
}

/// An archive does not hold what it should.
struct ArchiveDamage: Error {}

/// What a finished stage can be kept as.
protocol Archivable {
  /// Appends everything that matters.
  func write(to archive: inout ArchiveWriter) throws(ReconstructionError)
  /// Reads it back.
  init(from archive: inout ArchiveReader) throws(ArchiveDamage)
}
