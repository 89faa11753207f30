import Files
import Foundation
import Testing

/// Everything that has a name in a folder is read whole or refused, and nothing is waited for.
@Suite(.timeLimit(.minutes(1))) struct WholeFileTests {
  private let folder = NSTemporaryDirectory() + "twinrig-files-\(UUID().uuidString)"

  init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

  private func clean() { try? FileManager.default.removeItem(atPath: folder) }

  private func fault(_ path: String, limit: Int = 100) -> UnreadableFile? {
    do throws(UnreadableFile) { _ = try WholeFile.read(path, limit: limit) } catch { return error }
    return nil
  }

  @Test(arguments: [0, 1, 99, 100]) func aFileUpToTheLimitIsReadWhole(count: Int) throws {
    defer { clean() }
    let bytes = (0..<count).map { UInt8($0) }
    #expect(FileManager.default.createFile(atPath: folder + "/a", contents: Data(bytes)))
    #expect(try WholeFile.read(folder + "/a", limit: 100) == bytes)
    #expect(fault(folder + "/a", limit: count - 1) == .tooLarge(bytes: count))
  }

  @Test func whatIsNoFileOfBytesIsRefused() throws {
    defer { clean() }
    #expect(fault(folder) == .notRegular(.folder))
    // nobody writes into it: waiting for its end would be waiting without end
    #expect(mkfifo(folder + "/pipe", 0o600) == 0)
    #expect(fault(folder + "/pipe") == .notRegular(.pipe))
    #expect(fault("/dev/zero") == .notRegular(.device))
    #expect(fault(folder + "/none") == .system(ENOENT, during: .open))
  }

  @Test func aFileThatDoesNotKnowItsSizeIsReadToItsEnd() throws {
    defer { clean() }
    // files of /proc have a size of 0
    let text = String(decoding: try WholeFile.read("/proc/self/status", limit: 1 << 20), as: UTF8.self)
    #expect(text.hasPrefix("Name:") && text.hasSuffix("\n"))
    #expect(fault("/proc/self/status", limit: 10) != nil)
  }
}
