import Capture
import Configuration
import Control
import Rig
import Session
import Synchronization

/// Everything the agent is made of. The verbs reach the parts through it.
final class Station: Sendable {
  let paths: StationPaths
  let claim: StateClaim
  /// The board profile the agent was started with.
  let board: String?
  let rig: CaptureRig
  let controller: ScanController
  let power: PowerMonitor
  let sessions: SessionLibrary
  let index: SessionIndex
  let models: ModelLibrary
  let ledger: JobLedger
  let jobs: JobTable
  let reconstructions: ReconstructionQueue
  let scans: ScanJobs
  let motion: MotionJobs
  let cameraLock: CameraLock
  let server: ControlServer
  private let live: Mutex<TwinrigConfiguration>

  /// What is configured, as far as it has come into force.
  var configuration: TwinrigConfiguration { live.withLock { $0 } }

  /// Builds the parts. Nothing moves and nobody is served yet.
  init(_ configuration: TwinrigConfiguration, rig: CaptureRig, paths: StationPaths, claim: StateClaim, log: Log) throws
  {
    self.claim = claim
    self.paths = paths
    self.rig = rig
    live = Mutex(configuration)
    sessions = SessionLibrary(
      root: "\(paths.state)/sessions", diskFloor: Int64(configuration.agent.diskFloorMegabytes) * 1_000_000)
    index = SessionIndex(sessions)
    models = ModelLibrary(root: "\(paths.state)/models", claim: claim)
    var settings = configuration.scanSettings
    settings.buttonRequest = configuration.scanRequest
    controller = ScanController(
      rig: rig, library: sessions, settings: settings, stateFolder: paths.state, claim: claim)
    power = PowerMonitor(supplies: rig.power, clock: rig.clock, limits: configuration.powerLimits)
    board = configuration.board.isEmpty ? nil : configuration.board
    let server = try ControlServer(
      greeting: ["version": .text(Version.text), "board": .text(orNone: board)], notice: { log.note($0) })
    self.server = server
    let ledger = try JobLedger(folder: paths.state, claim: claim) { log.warning("\($0)") }
    self.ledger = ledger
    jobs = JobTable(ledger: ledger) { event in server.publish(event, log: log) }
    let limits = ChildLimits(
      niceness: configuration.reconstruction.niceness,
      memory: UInt64(configuration.reconstruction.memoryLimitMegabytes) * 1_000_000, isExpendable: true)
    reconstructions = ReconstructionQueue(
      program: paths.program, limits: limits, jobs: jobs, models: models, ledger: ledger, claim: claim)
    let occupant: @Sendable () async -> RigOccupant? = { [controller] in RigOccupant(await controller.status.state) }
    motion = MotionJobs(rig: rig, jobs: jobs, occupant: occupant)
    cameraLock = CameraLock(rig: rig, jobs: jobs, occupant: occupant)
    scans = ScanJobs(controller: controller, jobs: jobs, server: server, log: log)
  }

  /// Takes over what may change while the agent runs; returns the keys that did, and those that wait for a restart.
  func reload() throws(ConfigurationError) -> (live: [String], afterRestart: [String]) {
    let read = try TwinrigConfiguration(file: paths.configuration)
    return live.withLock { configuration in
      let difference = configuration.difference(to: read)
      configuration = configuration.takingLive(from: read)
      return (difference.live, difference.afterRestart)
    }
  }
}

/// Who has the rig's devices, so that nobody else may.
enum RigOccupant: Sendable {
  case startUp
  case scan

  /// The one that a state of the scan stands for, if any.
  init?(_ state: ScanState) {
    if state.isIdle { return nil }
    self = state == .initializing ? .startUp : .scan
  }

  /// What to tell somebody who wants them, too.
  func refusal(of devices: String) -> String {
    switch self {
    case .startUp: "the rig is looking whether everything answers; wait until the state is ready"
    case .scan: "a scan has the \(devices); cancel it first"
    }
  }
}

/// Where things are.
struct StationPaths: Sendable {
  var configuration: String
  var state: String
  var socket: String
  var program: String
}
