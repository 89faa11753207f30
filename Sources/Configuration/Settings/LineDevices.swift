import Rig

/// Drivers of buttons in this build.
public enum LineDriver: String, Sendable, Hashable, CaseIterable {
  /// In a simulated world.
  case simulated
  /// On a line of a GPIO chip.
  case gpio
}

/// Drivers of lamps in this build.
public enum LampDriver: String, Sendable, Hashable, CaseIterable {
  /// In a simulated world.
  case simulated
  /// On a line of a GPIO chip: on or off.
  case gpio
  /// On a channel of a PCA9685: dimmed.
  case pca9685
}

/// A line of a GPIO chip, named as the kernel names the chip: by label, for numbers move.
public struct LineClaim: Sendable, Hashable {
  /// The chip's label.
  public var chip: String
  /// The line's offset on the chip.
  public var offset: Int
}

/// A lamp.
public struct LampConfiguration: Sendable, Hashable {
  /// Its name.
  public var name = ""
  /// What drives it.
  public var driver = LampDriver.simulated
  /// The chip's label and the line on it; nil where it hangs on no line.
  public var chip = "simulated", line: Int?
  /// Whether it is on while the line, or the channel, is low.
  public var isActiveLow = false
  /// The bus, the address and the channel of its PCA9685.
  public var bus = "", address = 0x40, channel: Int?

  /// A lamp without a name.
  public init() {}
  /// A lamp on a line of the simulated chip.
  public init(name: String, line: Int) {
    self.name = name
    self.line = line
  }

  /// Two lamps, to the left and to the right.
  public static let standard = [LampConfiguration(name: "left", line: 10), LampConfiguration(name: "right", line: 11)]
}

extension LampConfiguration: Configurable {
  static var fields: [Field<Self>] {
    [
      .value("name", \.name, .text(limit: 32), "Its name; needed, and no two may have the same."),
      .value("driver", \.driver, .driver, "What drives it."),
      .value("chip", \.chip, .text(limit: 64), "The label of the GPIO chip."),
      .optional("line", \.line, .whole(0...511), "The line on the chip; no two devices may share one."),
      .value("active_low", \.isActiveLow, .flag, "Whether it is on while its line or channel is low."),
      .value("bus", \.bus, .text(allowEmpty: true, limit: 64), "PCA9685: its I²C bus, e.g. \"i2c-1\"; needed there."),
      .value("address", \.address, .i2cAddress, "PCA9685: its address."),
      .optional("channel", \.channel, .whole(0...15), "PCA9685: the channel; needed there.")
    ]
  }
}

/// A push button.
public struct ButtonConfiguration: Sendable, Hashable {
  /// The number scripts name it by.
  public var id = 0
  /// What pressing it does.
  public var action = ""
  /// What drives it.
  public var driver = LineDriver.simulated
  /// The chip's label and the line on it; nil where it hangs on no line.
  public var chip = "simulated", line: Int?
  /// Whether pressing it pulls the line low, and what holds the line else.
  public var isActiveLow = true, bias = LineBias.pullUp
  /// How long its contacts may bounce.
  public var debounce = Duration.milliseconds(15)

  /// The actions that do something by themselves. Any other name is an event for scripts.
  public static let knownActions = ["shutter", "start", "stop", "answer", "flip", "zoom"]

  /// A button without a number.
  public init() {}
  /// A button on a line of the simulated chip.
  public init(id: Int, action: String, line: Int) {
    self.id = id
    self.action = action
    self.line = line
  }

  /// Three buttons: shutter, answer, stop.
  public static let standard = [
    ButtonConfiguration(id: 1, action: "shutter", line: 1), ButtonConfiguration(id: 2, action: "answer", line: 2),
    ButtonConfiguration(id: 3, action: "stop", line: 3)
  ]
}

extension ButtonConfiguration: Configurable {
  static var fields: [Field<Self>] {
    [
      .value("id", \.id, .whole(1...999), "The number scripts and events name it by; needed, and used once."),
      .value(
        "action", \.action, .identifier,
        "What pressing it does; needed. \"shutter\": starts a scan, takes a shot by hand while one runs, answers a "
          + "prompt as advised, goes on with a paused scan. \"start\": starts a scan, answers a prompt or goes on with a "
          + "paused scan. \"stop\": pauses a scan, gives up a paused one. \"answer\": answers the prompt as advised, goes on "
          + "with a paused scan, takes up the last scan where that was cut off. \"flip\": answers \"flipped\". \"zoom\" "
          + "and any name of your own: an event for scripts; a name that is nearly one of these is refused."),
      .value("driver", \.driver, .driver, "What drives it."),
      .value("chip", \.chip, .text(limit: 64), "The label of the GPIO chip."),
      .optional("line", \.line, .whole(0...511), "The line on the chip; no two devices may share one."),
      .value("active_low", \.isActiveLow, .flag, "GPIO: whether pressing it pulls its line low."),
      .value("bias", \.bias, .choice, "GPIO: what holds the line while nobody presses."),
      .value("debounce_s", \.debounce, .seconds(0...1), "GPIO: how long its contacts may bounce.")
    ]
  }
}

/// The LED and the buzzer.
public struct SignalConfiguration: Sendable, Hashable {
  /// What drives it.
  public var driver = SignalDriver.simulated
  /// The chip's label.
  public var chip = "simulated"
  /// The lines on the chip.
  public var ledLine: Int? = 20, buzzerLine: Int? = 21
  /// Whether they are on while their lines are low.
  public var isActiveLow = false

  /// The defaults.
  public init() {}
}

/// Drivers of LED and buzzer in this build.
public enum SignalDriver: String, Sendable, Hashable, CaseIterable {
  /// In a simulated world: the person there hears it.
  case simulated
  /// On lines of a GPIO chip.
  case gpio
  /// There is no LED and no buzzer.
  case none
}

extension SignalConfiguration: Configurable {
  static var fields: [Field<Self>] {
    [
      .value("driver", \.driver, .driver, "What drives them; \"none\" where there are none."),
      .value("chip", \.chip, .text(limit: 64), "The label of the GPIO chip."),
      .optional("led_line", \.ledLine, .whole(0...511), "The LED's line on the chip."),
      .optional("buzzer_line", \.buzzerLine, .whole(0...511), "The buzzer's line on the chip."),
      .value("active_low", \.isActiveLow, .flag, "GPIO: whether they are on while their lines are low.")
    ]
  }
}
