import Imaging
import Rig
import Session

/// Runs scans on a rig, one at a time. Every command returns at once; what it sets going is told by `events()`.
public actor ScanController {
  private let rig: CaptureRig
  private let library: SessionLibrary
  private let settings: ScanSettings
  private let stateFolder: String
  private var current = ScanStatus(
    state: .initializing, reason: "", session: nil, folder: nil, pass: 0, passes: 0, shots: 0, progress: nil,
    prompt: nil, feedback: [], box: nil, locked: nil, hold: nil)

  /// A controller of `rig`. Sessions go to `library`; plates of the empty table are kept under `stateFolder`.
  public init(rig: CaptureRig, library: SessionLibrary, settings: ScanSettings = ScanSettings(), stateFolder: String) {
    self.rig = rig
    self.library = library
    self.settings = settings
    self.stateFolder = stateFolder
  }

  /// Looks whether cameras and axes answer, homes the axes and lets go of them: initializing → ready, or failed with the
  /// reason. Returns when that is known.
  public func initialize() async {}

  /// Starts a scan and returns its session's id.
  public func start(_ request: ScanRequest) async throws(ScanRefusal) -> String {
    throw ScanRefusal(.badState, "the scan is \(current.state.rawValue)")
  }

  /// Takes up a session after a crash or a fault.
  public func resume(_ sessionID: String) async throws(ScanRefusal) {
    throw ScanRefusal(.badState, "the scan is \(current.state.rawValue)")
  }

  /// Pauses after the shot in flight.
  public func pause() throws(ScanRefusal) { throw ScanRefusal(.badState, "no scan runs") }

  /// Goes on after a pause.
  public func unpause() throws(ScanRefusal) { throw ScanRefusal(.badState, "no scan is paused") }

  /// Gives up the scan; what has been taken is kept. Valid in every state in which something runs.
  public func cancel() throws(ScanRefusal) { throw ScanRefusal(.badState, "no scan runs") }

  /// Ends the scan with what there is.
  public func finish() throws(ScanRefusal) { throw ScanRefusal(.badState, "no scan runs") }

  /// Answers a prompt.
  public func answer(_ prompt: Int, _ choice: ScanChoice) throws(ScanRefusal) {
    throw ScanRefusal(.notFound, "prompt \(prompt) is closed")
  }

  /// Takes a pair by hand at the present table angle, now while paused, else after the shot in flight.
  public func shot() throws(ScanRefusal) { throw ScanRefusal(.badState, "no scan runs") }

  /// Changes the object's box and returns the one now in force.
  public func box(_ change: BoxChange) async throws(ScanRefusal) -> BoxRecord {
    throw ScanRefusal(.badState, "no scan runs")
  }

  /// Does what a button press is for. Returns what it did, for a person, or nil where it means nothing just now.
  public func press(_ action: ButtonAction) async -> String? { nil }

  /// Lets no new scan start while there is a reason (low battery); nil lifts it.
  public func hold(_ reason: String?) { current.hold = reason }

  /// Stops in order: what runs is left resumable, everything is parked. Returns when the rig is at rest.
  public func suspend(_ reason: String) async {}

  /// Where the scan is.
  public var status: ScanStatus { current }

  /// Which directions have enough pictures.
  public var coverage: CoverageSummary { CoverageSummary(covered: 0, of: 0, pictures: 0) }

  /// Writes the coverage dial as `coverage.svg` and `coverage.png` into the session's folder and returns their paths.
  public func writeCoverage() async throws(ScanRefusal) -> [String] { throw ScanRefusal(.badState, "no scan runs") }

  /// Everything from now on, beginning with the present state. A reader that falls behind loses the oldest.
  public func events() -> AsyncStream<ScanEvent> {
    AsyncStream(bufferingPolicy: .bufferingNewest(256)) { $0.finish() }
  }
}
