import Capture
import Imaging
import Rig
import Session
import SimulatedRig
import Testing

/// What the machine does when everything that moves is stopped by hand, and when the disk fails where a person is waited for.
@Suite struct ScanHaltTests {
  /// Work in which axes move.
  private static func moves(_ action: ScanMachine.Action) -> Bool {
    switch action {
    case .prepare, .takePlates, .look, .go, .rehome, .wake, .park, .rest, .initialize: true
    default: false
    }
  }

  @Test func nothingMovesAfterAStopBeforeSomebodyGoesOn() {
    for (name, start) in Course.everywhere() where !start.machine.state.isIdle {
      var course = start
      course.feed(.halt)
      #expect(!course.actions.contains(where: Self.moves), "\(name)")
      switch name {
      case "initializing": #expect(course.machine.state == .cancelled)
      case "parking": #expect(course.machine.state == .completed)
      case "parking cancelled": #expect(course.machine.state == .cancelled)
      case "clearing", "placing", "asking":
        // nothing moves there until a person answers
        #expect(course.machine.prompt != nil, "\(name)")
      case "shooting", "awaitingStore": #expect(course.machine.isPauseWanted, "\(name)")
      case "endingPass", "advising", "shootingByHand": #expect(course.machine.phase == start.machine.phase)
      default:
        #expect(course.machine.state == .paused, "\(name)")
        if !name.hasPrefix("paused") {
          #expect(course.actions.contains(.abandon) && course.machine.reason.contains("stopped by hand"), "\(name)")
        }
        course.feed(.unpause)
        #expect(course.refusal == nil && course.actions.contains(where: Self.moves), "\(name)")
      }
    }
  }

  @Test func anAxisThatSomebodyStoppedIsNotHomedByItself() {
    var course = Course.approaching()
    let viewpoint = Course.plan.viewpoints(pass: 1)[0]
    course.feed(.failed(ScanFault(axis: DeviceError(.cancelled, device: "turntable", operation: "move to 40°"))))
    #expect(course.machine.phase == .paused(resting: false))
    #expect(!course.actions.contains(where: Self.moves))
    course.feed(.unpause)
    #expect(course.actions.contains(.go(viewpoint)))
  }

  @Test func aDiskThatFailsWhileAPersonIsAskedClosesThePromptAndAsksAgain() {
    var course = Course.asking()
    let open = course.machine.prompt?.id ?? 0
    course.feed(.storeFailed(ScanFault(.disk, "disk full; free some space")))
    #expect(course.machine.phase == .paused(resting: true) && course.machine.prompt == nil)
    #expect(course.actions.contains(.publish(.promptClosed(id: open, choice: nil, byTimeout: false))))
    #expect(course.machine.reason == "disk full; free some space, then go on")
    // an answer that comes too late does not end the scan
    course.feed(.answer(open, .flipped))
    #expect(course.refusal == .notFound && course.machine.state == .paused)
    course.feed(.unpause, .woken, .advised(Course.seen))
    #expect(course.machine.prompt.map { $0.id > open } == true)
  }

  @Test func aDiskThatFailsDuringAPauseIsToldOf() {
    var course = Course.paused()
    course.feed(.storeFailed(ScanFault(.disk, "disk full; free some space")))
    #expect(course.machine.phase == .paused(resting: true))
    #expect(course.actions.contains(.publish(.notice("disk full; free some space, then go on"))))
    #expect(course.actions.contains(.rest))
    course.feed(.unpause, .woken)
    // the pair that was lost is taken again
    #expect(course.actions.contains(.go(Course.plan.viewpoints(pass: 1)[0])))
  }

  @Test(arguments: ["clearing", "placing"]) func whatWasAskedForBeforeTheDiskFailedIsAskedForAgain(phase: String) throws
  {
    var course = try #require(Course.everywhere().first { $0.0 == phase }).1
    let kind = course.machine.prompt?.kind
    course.feed(.storeFailed(ScanFault(.disk, "disk full")), .unpause, .woken)
    course.feed(phase == "clearing" ? .prepared(havePlates: false, []) : .looked(found: false, [.objectNotDetected]))
    #expect(course.machine.prompt?.kind == kind && kind != nil)
  }
}
