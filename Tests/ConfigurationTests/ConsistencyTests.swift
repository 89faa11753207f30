import Configuration
import Testing

/// What must hold between values.
@Suite struct ConsistencyTests {
  private static let button = "[[button]]\nid = 7\naction = \"stop\"\n"

  @Test(arguments: [
    // lines and addresses
    (
      "[[button]]\nid = 1\naction = \"stop\"\nline = 9\n[[button]]\nid = 2\naction = \"flip\"\nline = 9\n",
      "8: button[2].line: line 9 of chip \"simulated\" is button[1].line's already (line 4)"
    ),
    (
      "[[lamp]]\nname = \"a\"\nline = 20\n",
      "3: lamp[1].line: line 20 of chip \"simulated\" is signal.led_line's already"
    ),
    (
      "[signal]\nled_line = 30\nbuzzer_line = 30\n",
      "3: signal.buzzer_line: line 30 of chip \"simulated\" is signal.led_line's already (line 2)"
    ),
    (
      "[[battery]]\nname = \"a\"\naddress = 0x40\n[[battery]]\nname = \"b\"\naddress = 64\n",
      "6: battery[2].address: address 0x40 of bus \"simulated\" is battery[1].address's already (line 3)"
    ),
    (
      "[simulation]\npace = \"real-time\"\n[tilt]\ndriver = \"stepper\"\n[tilt.stepper]\nchip = \"simulated\"\n"
        + "step_line = 5\ndirection_line = 2\n",
      "8: tilt.stepper.direction_line: line 2 of chip \"simulated\" is button[2].line's already"
    ),
    (
      "[[battery]]\nname = \"a\"\ndriver = \"ina219\"\nbus = \"i2c-1\"\n[[lamp]]\nname = \"l\"\ndriver = \"pca9685\"\n"
        + "bus = \"i2c-1\"\nchannel = 3\n",
      "5: lamp[1].address: address 0x40 of bus \"i2c-1\" is battery[1].address's already"
    ),
    (
      "[simulation]\npace = \"real-time\"\n[tilt]\ndriver = \"servo\"\nservo = {bus = \"i2c-1\", channel = 3}\n[[lamp]]\n"
        + "name = \"l\"\ndriver = \"pca9685\"\nbus = \"i2c-1\"\nchannel = 3\n",
      "10: lamp[1].channel: channel 3 at address 0x40 of bus \"i2c-1\" is tilt.servo.channel's already (line 5)"
    ),
    // what real devices need
    (
      "[simulation]\npace = \"real-time\"\n[turntable]\ndriver = \"servo\"\nservo = {bus = \"i2c-1\", channel = 3}\n",
      "3: turntable.lowest_deg: is needed with this driver: a servo does not turn all the way round"
    ),
    (
      "[simulation]\npace = \"real-time\"\n[turntable]\ndriver = \"tic\"\n",
      "3: turntable.tic.bus: is needed with this driver: an I²C bus, e.g. \"i2c-1\""
    ),
    (
      "[simulation]\npace = \"real-time\"\n[tilt]\ndriver = \"stepper\"\n[tilt.stepper]\nchip = \"c\"\nstep_line = 5\n",
      "5: tilt.stepper.direction_line: is needed with this driver: a line"
    ),
    (
      "[[button]]\nid = 1\naction = \"stop\"\ndriver = \"gpio\"\nline = 4\n",
      "1: button[1].chip: is needed with this driver: the label of a GPIO chip (gpiodetect lists them)"
    ),
    (
      "[[lamp]]\nname = \"a\"\ndriver = \"gpio\"\nchip = \"c\"\n",
      "1: lamp[1].line: is needed with this driver: a line"
    ),
    (
      "[[battery]]\nname = \"a\"\ndriver = \"power_supply\"\n",
      "1: battery[1].supply: is needed with this driver: a name of /sys/class/power_supply"
    ),
    (
      "[pan]\ndriver = \"stepper\"\n[pan.stepper]\nchip = \"c\"\nstep_line = 5\ndirection_line = 6\n",
      "2: pan.driver: a real axis takes its time: it needs simulation.pace = \"real-time\""
    ),
    // names
    (
      "[[button]]\nid = 1\naction = \"stop\"\n[[button]]\nid = 1\naction = \"flip\"\n",
      "5: button[2].id: 1 is button[1]'s already (line 2)"
    ),
    ("[[button]]\nid = 1\n", "1: button[1].action: is needed: what shall pressing it do?"),
    ("[[button]]\naction = \"stop\"\n", "1: button[1].id: is needed"),
    (
      "[[lamp]]\nname = \"a\"\n[[lamp]]\nname = \"a\"\n", "4: lamp[2].name: a is lamp[1]'s already (line 2)"
    ),
    ("[[battery]]\naddress = 0x40\n", "1: battery[1].name: is needed"),
    (
      "[[lamp]]\nname=\"a\"\n[[lamp]]\nname=\"b\"\n[[lamp]]\nname=\"c\"\n[[lamp]]\nname=\"d\"\n",
      "7: lamp[4]: a simulated world has at most 3 lamps"
    ),
    // cameras and axes
    (
      "[cameras]\npreview_width = 400\n",
      "1: cameras.preview_height: 400 × 400 has other proportions than 1200 × 1600; 533 would fit"
    ),
    (
      "[cameras]\nleft = \"imx708\"\nright = \"imx708\"\n",
      "3: cameras.right: \"imx708\" is the left camera already"
    ),
    (
      "[cameras]\ndriver = \"libcamera\"\n",
      "2: cameras.driver: real cameras take their time: they need simulation.pace = \"real-time\""
    ),
    ("[turntable]\ndriver = \"none\"\n", "2: turntable.driver: a rig cannot do without its turntable"),
    ("[turntable]\nlowest_deg = 3\n", "2: turntable.lowest_deg: needs highest_deg beside it"),
    ("[pan]\nlowest_deg = 90\n", "1: pan.highest_deg: must be above lowest_deg"),
    ("[scan]\ntilt_deg = 60\n", "2: scan.tilt_deg: the axis goes from -40 to 40°"),
    // policy
    ("[power]\ncritical = 0.5\n", "2: power.critical: must be below low (0.15)"),
    ("[power]\nlow_clears = 0.1\n", "2: power.low_clears: must not be below low (0.15)"),
    (
      "[scan]\nlow_light_gain = 9\n",
      "2: scan.low_light_gain: is above highest_gain (8): low light would never be told"
    ),
    // actions that are nearly known
    (
      "[[button]]\nid = 1\naction = \"stat\"\n",
      "3: button[1].action: \"stat\" does nothing by itself; did you mean \"start\"? a name of your own has to differ more"
    ),
    (
      "[[button]]\nid = 1\naction = \"Anwser\"\n",
      "3: button[1].action: \"Anwser\" does nothing by itself; did you mean \"answer\"? a name of your own has to differ more"
    ),
    // the world
    (
      "[[button]]\nid = 1\naction = \"stop\"\n[simulation]\nperson = \"flips-and-answers\"\n",
      "5: simulation.person: \"flips-and-answers\" needs a button whose action is \"answer\" or \"shutter\""
    ),
    (
      "[[button]]\nid = 1\naction = \"answer\"\n[simulation]\nperson = \"starts-and-answers\"\n",
      "5: simulation.person: \"starts-and-answers\" needs a button whose action is \"shutter\" or \"start\""
    ),
    (
      "[signal]\ndriver = \"none\"\n[simulation]\nperson = \"flips\"\n",
      "4: simulation.person: \"flips\" waits for the signal, and signal.driver is \"none\""
    ),
    (
      "[simulation]\ntruth_file = \"/nowhere/x.ply\"\n",
      "2: simulation.truth_file: there is no folder \"/nowhere\" to write it to"
    ),
    (
      "[simulation]\ntruth_file = \"/tmp\"\n", "2: simulation.truth_file: \"/tmp\" is a folder; a file is needed"
    ),
    (
      "[simulation]\nobject = \"model\"\n[simulation.model]\npath = \"/tmp\"\n",
      "4: simulation.model.path: \"/tmp\" cannot be read: a folder; a file is needed"
    ),
    (
      "[simulation]\nobject = \"model\"\n[simulation.model]\npath = \"nowhere/x.obj\"\n",
      "4: simulation.model.path: \"nowhere/x.obj\" cannot be read: No such file or directory; a relative path starts at "
        + "the folder of this file: was it copied without what it names?"
    ),
    ("[simulation]\nobject = \"model\"\n", "1: simulation.model.path: is needed when object is \"model\""),
    (
      "[simulation]\nobject = \"model\"\n[simulation.model]\npath = \"/nowhere/x.obj\"\n",
      "4: simulation.model.path: \"/nowhere/x.obj\" cannot be read: No such file or directory"
    ),
    (
      "[[simulation.fault]]\nkind = \"stall\"\n",
      "1: simulation.fault[1]: needs one of shot, move, after_s; it has 0"
    ),
    (
      "[[simulation.fault]]\nkind = \"stall\"\nshot = 1\nmove = 2\n",
      "1: simulation.fault[1]: needs one of shot, move, after_s; it has 2"
    ),
    (
      "[[simulation.fault]]\nkind = \"stall\"\nmove = 2\naxis = \"roll\"\n",
      "4: simulation.fault[1].axis: no axis \"roll\"; there are turntable, pan, tilt"
    ),
    (
      "[[simulation.fault]]\nkind = \"gauge-silent\"\nmove = 2\nbattery = \"x\"\n",
      "4: simulation.fault[1].battery: no battery \"x\"; there are: main"
    )
  ])
  func refusesWhatCannotBeTrueTogether(text: String, message: String) {
    #expect(problems(text) == [message])
  }

  @Test func realCamerasAreNamedOrTakenInTheirOrder() throws {
    let text = "[simulation]\npace = \"real-time\"\n[cameras]\ndriver = \"libcamera\"\n"
    let plain = try TwinrigConfiguration(text: Array(text.utf8), file: "rig.toml")
    #expect(plain.cameras.driver == .libcamera && plain.cameras.left.isEmpty && plain.cameras.right.isEmpty)
    let more = text + "left = \"1\"\nright = \"i2c@80000\"\n"
    let named = try TwinrigConfiguration(text: Array(more.utf8), file: "rig.toml")
    #expect(named.cameras.left == "1" && named.cameras.right == "i2c@80000")
  }

  @Test(arguments: ["zoom", "stop2", "lamp-toggle", "start-slowly", "photo"]) func aNameOfOnesOwnIsAnAction(
    name: String
  ) {
    #expect(problems("[[button]]\nid = 1\naction = \"\(name)\"\n") == [])
  }

  @Test func whatIsWrongWithTheWholeIsToldBesideWhatIsWrongWithTheParts() {
    let text = """
      [scan]
      shotz = 3
      low_light_gain = 9
      [power]
      low = 7
      critical = 0.5
      [[button]]
      id = 1
      acton = "stop"
      [[button]]
      id = 2
      action = "stat"
      """
    #expect(
      problems(text) == [
        "2: scan.shotz: unknown key in [scan]; did you mean shots?",
        "3: scan.low_light_gain: is above highest_gain (8): low light would never be told",
        // what critical must be below is not known, and the button's action is the misspelt one
        "5: power.low: 7 is out of range; allowed is a number from 0 to 1",
        "9: button[1].acton: unknown key in [button[1]]; did you mean action?",
        "12: button[2].action: \"stat\" does nothing by itself; did you mean \"start\"? a name of your own has to "
          + "differ more"
      ])
  }

  @Test func longKeysAndValuesAreCut() {
    let long = String(repeating: "x", count: 100_000)
    let text = "\(long) = 1\n[scan]\ndetail = \"\(long)\"\n[cameras]\n\(long) = 2\n"
    let found = problems(text)
    #expect(found.count == 3 && found.allSatisfy { $0.utf8.count < 1000 && $0.contains("xxx…") }, "\(found)")
  }

  @Test func aLineOfAnotherChipIsAnotherLine() {
    let text = "[[lamp]]\nname = \"a\"\nline = 1\n[[lamp]]\nname = \"b\"\nchip = \"pinctrl-rp1\"\nline = 1\n"
    // line 1 of the simulated chip is button 1's by default
    #expect(problems(text + "[[button]]\nid = 1\naction = \"stop\"\nline = 2\n") == [])
  }
}
