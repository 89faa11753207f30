import Configuration
import Imaging
import Rig
import SimulatedRig

/// Makes the devices a configuration names: a simulated world with all that is simulated in it, and each real device in the
/// place of the simulated one.
package struct RigBuilder {
  private let configuration: TwinrigConfiguration
  private let state: String

  /// A builder for a configuration that was read and checked. A simulated world keeps in the folder `state` how its table
  /// was left.
  package init(_ configuration: TwinrigConfiguration, state: String) {
    self.configuration = configuration
    self.state = state
  }

  /// Makes every device. Real ones are opened in the background, and the rig's register knows which are there. Throws what
  /// no device could do as configured.
  package func build() throws(DeviceError) -> CaptureRig {
    let register = DeviceRegister()
    let world = try SimulatedWorld(world, camera: RealCameras(configuration).pair(register))
    var rig = world.rig
    rig.register = register
    rig.name = configuration.rig.name
    rig.geometry = configuration.nominalGeometry
    if configuration.signal.driver == .none { rig.signal = nil }
    var real = RealDevices(configuration, clock: rig.clock, register: rig.register)
    try real.take(their: &rig, coupledTo: world)
    return rig
  }

  /// The simulated world as configured.
  private var world: SimulatedRigSettings {
    let simulation = configuration.simulation
    var world = SimulatedRigSettings()
    world.name = configuration.rig.name
    world.seed = simulation.seed
    world.geometry = configuration.nominalGeometry
    world.errors = errors
    world.mode = configuration.cameraMode
    world.sensor = sensor
    world.object = object
    world.objectPresent = simulation.objectPresent
    world.person = person
    world.reaction = simulation.reaction
    world.turntable = axis(configuration.turntable)
    world.pan = configuration.pan.driver == .none ? nil : axis(configuration.pan)
    world.tilt = configuration.tilt.driver == .none ? nil : axis(configuration.tilt)
    world.lamps = configuration.lamps.map(\.name)
    world.roomLight = simulation.roomLight
    world.buttons = configuration.buttons.map { ButtonSettings(id: $0.id, action: $0.action) }
    world.batteries = configuration.batteries.map {
      BatterySettings(
        name: $0.name, level: $0.level, dischargePerHour: $0.dischargePerHour, charging: $0.charging)
    }
    world.faults = simulation.faults.compactMap(fault)
    world.pace = simulation.pace == .realTime ? .realTime : .jumping
    world.threads = simulation.threads
    world.truthFile = simulation.truthFile
    world.memoryFile = "\(state)/simulated-world.json"
    return world
  }

  private var errors: GeometryErrors {
    let configured = configuration.simulation.errors
    var errors = GeometryErrors()
    errors.focal = configured.focal
    errors.principalPoint = configured.principalPoint
    errors.distortion = configured.distortion
    errors.tangential = configured.tangential
    errors.baseline = configured.baseline
    errors.stereoAngle = configured.stereoAngle
    errors.axisPosition = configured.axisPosition
    errors.axisAngle = configured.axisAngle
    errors.headPosition = configured.headPosition
    errors.headAngle = configured.headAngle
    return errors
  }

  private var sensor: SensorSettings {
    let configured = configuration.simulation.sensor
    var sensor = SensorSettings()
    sensor.fullWell = configured.fullWell
    sensor.readNoise = configured.readNoise
    sensor.longestExposure = configured.longestExposure.microseconds
    sensor.highestGain = configured.highestGain
    sensor.controlLatency = configured.controlLatency
    sensor.skew = configured.skew.microseconds
    sensor.vignetting = configured.vignetting
    return sensor
  }

  private var object: SimulatedObject {
    // real cameras do not see it: the one that costs least
    if configuration.cameras.driver != .simulated { return .plain }
    let model = configuration.simulation.model
    switch configuration.simulation.object {
    case .demo: return .demo
    case .plain: return .plain
    case .symmetric: return .symmetric
    case .model:
      return .model(
        path: model.path ?? "", texture: model.texture, unitMillimetres: model.unitMillimetres,
        up: model.up == .z ? .z : .y)
    }
  }

  private var person: SimulatedPerson {
    switch configuration.simulation.person {
    case .flipsAndAnswers: .flipsAndAnswers
    case .startsAndAnswers: .startsAndAnswers
    case .flips: .flips
    case .absent: .absent
    }
  }

  private func axis(_ axis: AxisConfiguration) -> AxisSettings {
    AxisSettings(
      limits: axis.limits, backlash: axis.backlash, periodicError: axis.periodicError, vibration: axis.vibration,
      vibrationDecay: axis.vibrationDecay)
  }

  /// A configuration that was checked says exactly one moment.
  private func fault(_ fault: FaultConfiguration) -> SimulatedFault? {
    let trigger: SimulatedFault.Trigger
    if let shot = fault.shot {
      trigger = .shot(shot)
    } else if let move = fault.move {
      trigger = .move(move)
    } else if let after = fault.after {
      trigger = .time(after)
    } else {
      return nil
    }
    return SimulatedFault(at: trigger, kind: kind(of: fault))
  }

  private func kind(of fault: FaultConfiguration) -> SimulatedFault.Kind {
    switch fault.kind {
    case .cameraTimeout: .cameraTimeout
    case .droppedFrame: .droppedFrame
    case .stall: .stall(axis: fault.axis)
    case .lostSteps: .lostSteps(axis: fault.axis, by: .degrees(fault.angle))
    case .gaugeSilent: .gaugeSilent(name: fault.battery, for: fault.duration)
    case .gaugeReadsZero: .gaugeReadsZero(name: fault.battery)
    case .powerCut: .powerCut
    }
  }
}

extension Duration {
  fileprivate var microseconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) * 1e6 + Double(attoseconds) * 1e-12
  }
}
