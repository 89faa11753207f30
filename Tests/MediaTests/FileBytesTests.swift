import Foundation
import Media
import Testing

@Suite struct FileBytesTests {
  private func withFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("twinrig-media-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder.path)
  }

  @Test func aFileIsReplacedWholeAndNothingIsLeftBeside() throws {
    try withFolder { folder in
      let path = folder + "/a.bin"
      try FileBytes.write([1, 2, 3], to: path)
      try FileBytes.write([], to: path)
      #expect(try FileBytes.read(path) == [])
      let large = [UInt8](repeating: 7, count: 3_000_001)
      try FileBytes.write(large, to: path)
      #expect(try FileBytes.read(path) == large)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a.bin"])
    }
  }

  @Test func whatCannotBeReadIsNamed() throws {
    try withFolder { folder in
      #expect { try FileBytes.read(folder + "/none") } throws: {
        ($0 as? MediaError)?.kind == .absent && "\($0)".contains("/none")
      }
      #expect { try FileBytes.read(folder) } throws: { ($0 as? MediaError)?.kind == .io }
      try FileBytes.write([1, 2, 3], to: folder + "/three")
      #expect { try FileBytes.read(folder + "/three", limit: 2) } throws: { ($0 as? MediaError)?.kind == .tooLarge }
    }
  }

  @Test func aFailedWriteLeavesTheOldFileAndNothingElse() throws {
    #expect { try FileBytes.write([1], to: "/nowhere/at/all") } throws: { ($0 as? MediaError)?.kind == .absent }
    try withFolder { folder in
      // a folder in the way: the rename fails after the bytes were written
      try FileManager.default.createDirectory(atPath: folder + "/taken", withIntermediateDirectories: true)
      #expect(throws: MediaError.self) { try FileBytes.write([1], to: folder + "/taken") }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["taken"])
    }
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"))) func aFullDiskIsSaidToBeFull() throws {
    try withFolder { folder in
      // the temporary file is a link to the device on which every write fails for lack of space
      try FileManager.default.createSymbolicLink(atPath: folder + "/a.part", withDestinationPath: "/dev/full")
      #expect { try FileBytes.write([1, 2, 3], to: folder + "/a") } throws: { "\($0)".contains("no space left") }
    }
  }
}
