import Rig

/// A lamp of the world.
struct SimulatedLamp: Lamp {
  let name: String
  let index: Int
  let surroundings: Surroundings

  func set(level: Double) async throws(DeviceError) {
    guard level >= 0, level <= 1 else {
      throw DeviceError(.outOfRange, device: name, operation: "set brightness \(level)", remedy: "use 0 to 1")
    }
    surroundings.set(lamp: index, level: level)
  }
}

/// The LED and buzzer: what they show, the person hears.
struct SimulatedSignal: Signal {
  let person: Person

  func show(_ pattern: SignalPattern) async { await person.hear(pattern) }
}
