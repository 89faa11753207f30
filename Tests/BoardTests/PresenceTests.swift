import Board
import Rig
import Testing

/// What is done about a device that comes and goes, as a table.
@Suite struct PresenceTests {
  private let gone = DeviceError(.absent, device: "turntable", operation: "move", errno: 19)
  private let busy = DeviceError(.busy, device: "turntable", operation: "open", errno: 16)

  @Test func oneThatIsThereFromTheStartIsNotWorthAWord() {
    var presence = Presence()
    #expect(presence.handle(.opened) == [])
    #expect(presence.state == .present)
  }

  @Test func oneThatIsAbsentIsToldOnceAndTriedMoreAndMoreSeldom() {
    var presence = Presence()
    #expect(presence.handle(.refused(gone)) == [.tell(gone), .open(after: .seconds(1))])
    for pause in [2, 4, 8, 16, 30, 30, 30] {
      #expect(presence.handle(.refused(gone)) == [.open(after: .seconds(pause))])
    }
    // another reason is news
    #expect(presence.handle(.refused(busy)) == [.tell(busy), .open(after: .seconds(30))])
    #expect(presence.state == .absent(busy))
    #expect(presence.handle(.opened) == [.tell(nil)])
  }

  @Test func oneThatIsLostIsOpenedAtOnceAndThenAfterPauses() {
    var presence = Presence()
    _ = presence.handle(.opened)
    #expect(presence.handle(.lost(gone)) == [.tell(gone), .open(after: .zero)])
    // several who use it may find it gone
    #expect(presence.handle(.lost(gone)) == [])
    #expect(presence.handle(.refused(gone)) == [.open(after: .seconds(1))])
    #expect(presence.handle(.opened) == [.tell(nil)])
  }

  @Test func oneThatComesAndGoesIsGivenMoreTimeUntilItHasStayedAWhile() {
    var presence = Presence()
    _ = presence.handle(.refused(gone))
    _ = presence.handle(.opened)
    #expect(presence.handle(.lost(gone)) == [.tell(gone), .open(after: .seconds(2))])
    _ = presence.handle(.opened)
    #expect(presence.handle(.answered) == [])
    #expect(presence.handle(.lost(gone)) == [.tell(gone), .open(after: .zero)])
  }
}
