import Rig

/// A lamp that a line switches: on from half of its brightness.
public struct LineLamp: Lamp {
  /// The lamp as the configuration names it.
  public let name: String
  private let line: any OutputLine

  /// A lamp behind a line.
  public init(_ line: any OutputLine) {
    name = line.name
    self.line = line
  }

  /// Switches it. Throws what the line throws, `.outOfRange` for what is no brightness.
  public func set(level: Double) async throws(DeviceError) {
    guard (0...1).contains(level) else {
      throw DeviceError(.outOfRange, device: name, operation: "set level \(level)", remedy: "use 0 to 1")
    }
    try await line.set(level >= 0.5)
  }
}
