import Imaging
import Rig

/// A world with one rig, one object and one person in it. What is true in it is seen only through the rig's devices.
public final class SimulatedWorld: Sendable {
  /// The rig in this world, as the agent is to see it.
  public let rig: CaptureRig

  /// Builds a world. Throws `.absent` where an object's file cannot be read and `.outOfRange` for settings that
  /// contradict each other.
  public init(_ settings: SimulatedRigSettings) throws(DeviceError) {
    throw DeviceError(.unsupported, device: settings.name, operation: "build the world")
  }

  /// Presses and releases a button, as a finger would. A button that does not exist is not pressed.
  public func press(button id: Int) async {}
}
