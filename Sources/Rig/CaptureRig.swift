import Imaging

/// A push button and what its configuration says about it.
public struct Button: Sendable {
  /// A number scripts can name it by.
  public var id: Int
  /// What pressing it does, e.g. `shutter`, `start`, `stop`, `answer`, `flip`, `zoom`, or a name of the user's own.
  public var action: String
  /// The line behind it.
  public var line: any InputLine

  /// A button.
  public init(id: Int, action: String, line: any InputLine) {
    self.id = id
    self.action = action
    self.line = line
  }
}

/// Everything on one rig. Devices are chosen one by one in the configuration, so real and simulated ones mix.
public struct CaptureRig: Sendable {
  /// The rig's name.
  public var name: String
  /// Physical time.
  public var clock: any RigClock
  /// The twin cameras.
  public var camera: any StereoCamera
  /// The turntable.
  public var turntable: any Axis
  /// The head's pan axis.
  public var pan: (any Axis)?
  /// The head's tilt axis.
  public var tilt: (any Axis)?
  /// Lamps.
  public var lamps: [any Lamp]
  /// Buttons.
  public var buttons: [Button]
  /// LED and buzzer.
  public var signal: (any Signal)?
  /// Batteries and mains.
  public var power: [any PowerSupply]
  /// Where everything stands, as configured or calibrated; the truth differs a little.
  public var geometry: RigGeometry
  /// Which of the devices that can come and go are there.
  public var register = DeviceRegister()

  /// A rig from its devices.
  public init(
    name: String, clock: any RigClock, camera: any StereoCamera, turntable: any Axis, pan: (any Axis)? = nil,
    tilt: (any Axis)? = nil, lamps: [any Lamp] = [], buttons: [Button] = [], signal: (any Signal)? = nil,
    power: [any PowerSupply] = [], geometry: RigGeometry
  ) {
    self.name = name
    self.clock = clock
    self.camera = camera
    self.turntable = turntable
    self.pan = pan
    self.tilt = tilt
    self.lamps = lamps
    self.buttons = buttons
    self.signal = signal
    self.power = power
    self.geometry = geometry
  }

  /// The axes there are.
  public var axes: [any Axis] { [turntable] + [pan, tilt].compactMap { $0 } }
}
