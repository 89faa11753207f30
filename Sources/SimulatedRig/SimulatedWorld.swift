import Imaging
import Rig

/// A world with one rig, one object and one person in it. What is true in it is seen only through the rig's devices.
public final class SimulatedWorld: Sendable {
  /// The rig in this world, as the agent is to see it.
  public let rig: CaptureRig
  private let buttons: [Int: SimulatedButton]
  private let surroundings: Surroundings

  /// Builds a world; what only is looked at, its surfaces, is made when the cameras start. A real `camera` in the place of the
  /// world's own does not see it: then nothing is rendered, nor prepared for it. Throws `.absent` where an object's file cannot
  /// be read and `.outOfRange` for settings that contradict each other.
  public init(_ settings: SimulatedRigSettings, camera: (any StereoCamera)? = nil) throws(DeviceError) {
    try settings.check()
    let threads = settings.threads > 0 ? settings.threads : Parallel.processorCount
    let clock = SimulatedClock(pace: settings.pace)
    let faults = FaultScript(settings.faults, clock: clock)
    let seed = settings.seed
    let mechanics = { (axis: AxisSettings, name: String) in AxisMechanics(axis, name: name, seed: seed) }
    let surroundings = Surroundings(
      geometry: settings.geometry.disturbed(by: settings.errors, seed: seed),
      turntable: mechanics(settings.turntable, "turntable"), pan: settings.pan.map { mechanics($0, "pan") },
      tilt: settings.tilt.map { mechanics($0, "tilt") }, lamps: settings.lamps.count)
    self.surroundings = surroundings
    let geometry = settings.geometry
    let pixel = max(100, geometry.leftFromTable.translation.z) / geometry.stereo.left.fx
    let object = Deferred { () throws(DeviceError) in
      try ObjectModel(settings.object, pixel: pixel, threads: threads)
    }
    // a file that cannot be read is told at once
    if case .model = settings.object { _ = try object.get() }
    var buttons: [Int: SimulatedButton] = [:]
    for button in settings.buttons { buttons[button.id] = SimulatedButton(name: "button \(button.id)", clock: clock) }
    self.buttons = buttons
    let answer = settings.buttons.first { $0.action == "answer" } ?? settings.buttons.first { $0.action == "shutter" }
    let starter = settings.buttons.first { ["shutter", "start"].contains($0.action) }
    let person = Person(
      settings.person, reaction: settings.reaction, surroundings: surroundings, object: object,
      answer: answer.flatMap { buttons[$0.id] }, starter: starter.flatMap { buttons[$0.id] },
      truth: settings.truthFile.map { TruthFile(path: $0) }, seed: seed,
      memory: settings.memoryFile.map { ($0, settings.identity) })
    try person.arrive(findingTheObject: settings.objectPresent)

    let axis = { (name: String, mechanics: AxisMechanics?) in
      mechanics.map { SimulatedAxis(name: name, mechanics: $0, clock: clock, faults: faults) }
    }
    let eyes: any StereoCamera
    if let camera {
      eyes = camera
    } else {
      let maker = FrameMaker(sensor: settings.sensor, clock: clock, threads: threads, seed: seed) {
        () throws(DeviceError) in
        person.settle()
        return try settings.renderer(of: object.get(), in: surroundings, threads: threads)
      }
      eyes = SimulatedStereoCamera(
        mode: settings.mode, sensor: settings.sensor, clock: clock, faults: faults, surroundings: surroundings,
        maker: maker, seed: seed)
    }
    rig = CaptureRig(
      name: settings.name, clock: clock, camera: eyes,
      turntable: SimulatedAxis(name: "turntable", mechanics: surroundings.turntable, clock: clock, faults: faults),
      pan: axis("pan", surroundings.pan), tilt: axis("tilt", surroundings.tilt),
      lamps: settings.lamps.enumerated().map {
        SimulatedLamp(name: $0.element, index: $0.offset, surroundings: surroundings)
      },
      buttons: settings.buttons.compactMap { setting in
        buttons[setting.id].map { Button(id: setting.id, action: setting.action, line: $0) }
      },
      signal: SimulatedSignal(person: person),
      power: settings.batteries.map { SimulatedBattery($0, clock: clock, faults: faults, seed: seed) },
      geometry: settings.geometry)
  }

  /// Lets a real motor turn this world's turntable, pan or tilt: the world looks where its driver says that it is. For
  /// cameras of this world on real axes, in real time.
  public func couple(_ axis: String, to drive: @escaping @Sendable () -> Angle) {
    let mechanics = ["turntable": surroundings.turntable, "pan": surroundings.pan, "tilt": surroundings.tilt]
    mechanics[axis]??.follow(drive)
  }

  /// Presses and releases a button, as a finger would. A button that does not exist is not pressed.
  public func press(button id: Int) async { await buttons[id]?.press() }
}

extension SimulatedRigSettings {
  /// What makes it another world, in which nothing of this one is remembered.
  fileprivate var identity: String { "\(seed) \(object) \(geometry.leftFromTable) \(errors)" }

  /// What draws the cameras' pictures: it knows the object, and the room around it.
  fileprivate func renderer(
    of object: ObjectModel, in surroundings: Surroundings, threads: Int
  ) throws(DeviceError) -> SceneRenderer {
    try SceneRenderer(
      stereo: surroundings.geometry.stereo,
      room: try Room.furnished(
        discRadius: geometry.tableRadius, seed: seed, finest: max(256, mode.width), threads: threads),
      object: object.mesh, objectRadius: object.radius, roomLight: roomLight, lamps: lamps.count, threads: threads)
  }

  /// Refuses what cannot be built.
  fileprivate func check() throws(DeviceError) {
    func refuse(_ what: String, _ remedy: String) throws(DeviceError) -> Never {
      throw DeviceError(.outOfRange, device: name, operation: what, remedy: remedy)
    }
    for lens in [geometry.stereo.left, geometry.stereo.right]
    where lens.width != mode.width || lens.height != mode.height {
      try refuse(
        "use lenses of \(lens.width)×\(lens.height) for pictures of \(mode.width)×\(mode.height)",
        "scale the geometry's lenses to the pictures")
    }
    let sizes = [mode.width, mode.height, mode.previewWidth, mode.previewHeight]
    guard sizes.allSatisfy({ (16...8192).contains($0) }) else {
      try refuse("use pictures of \(sizes) pixels", "use 16 to 8192 pixels a side")
    }
    guard mode.framesPerSecond > 0, mode.framesPerSecond <= 1000 else {
      try refuse("take \(mode.framesPerSecond) frames a second", "use up to 1000")
    }
    guard lamps.count <= 3 else { try refuse("hang \(lamps.count) lamps", "use at most 3") }
    guard Set(buttons.map(\.id)).count == buttons.count else {
      try refuse("number the buttons", "give each button a number of its own")
    }
  }
}
