import Capture
import Control
import Rig

/// Fixes what the cameras' automatics have found, between scans: for aiming, and for pictures that can be compared. A scan
/// starts the cameras anew and finds its own.
actor CameraLock {
  /// Viewfinder frames after which automatics have come to rest.
  private static let framesToRest = 24

  private let rig: CaptureRig
  private let jobs: JobTable
  private let occupant: @Sendable () async -> RigOccupant?
  private var isBusy = false

  init(rig: CaptureRig, jobs: JobTable, occupant: @escaping @Sendable () async -> RigOccupant?) {
    self.rig = rig
    self.jobs = jobs
    self.occupant = occupant
  }

  func lock() async throws(JobRefusal) -> Int {
    guard let mode = rig.camera.modes.first else { throw JobRefusal(.noDevice, "the cameras offer no format") }
    let camera = rig.camera
    return try await begin { () async throws(DeviceError) -> String in
      // locked once more, they look at the light as it is now
      await camera.stop()
      try await camera.start(mode)
      var seen = CameraControls()
      for _ in 0..<Self.framesToRest { seen = try await Self.controls(of: camera) }
      let locked = try await camera.apply(seen)
      return "exposure_us=\(Self.text(locked.exposureMicroseconds)) gain=\(Self.text(locked.gain)) "
        + "red=\(Self.text(locked.redGain)) blue=\(Self.text(locked.blueGain))"
    }
  }

  func unlock() async throws(JobRefusal) -> Int {
    let camera = rig.camera
    return try await begin { () async throws(DeviceError) -> String in
      await camera.stop()
      return ""
    }
  }

  private func begin(
    _ work: @escaping @Sendable () async throws(DeviceError) -> String
  ) async throws(JobRefusal) -> Int {
    guard !isBusy else { throw JobRefusal(.busy, "the cameras are being locked or unlocked already") }
    isBusy = true
    if let other = await occupant() {
      isBusy = false
      throw JobRefusal(.busy, other.refusal(of: "cameras"))
    }
    let id = await jobs.open(.camera, control: UncontrolledJob())
    Task {
      // who hears of the end may ask for the next at once
      do throws(DeviceError) {
        let said = try await work()
        self.isBusy = false
        await jobs.move(id, to: .completed, reason: said)
      } catch {
        self.isBusy = false
        await jobs.move(id, to: .failed, reason: error.description)
      }
    }
    return id
  }

  private static func controls(of camera: any StereoCamera) async throws(DeviceError) -> CameraControls {
    try await camera.preview().left.controls
  }

  private static func text(_ value: Double?) -> String { FieldValue.number(value, decimals: 2).text }
}

extension JobKind {
  /// Work on the cameras between scans.
  static let camera = JobKind(rawValue: "camera")
}
