import Board
import Imaging
import Rig
import SimulatedRig
import Testing

/// Devices that come and go, behind what the rest of the agent sees of them.
@Suite(.timeLimit(.minutes(1))) struct ReopeningTests {
  private let register = DeviceRegister()
  private let plug = Plug()

  private func axis(_ world: SimulatedWorld) -> ReopeningAxis {
    let plug = plug
    let device = Reopening<any Axis>(
      kind: "axis", name: "turntable", register: register, presence: .quick,
      check: { axis throws(DeviceError) in try await axis.check() }
    ) { () throws(DeviceError) in
      try plug.check("turntable", "open")
      // every time it is opened it is another one, which knows nothing
      return PluggedAxis(axis: try SimulatedWorld(.small).rig.turntable, plug: plug)
    }
    return ReopeningAxis(device, limits: world.rig.turntable.limits)
  }

  @Test func anAxisThatIsAbsentAtTheStartIsThereOnceItCanBeOpened() async throws {
    plug.pull()
    var changes = Changes(of: register)
    let axis = axis(try SimulatedWorld(.small))
    let gone = await changes.next(isPresent: false)
    #expect(gone?.name == "turntable" && gone?.kind == "axis" && gone?.error?.kind == .absent)
    #expect(register.absent.count == 1)
    #expect(await axis.position == nil)
    await #expect(throws: DeviceError.self) { try await axis.home() }
    await axis.stop()
    await axis.release()
    plug.push()
    #expect(await changes.next(isPresent: true) != nil)
    #expect(register.absent.isEmpty)
    try await axis.home()
    #expect(await axis.position.map { abs($0.degrees) < 0.1 } == true)
  }

  @Test func anAxisThatVanishesSaysSoAndHasToBeHomedWhenItIsBack() async throws {
    let axis = axis(try SimulatedWorld(.small))
    try await axis.home()
    try await axis.move(to: .degrees(30), speed: nil)
    var changes = Changes(of: register)
    plug.pull()
    await #expect(throws: DeviceError.self) { try await axis.move(to: .degrees(60), speed: nil) }
    let gone = await changes.next(isPresent: false)
    #expect(gone?.error?.operation == "move to 60.0°")
    #expect(await axis.position == nil)
    plug.push()
    #expect(await changes.next(isPresent: true) != nil)
    await #expect(throws: DeviceError.self) { try await axis.move(to: .degrees(60), speed: nil) }
    try await axis.home()
    try await axis.move(to: .degrees(60), speed: nil)
    #expect(await axis.position.map { abs($0.degrees - 60) < 0.1 } == true)
  }

  @Test func oneThatVanishesWhileNobodyUsesItIsNoticedByAsking() async throws {
    let axis = axis(try SimulatedWorld(.small))
    try await axis.home()
    var changes = Changes(of: register)
    for (_, check) in register.checks { await check() }
    #expect(register.absent.isEmpty)
    plug.pull()
    for (_, check) in register.checks { await check() }
    #expect(await changes.next(isPresent: false) != nil)
  }

  @Test func aGlitchIsOverWhenTheNextOneAsks() async throws {
    let axis = axis(try SimulatedWorld(.small))
    try await axis.home()
    plug.pull()
    await #expect(throws: DeviceError.self) { try await axis.move(to: .degrees(60), speed: nil) }
    plug.push()
    // opened again at once or a little later, but nobody has to do anything for it
    while (try? await axis.home()) == nil { await Task.yield() }
    #expect(await axis.position.map { abs($0.degrees) < 0.1 } == true)
  }

  @Test func theEdgesOfAButtonGoOnWhenItsChipIsBack() async throws {
    let (plug, line) = (plug, PluggedLine(plug))
    let second = PluggedLine(plug)
    let isFirst = Plug()
    let device = Reopening<any InputLine>(
      kind: "button", name: "button 1", register: register, presence: .quick,
      check: { line throws(DeviceError) in _ = try await line.read() }
    ) { () throws(DeviceError) in
      try plug.check("button 1", "open")
      let isAgain = (try? isFirst.check("", "")) == nil
      isFirst.pull()
      return isAgain ? second : line
    }
    let button = ReopeningInput(device)
    var edges = try await button.edges().makeAsyncIterator()
    while !line.press(at: 1) { await Task.yield() }
    #expect(await edges.next()?.at.sinceOrigin == .seconds(1))
    var changes = Changes(of: register)
    plug.pull()
    line.hangUp()
    #expect(await changes.next(isPresent: false)?.error?.errno == 19)
    plug.push()
    #expect(await changes.next(isPresent: true) != nil)
    while !second.press(at: 2) { await Task.yield() }
    #expect(await edges.next()?.at.sinceOrigin == .seconds(2))
  }

  @Test func aLampThatIsBackHasTheLevelThatWasLastAskedFor() async throws {
    let world = try SimulatedWorld(SimulatedRigSettings())
    let plug = plug
    let seen = LevelsSeen()
    let device = Reopening<any Lamp>(
      kind: "lamp", name: "left", register: register, presence: .quick, check: { _ throws(DeviceError) in }
    ) { () throws(DeviceError) in
      try plug.check("left", "open")
      return PluggedLamp(lamp: world.rig.lamps[0], plug: plug, seen: seen)
    }
    let lamp = ReopeningLamp(device)
    try await lamp.set(level: 0.5)
    plug.pull()
    await #expect(throws: DeviceError.self) { try await lamp.set(level: 0) }
    #expect(seen.last == 0.5)
    plug.push()
    while seen.last != 0 { await Task.yield() }
  }
}
