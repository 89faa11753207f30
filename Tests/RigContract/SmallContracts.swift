import Imaging
import Rig

/// What every lamp promises.
public enum LampContract {
  /// All promises.
  public static let cases: [ContractCase<any Lamp>] = [
    ContractCase("takes every level from off to full") { lamp in
      for level in [0, 0.25, 1, 0] { try await lamp.set(level: level) }
    },
    ContractCase("refuses levels beyond, and no number at all") { lamp in
      for level in [-0.1, 1.1, .nan, .infinity] {
        try await requireRefusal(.outOfRange) { try await lamp.set(level: level) }
      }
    }
  ]
}

/// A button's line and something that presses and releases it.
public struct ButtonFixture: Sendable {
  /// The line.
  public var line: any InputLine
  /// Presses and releases.
  public var press: @Sendable () async -> Void

  /// A fixture.
  public init(line: any InputLine, press: @escaping @Sendable () async -> Void) {
    self.line = line
    self.press = press
  }
}

/// What every button's line promises.
public enum ButtonContract {
  /// All promises.
  public static let cases: [ContractCase<ButtonFixture>] = [
    ContractCase("is inactive while nobody presses it") { f in
      let level = try await f.line.read()
      try require(!level, "active")
    },
    ContractCase("a press is one edge down and one up, in order of time") { f in
      var edges = try await f.line.edges().makeAsyncIterator()
      await f.press()
      let down = await edges.next()
      let up = await edges.next()
      guard let down, let up else { throw ContractViolation(description: "the stream ended") }
      try require(down.active && !up.active, "\(down), \(up)")
      try require(down.at < up.at, "\(down.at) before \(up.at)")
      let level = try await f.line.read()
      try require(!level, "still active")
    },
    ContractCase("every reader gets every edge") { f in
      var first = try await f.line.edges().makeAsyncIterator()
      var second = try await f.line.edges().makeAsyncIterator()
      await f.press()
      let edges = [await first.next(), await first.next()]
      let same = [await second.next(), await second.next()]
      try require(edges == same && edges[0] != nil, "\(edges), \(same)")
    },
    ContractCase("edges from before are not told") { f in
      await f.press()
      var edges = try await f.line.edges().makeAsyncIterator()
      await f.press()
      let edge = await edges.next()
      try require(edge?.active == true, "began with \(String(describing: edge))")
    }
  ]
}

/// What every gauge promises. Readings may be wrong, but not malformed.
public enum PowerContract {
  /// All promises.
  public static let cases: [ContractCase<any PowerSupply>] = [
    ContractCase("has a name and a source") { supply in
      try require(!supply.name.isEmpty && !supply.source.isEmpty, "“\(supply.name)” from “\(supply.source)”")
    },
    ContractCase("reads numbers or says unknown") { supply in
      for _ in 0..<10 {
        let reading = try await supply.read()
        try require(reading.level?.isFinite ?? true, "level \(reading)")
        try require(reading.volts?.isFinite ?? true, "volts \(reading)")
      }
    }
  ]
}

/// What every signal promises.
public enum SignalContract {
  /// All promises.
  public static let cases: [ContractCase<any Signal>] = [
    ContractCase("shows every pattern, twice, and returns") { signal in
      for pattern in SignalPattern.allCases {
        await signal.show(pattern)
        await signal.show(pattern)
      }
      await signal.show(.off)
    }
  ]
}

/// What every rig's clock promises.
public enum ClockContract {
  /// All promises.
  public static let cases: [ContractCase<any RigClock>] = [
    ContractCase("never goes back") { clock in
      var last = clock.now
      for i in 0..<200 {
        if i % 50 == 0 { try await clock.sleep(for: .milliseconds(1)) }
        let now = clock.now
        try require(now >= last, "\(now) after \(last)")
        last = now
      }
    },
    ContractCase("a sleep lasts at least as long as asked for") { clock in
      let began = clock.now
      try await clock.sleep(for: .milliseconds(30))
      try require(began.duration(to: clock.now) >= .milliseconds(30), "\(began) to \(clock.now)")
    },
    ContractCase("a sleep until a moment that is over returns at once") { clock in
      let past = clock.now.advanced(by: .seconds(-5))
      try await clock.sleep(until: past, tolerance: nil)
      try require(past.duration(to: clock.now) < .seconds(10), "it waited")
    },
    ContractCase("a sleep whose task is cancelled ends with CancellationError") { clock in
      let sleeper = Task {
        try await clock.sleep(for: .seconds(3600))
        try await clock.sleep(for: .seconds(3600))
      }
      sleeper.cancel()
      do {
        try await sleeper.value
      } catch is CancellationError {
        return
      }
      throw ContractViolation(description: "it slept on")
    }
  ]
}
