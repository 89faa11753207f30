import Media

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#endif

/// Results of finished stages in a folder, so that a killed job goes on where it was. A file replaces its forerunner in one
/// step and carries the key of the inputs and options it was made from and a checksum; one that is damaged or belongs to
/// another job counts as absent.
struct CheckpointStore: Sendable {
  /// The folder; made when the first checkpoint is written.
  let folder: String
  /// What all results depend on.
  let key: UInt64

  private static let magic: [UInt8] = Array("twinrig checkpoint 1\n".utf8)

  private func path(_ name: String) -> String { folder + "/" + name + ".checkpoint" }

  /// Keeps a stage's result. Blocks until it is durable. A full disk or a read-only folder costs the checkpoint, not the
  /// job: the reason is returned.
  func save(_ value: some Archivable, as name: String) throws(ReconstructionError) -> String? {
    var archive = ArchiveWriter()
    try value.write(to: &archive)
    let payload = archive.bytes
    var bytes = Self.magic
    bytes.reserveCapacity(payload.count + 64)
    for number in [key, UInt64(payload.count), UInt64(CRC32.of(payload))] {
      withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
    bytes += payload
    do throws(MediaError) {
      try makeFolder()
      try FileBytes.write(bytes, to: path(name))
      return nil
    } catch { return "\(error)" }
  }

  /// Makes the folder where it is not there yet; what it lies in is.
  private func makeFolder() throws(MediaError) {
    if mkdir(folder, 0o755) == 0 { return }
    let number = errno
    guard number == EEXIST else { throw MediaError(.io, place: folder, "the folder cannot be made", errno: number) }
    var status = stat()
    guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw MediaError(.io, place: folder, "a file where a folder is needed; move it away")
    }
  }

  /// A stage's result, nil where there is none of this job. Where there is one and it is damaged, that is nil too, and
  /// `damaged` is told its file and why.
  func load<Value: Archivable>(_ name: String, as type: Value.Type, damaged: (String) -> Void) -> Value? {
    let bytes: [UInt8]
    do throws(MediaError) { bytes = try FileBytes.read(path(name)) } catch {
      // that the folder is none is said where something is to be kept in it
      if error.kind != .absent, error.errno != ENOTDIR { damaged("\(error)") }
      return nil
    }
    let head = Self.magic.count
    guard bytes.starts(with: Self.magic), bytes.count >= head + 24 else {
      damaged("\(path(name)): it does not begin as a checkpoint")
      return nil
    }
    let numbers = bytes.withUnsafeBytes { raw in
      (0..<3).map { UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: head + 8 * $0, as: UInt64.self)) }
    }
    guard numbers[0] == key else { return nil }
    let payload = Array(bytes[(head + 24)...])
    guard numbers[1] == UInt64(payload.count), numbers[2] == UInt64(CRC32.of(payload)) else {
      damaged("\(path(name)): its checksum is not that of its content")
      return nil
    }
    var archive = ArchiveReader(payload)
    guard let value = try? type.init(from: &archive), archive.isAtEnd else {
      damaged("\(path(name)): its content is not what the stage makes")
      return nil
    }
    return value
  }

  /// Forgets a result that later ones have replaced.
  func remove(_ name: String) { try? FileManager.default.removeItem(atPath: path(name)) }

  /// Forgets everything, and the folder where nothing else is in it.
  func removeAll() {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for file in files where file.hasSuffix(".checkpoint") || file.hasSuffix(".checkpoint.part") {
      try? FileManager.default.removeItem(atPath: folder + "/" + file)
    }
    rmdir(folder)
  }
}

/// A short number that is different, in all likelihood, for different texts (FNV-1a: G. Fowler, L. Noll, K.-P. Vo).
struct Fingerprint {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  /// Takes a text into account.
  mutating func add(_ text: String) {
    for byte in text.utf8 {
      value ^= UInt64(byte)
      value = value &* 0x100_0000_01b3
    }
    value ^= 0xff  // so that "a", "bc" and "ab", "c" differ
    value = value &* 0x100_0000_01b3
  }
}
