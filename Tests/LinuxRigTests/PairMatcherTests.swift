import LinuxRig
import Testing

/// Frames of two cameras, paired by time. Frames are named by a letter and a number; times are in milliseconds.
@Suite struct PairMatcherTests {
  /// A matcher at 100 frames a second (a pair's times are within 2.5 ms), and what came of the frames.
  private struct Bench {
    var matcher = PairMatcher<String>(framesPerSecond: 100)
    var pairs: [String] = []
    var orphans: [String] = []

    mutating func add(_ name: String, _ milliseconds: Double) {
      let side: Side = name.hasPrefix("L") ? .left : .right
      take(matcher.add(name, of: side, at: Int64((milliseconds * 1e6).rounded())))
    }

    mutating func take(_ outcomes: [PairMatcher<String>.Outcome]) {
      for outcome in outcomes {
        switch outcome {
        case .pair(let left, let right): pairs.append(left + right)
        case .orphan(_, let frame): orphans.append(frame)
        }
      }
    }
  }

  @Test func framesOfOneMomentArePaired() {
    var bench = Bench()
    for i in 0..<4 {
      bench.add("L\(i)", Double(10 * i))
      bench.add("R\(i)", Double(10 * i) + 0.3)
    }
    #expect(bench.pairs == ["L0R0", "L1R1", "L2R2", "L3R3"] && bench.orphans.isEmpty)
  }

  @Test func equalTimesArePaired() {
    var bench = Bench()
    bench.add("R0", 7)
    bench.add("L0", 7)
    #expect(bench.pairs == ["L0R0"] && bench.orphans.isEmpty)
  }

  @Test func theLimitIsAQuarterOfAFrame() {
    var bench = Bench()
    bench.add("L0", 100)
    bench.add("R0", 102.5)
    bench.add("L1", 110)
    bench.add("R1", 112.500001)
    #expect(bench.matcher.tolerance == 2_500_000)
    #expect(bench.pairs == ["L0R0"])
    #expect(bench.orphans == ["L1"], "its twin is too late; the right one still hopes")
  }

  @Test func whichCameraIsFirstMayChange() {
    var bench = Bench()
    // free-running clocks drift past each other
    for i in 0..<40 {
      let left = 10 * Double(i)
      let right = 10.1 * Double(i) - 2
      let frames = left <= right ? [("L", left), ("R", right)] : [("R", right), ("L", left)]
      for (name, time) in frames { bench.add("\(name)\(i)", time) }
    }
    #expect(bench.pairs == (0..<40).map { "L\($0)R\($0)" } && bench.orphans.isEmpty)
  }

  @Test func completionInAnotherOrderDoesNotMatter() {
    var bench = Bench()
    for (name, time) in [("L0", 0.0), ("L1", 10), ("R0", 0.1), ("R1", 10.1), ("R2", 20.1), ("R3", 30.1), ("L2", 20)] {
      bench.add(name, time)
    }
    bench.add("L3", 30)
    #expect(bench.pairs == ["L0R0", "L1R1", "L2R2", "L3R3"] && bench.orphans.isEmpty)
  }

  @Test func camerasThatStartApartArePairedByTimeAndNotByNumber() {
    var bench = Bench()
    for i in 0..<5 { bench.add("L\(i)", Double(10 * i)) }
    for i in 5..<9 {
      bench.add("L\(i)", Double(10 * i))
      bench.add("R\(i - 5)", Double(10 * i) + 0.2)
    }
    #expect(bench.pairs == ["L5R0", "L6R1", "L7R2", "L8R3"])
    #expect(bench.orphans == ["L0", "L1", "L2", "L3", "L4"])
  }

  @Test func aChangeOfGainThatShiftsOneCameraByAFrameLosesOnePair() {
    var bench = Bench()
    for i in 0..<6 {
      bench.add("L\(i)", Double(10 * i))
      // the right camera repeats a frame's length, and its numbers lag by one from there on
      if i != 3 { bench.add("R\(i < 3 ? i : i - 1)", Double(10 * i) + 0.2) }
    }
    #expect(bench.pairs == ["L0R0", "L1R1", "L2R2", "L4R3", "L5R4"] && bench.orphans == ["L3"])
  }

  @Test func aPhaseThatIsNeverNearIsNoPair() {
    var bench = Bench()
    for i in 0..<10 {
      bench.add("L\(i)", Double(10 * i))
      bench.add("R\(i)", Double(10 * i) + 5)
    }
    #expect(bench.pairs.isEmpty)
    #expect(bench.orphans.filter { $0.hasPrefix("L") }.count >= 9)
    #expect(bench.orphans.filter { $0.hasPrefix("R") }.count >= 9)
  }

  @Test func orphansOfBothSidesAreHandedBack() {
    var bench = Bench()
    for (name, time) in [("L0", 0.0), ("R1", 10.2), ("L2", 20), ("R2", 20.2), ("L3", 30), ("R4", 40.1), ("L4", 40)] {
      bench.add(name, time)
    }
    #expect(bench.pairs == ["L2R2", "L4R4"] && bench.orphans == ["L0", "R1", "L3"])
  }

  @Test func aLongDropoutKeepsBuffersMoving() {
    var bench = Bench()
    bench.add("L0", 0)
    bench.add("R0", 0.1)
    for i in 1..<500 { bench.add("L\(i)", Double(10 * i)) }
    // no more than two wait at any time
    #expect(bench.orphans.count == 497 && bench.orphans.first == "L1")
    bench.add("L500", 5000)
    bench.add("R1", 5000.1)
    #expect(bench.pairs == ["L0R0", "L500R1"])
    #expect(bench.orphans.count == 499)
  }

  @Test func aLateFrameWhoseTwinHasPassedIsNoReasonToWait() {
    var bench = Bench()
    bench.add("R5", 50)
    bench.add("L0", 0)
    #expect(bench.orphans == ["L0"])
    bench.add("L5", 50.4)
    #expect(bench.pairs == ["L5R5"])
  }

  @Test func ofTwoWithinReachTheNearerIsTaken() {
    var bench = Bench()
    // a camera that is faster than it was asked to be
    bench.add("L0", 98)
    bench.add("L1", 100)
    bench.add("R0", 100.4)
    #expect(bench.pairs == ["L1R0"] && bench.orphans == ["L0"])
  }

  @Test func aFrameThatIsToldTwiceIsUsedOnce() {
    var bench = Bench()
    bench.add("L0", 10)
    bench.add("L0again", 10)
    bench.add("R0", 10)
    #expect(bench.pairs == ["L0R0"] && bench.orphans == ["L0again"])
  }

  @Test func aClockThatJumpsBackStartsAnew() {
    var bench = Bench()
    bench.add("L0", 1000)
    bench.add("R0", 1000.2)
    bench.add("L1", 1010)
    // the twin has not jumped yet: its frames are of another age
    bench.add("L2", 10)
    #expect(bench.orphans == ["L1", "L2"])
    bench.add("R1", 1010.2)
    bench.add("R2", 10.2)
    bench.add("L3", 20)
    bench.add("R3", 20.2)
    #expect(bench.pairs == ["L0R0", "L3R3"])
    #expect(Set(bench.orphans) == ["L1", "R1", "L2", "R2"])
  }

  @Test func aClockThatJumpsAheadStartsAnew() {
    var bench = Bench()
    bench.add("L0", 0)
    bench.add("R0", 0.2)
    bench.add("L1", 90_010)
    bench.add("R1", 10.2)
    bench.add("R2", 90_010.2)
    bench.add("L2", 90_020)
    bench.add("R3", 90_020.2)
    #expect(bench.pairs == ["L0R0", "L1R2", "L2R3"] && bench.orphans == ["R1"])
  }

  @Test func whatWaitsCanBeGivenUp() {
    var bench = Bench()
    bench.add("L0", 0)
    bench.add("L1", 10)
    bench.take(bench.matcher.clear())
    #expect(bench.orphans == ["L0", "L1"])
    bench.add("R1", 10.1)
    #expect(bench.pairs.isEmpty)
  }

  @Test func noFrameIsLostOrUsedTwice() {
    // lost frames, jitter and drift, from a fixed seed
    var seed: UInt64 = 7
    func random() -> Double {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(seed >> 40) / Double(1 << 24)
    }
    var bench = Bench()
    var frames: [(name: String, time: Double)] = []
    for i in 0..<2000 {
      if random() > 0.1 { frames.append(("L\(i)", 10 * Double(i) + random())) }
      if random() > 0.1 { frames.append(("R\(i)", 10 * Double(i) + random())) }
    }
    frames.sort { $0.time < $1.time }
    for frame in frames { bench.add(frame.name, frame.time) }
    bench.take(bench.matcher.clear())
    let names = Set(frames.map(\.name))
    let whole = (0..<2000).filter { names.contains("L\($0)") && names.contains("R\($0)") }
    #expect(bench.pairs == whole.map { "L\($0)R\($0)" })
    #expect(2 * bench.pairs.count + bench.orphans.count == frames.count)
  }
}
