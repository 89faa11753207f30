import CGpiod
import Rig

/// A line that we drive.
public struct GPIOOutput: OutputLine {
  /// The device as the configuration names it.
  public let name: String
  private let lines: GPIOLines

  /// Requests the line, inactive. Throws `.absent`, `.busy` with who has it, `.denied` with whose node it is.
  public init(_ place: GPIOPlace, name: String, isActiveLow: Bool = false) throws(DeviceError) {
    self.name = name
    lines = try GPIOLines([.output(place.offset, isActiveLow: isActiveLow)], of: place.chip, for: name)
  }

  /// Drives the line. Throws `.absent` where its chip has gone.
  public func set(_ active: Bool) async throws(DeviceError) { try lines.set(0, active) }

  /// Asks its chip for a sign of life. Throws `.absent` where that has gone.
  public func check() async throws(DeviceError) { _ = try lines.get(0) }
}
