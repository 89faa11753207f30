import CLinux
import Foundation
import Journal
import Testing

/// Records as the journal gets them.
@Suite struct JournalTests {
  /// A journal's end of a socket, and what comes there.
  private final class Receiver {
    let path = "/tmp/twinrig-journal-\(UUID().uuidString.prefix(8))"
    private let descriptor: Int32

    init() throws {
      descriptor = linux_datagram_receiver(path)
      try #require(descriptor >= 0)
    }

    deinit {
      linux_close(descriptor)
      unlink(path)
    }

    /// The next record; it must have been sent.
    func next() -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: 1 << 17)
      let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      return Array(bytes.prefix(max(0, count)))
    }
  }

  @Test func aRecordArrivesWithItsFields() throws {
    let receiver = try Receiver()
    let record = JournalRecord(
      priority: 4, message: "turntable: no chip answers", identifier: "twinrigd",
      fields: [.device("turntable"), .session("20261201-0001")])
    #expect(JournalSocket(path: receiver.path).send(record))
    let text = String(decoding: receiver.next(), as: UTF8.self)
    #expect(
      text == """
        MESSAGE=turntable: no chip answers
        PRIORITY=4
        SYSLOG_IDENTIFIER=twinrigd
        TWINRIG_DEVICE=turntable
        TWINRIG_SESSION=20261201-0001

        """)
  }

  @Test func aValueOfSeveralLinesHasItsLengthBeforeIt() throws {
    let receiver = try Receiver()
    #expect(JournalSocket(path: receiver.path).send(JournalRecord(priority: 6, message: "a\nb", identifier: "x")))
    let start = Array("MESSAGE\n".utf8) + [3, 0, 0, 0, 0, 0, 0, 0] + Array("a\nb\nPRIORITY=6\n".utf8)
    #expect(receiver.next().starts(with: start))
  }

  @Test func aLongValueIsCutBetweenCharacters() throws {
    let receiver = try Receiver()
    for ending in ["", "x", "xy"] {
      let message = ending + String(repeating: "€", count: 40_000)
      #expect(JournalSocket(path: receiver.path).send(JournalRecord(priority: 6, message: message, identifier: "x")))
      let line = receiver.next().prefix { $0 != UInt8(ascii: "\n") }.dropFirst("MESSAGE=".utf8.count)
      #expect((32_765...32_768).contains(line.count) && String(validating: line, as: UTF8.self) != nil)
    }
  }

  @Test func withoutAJournalNothingIsTaken() {
    let record = JournalRecord(priority: 6, message: "x", identifier: "x")
    #expect(JournalSocket(path: "/nonexistent/socket").send(record) == false)
  }

  @Test func standardErrorIsTheJournalsOnlyWhereItIsTheVeryStream() {
    var status = stat()
    fstat(2, &status)
    #expect(JournalSocket.isBehind(2, stream: "\(status.st_dev):\(status.st_ino)"))
    #expect(!JournalSocket.isBehind(2, stream: "\(status.st_dev):\(status.st_ino + 1)"))
    #expect(!JournalSocket.isBehind(2, stream: "8:1x"))
    #expect(!JournalSocket.isBehind(2, stream: nil))
  }
}
