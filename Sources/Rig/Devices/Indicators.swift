/// A dimmable lamp.
public protocol Lamp: Sendable {
  /// The lamp as the configuration names it.
  var name: String { get }
  /// Sets brightness, 0 (off) … 1.
  func set(level: Double) async throws(DeviceError)
}

/// What the rig wants to tell a person who has no screen.
public enum SignalPattern: String, Sendable, Hashable, CaseIterable {
  /// Nothing to say.
  case off
  /// Ready for a scan.
  case ready
  /// A scan runs.
  case busy
  /// Please turn the object over, then press the answer button.
  case flip
  /// Please set the head to another height, then press the answer button.
  case height
  /// Please take the object off the table, then press the answer button.
  case clear
  /// Please put the object on the table, then press the answer button.
  case place
  /// A job ended well.
  case done
  /// A job failed.
  case failed
  /// Something needs attention: low battery, too dark, …
  case warning
}

/// The LED and buzzer.
public protocol Signal: Sendable {
  /// Shows a pattern until the next one. Never throws: a broken LED must not stop a scan.
  func show(_ pattern: SignalPattern) async
}
