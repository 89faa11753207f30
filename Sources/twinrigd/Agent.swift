import Board
import CLinux
import Capture
import Configuration
import Control
import Glibc
import Rig
import Session

/// The agent from its start to its orderly end.
struct Agent {
  private let station: Station
  private let notifier: ServiceNotifier
  private let log: Log

  /// Runs until a signal, or a battery, ends it. Returns the exit code.
  static func run(_ settings: AgentOptions.Settings) async -> Int32 {
    let log = settings.isVerbose ? Log.standard.verbose : Log.standard
    let notifier = ServiceNotifier.fromEnvironment()
    do {
      let configuration = try TwinrigConfiguration(file: settings.configuration)
      let paths = StationPaths(
        configuration: settings.configuration, state: absolute(settings.state ?? configuration.agent.stateFolder),
        socket: settings.socket ?? configuration.agent.socket, program: settings.program ?? neighbour("twinrig"))
      try checkProgram(paths.program)
      let claim = try StateClaim(paths.state)
      let rig = try RigBuilder(configuration, state: paths.state).build()
      let station = try Station(configuration, rig: rig, paths: paths, claim: claim, log: log)
      let endpoint = try endpoint(paths.socket, isGiven: settings.socket != nil)
      do throws(ControlError) { try station.server.start(at: endpoint, handler: station.table) } catch {
        log.error(error.description)
        return 1
      }
      // whoever waits for the unit may talk to it now; homing may take a minute, and `status` tells of it
      notifier.ready()
      log.info("twinrigd \(Version.text) serves \(endpoint.path), rig \(rig.name), state in \(paths.state)")
      return await Agent(station: station, notifier: notifier, log: log).live()
    } catch let error as ConfigurationError {
      for problem in error.problems { log.error(problem.description) }
      return 2
    } catch {
      log.about(device: (error as? DeviceError)?.device).error("\(error)")
      return code(of: error)
    }
  }

  /// The exit code of what went wrong before anybody was served: by then it is the configuration, the command line, or what
  /// they name, or else a device.
  private static func code(of error: any Error) -> Int32 {
    switch error {
    case let error as ControlError: error.kind == .occupied ? 3 : 2
    case let error as SessionError: error.kind == .busy ? 3 : 2
    case is UsageError: 2
    default: 1
    }
  }

  /// The socket that systemd passes on, unless another one is asked for.
  private static func endpoint(_ path: String, isGiven: Bool) throws -> SocketEndpoint {
    if !isGiven, let endpoint = try SocketEndpoint.inherited() { return endpoint }
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      try DurableFolder(path: String(path[..<slash])).makeAll()
    }
    return try SocketEndpoint.bind(path: path)
  }

  /// A path as clients can use it, who may have been started in another folder.
  private static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let here = getcwd(nil, 0) else { return path }
    defer { free(here) }
    return String(cString: here) + "/" + path
  }

  /// A program that is not there would be noticed hours later, when the first scan is to become a model.
  private static func checkProgram(_ path: String) throws(UsageError) {
    var status = stat()
    let isThere = stat(path, &status) == 0
    let reason = String(cString: strerror(errno))
    guard isThere, status.st_mode & S_IFMT == S_IFREG, access(path, X_OK) == 0 else {
      let why = !isThere ? reason : status.st_mode & S_IFMT == S_IFREG ? "it may not be run" : "it is no program"
      throw UsageError(message: "\(path): \(why); this is what makes models: name it with --twinrig")
    }
  }

  /// The path of a program that is installed beside this one.
  private static func neighbour(_ name: String) -> String {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = buffer.withUnsafeMutableBytes { raw in
      readlink("/proc/self/exe", raw.baseAddress!.assumingMemoryBound(to: CChar.self), raw.count)
    }
    guard count > 0, let slash = buffer[..<count].lastIndex(of: UInt8(ascii: "/")) else { return "/usr/bin/\(name)" }
    return String(decoding: buffer[..<slash], as: UTF8.self) + "/\(name)"
  }

  /// Everything that goes on until the end. Returns the exit code.
  private func live() async -> Int32 {
    let ending = await withTaskGroup(of: String?.self) { group in
      group.addTask { await follow() }
      group.addTask { await watchPower() }
      group.addTask { await watchButtons() }
      group.addTask { await watchDevices() }
      group.addTask {
        await station.power.run(every: station.configuration.power.interval); return nil
      }
      group.addTask { await keepAlive() }
      group.addTask { await obeySignals() }
      group.addTask { await begin() }
      while let ending = await group.next() {
        guard let ending else { continue }
        await end(ending)
        group.cancelAll()
        return ending
      }
      return "nothing is left to do"
    }
    log.info("ended: \(ending)")
    return await powerOff()
  }

  /// Powers the computer off where a battery is empty and that is wanted. Everything has ended by then, which takes a while:
  /// if mains has come meanwhile, the agent had better start again. Returns the exit code.
  private func powerOff() async -> Int32 {
    guard await station.power.condition == .critical else { return 0 }
    await station.power.poll()
    guard await station.power.condition == .critical else {
      log.info("mains is back: the agent can be started again")
      return 1
    }
    guard station.configuration.power.powersOff else { return 0 }
    guard station.configuration.batteries.contains(where: { $0.driver != .simulated }) else {
      log.info("all batteries are simulated: the computer stays on")
      return 0
    }
    do throws(PowerOffError) {
      log.warning("the battery is empty: powering off")
      try await PowerOff().ask()
    } catch {
      log.error(error.description)
    }
    return 0
  }

  private func begin() async -> String? {
    // the first list is asked for by somebody who waits for it
    let index = station.index
    Task { _ = try? await index.lines() }
    if let obstacle = station.controller.obstacle { log.error(obstacle) }
    await station.controller.initialize()
    await station.reconstructions.takeUpAgain()
    if let cameras = station.rig.camera.statistics {
      log.info("the left camera is \(cameras.left), the right one \(cameras.right)")
    }
    let status = await station.controller.status
    if status.state == .failed { log.error("the rig cannot scan: \(status.reason)") }
    notifier.status("\(status.state.rawValue), \(station.rig.name)")
    return nil
  }

  private func follow() async -> String? {
    await station.scans.run { await station.follow($0) }
    return nil
  }

  private func watchButtons() async -> String? {
    await ButtonPanel(buttons: station.rig.buttons).run(
      on: station.controller,
      report: { press in
        if let effect = press.effect { log.info("button \(press.id) (\(press.action.name)): \(effect)") }
        station.server.publish(.button(press))
      },
      trouble: { log.about(device: $0.device).warning("\($0)") })
    return nil
  }

  /// Tells of devices that come and go. A rig that could not be started for want of one is tried again when it has come.
  private func watchDevices() async -> String? {
    for await device in station.rig.register.changes() {
      if let error = device.error {
        log.warning("\(device.kind) \(error)")
      } else {
        log.info("\(device.kind) \(device.name): it is there")
      }
      station.server.publish(.device(device))
      let lacksAxis = station.rig.register.absent.contains { $0.kind == "axis" }
      if device.isPresent, !lacksAxis { await station.controller.lookAgain() }
    }
    return nil
  }

  /// Low: nothing new is begun. Critical: the agent ends in order.
  private func watchPower() async -> String? {
    for await event in await station.power.events() {
      switch event {
      case .battery(let battery): station.server.publish(.battery(battery))
      case .condition(let condition, let reason):
        if condition > .good { log.warning("power: \(reason)") }
        let hold = condition >= .low ? reason : nil
        await station.controller.hold(hold)
        await station.reconstructions.hold(hold)
        if condition == .critical { return reason }
      }
    }
    return nil
  }

  private func obeySignals() async -> String? {
    for await signal in ProcessSignal.all() {
      switch signal {
      case .stop: return "asked to by a signal"
      case .reload:
        do throws(ConfigurationError) {
          let changed = try station.reload()
          log.info(
            "configuration read again: \(changed.live.count) keys in force, \(changed.afterRestart.count) after a restart"
          )
        } catch {
          for problem in error.problems { log.error("configuration not taken over: \(problem.description)") }
        }
      }
    }
    return nil
  }

  /// Asks the devices for a sign of life, so that one that has gone is noticed, and tells systemd that we live as long as
  /// those who move motors, take pictures and decide have answered.
  private func keepAlive() async -> String? {
    let interval = (notifier.watchdog ?? .seconds(15)) / 3
    let vigil = Vigil(over: station.rig)
    var told: [String] = []
    while !Task.isCancelled {
      let silent = await vigil.silent(after: interval)
      if silent != told, !silent.isEmpty {
        let names = silent.joined(separator: ", ")
        log.error("\(names): no answer for \(interval); a driver of the kernel or a bus may hang")
      }
      told = silent
      _ = await station.controller.status
      _ = await station.jobs.running
      if silent.isEmpty { notifier.alive() }
      try? await ContinuousClock().sleep(for: interval)
    }
    return nil
  }

  private func end(_ reason: String) async {
    log.info("ending: \(reason)")
    notifier.stopping()
    await station.reconstructions.close()
    await station.motion.halt()
    await station.controller.suspend("the agent ends: \(reason)")
    for axis in station.rig.axes { await axis.release() }
    for lamp in station.rig.lamps { try? await lamp.set(level: 0) }
    await station.rig.camera.stop()
    await station.server.stop()
    await station.jobs.flush()
  }
}

extension Log {
  /// Puts what the server reports into the journal.
  func note(_ notice: ControlServer.Notice) {
    switch notice {
    case .connected(let peer): debug("client \(peer.text) came")
    case .disconnected(let peer): debug("client \(peer.text) went")
    case .refused(let peer): warning("client \(peer.text) was turned away: too many clients")
    case .tooSlow(let peer): warning("client \(peer.text) did not read and was given up")
    case .fault(let fault): error(fault.description)
    }
  }
}

extension Peer {
  fileprivate var text: String {
    "\(connection) (pid \(process.map(String.init) ?? "?"), uid \(user.map(String.init) ?? "?"))"
  }
}
