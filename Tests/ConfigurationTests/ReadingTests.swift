import Configuration
import Imaging
import Testing

/// The problems a text has, each as `line: key: message`.
func problems(_ text: String) -> [String] {
  do throws(ConfigurationError) {
    _ = try TwinrigConfiguration(text: Array(text.utf8), file: "rig.toml")
    return []
  } catch {
    return error.problems.map { "\($0.line): \($0.key): \($0.message)" }
  }
}

@Suite struct ReadingTests {
  @Test func anEmptyFileIsTheDefaults() throws {
    #expect(try TwinrigConfiguration(text: [], file: "rig.toml") == TwinrigConfiguration())
  }

  @Test func valuesOfEveryKindArrive() throws {
    let text = """
      [agent]
      socket = "/tmp/s"
      [rig]
      mains_hz = 60
      [cameras]
      frames_per_second = 12.5
      [geometry]
      baseline_mm = 80
      elevation_deg = 30
      [tilt]
      driver = "none"
      [scan]
      detail = "preview"
      move_speed_deg_s = 20
      longest_exposure_s = 0.02
      asks_for_plates = false
      [simulation]
      seed = 9223372036854775807
      [[battery]]
      name = "grip"
      address = 0x40
      """
    let configuration = try TwinrigConfiguration(text: Array(text.utf8), file: "rig.toml")
    #expect(configuration.agent.socket == "/tmp/s")
    #expect(configuration.rig.mainsHertz == 60)
    #expect(configuration.cameras.framesPerSecond == 12.5)
    #expect(configuration.geometry.baseline == 80)
    #expect(configuration.geometry.elevation == .degrees(30))
    #expect(configuration.tilt.driver == .none)
    #expect(configuration.scan.detail == .preview)
    #expect(configuration.scan.moveSpeed == .degrees(20))
    #expect(configuration.scan.longestExposure == .milliseconds(20))
    #expect(!configuration.scan.asksForPlates)
    #expect(configuration.simulation.seed == UInt64(Int64.max))
    #expect(configuration.batteries.map(\.name) == ["grip"])
    #expect(configuration.batteries.map(\.address) == [0x40])
    // what is not mentioned keeps its default
    #expect(configuration.scan.shots == TwinrigConfiguration().scan.shots)
    #expect(configuration.lamps == TwinrigConfiguration().lamps)
  }

  @Test func geometryByDesignComesFromLensAndPlace() throws {
    let text = "[cameras]\nwidth = 900\nheight = 1200\n[geometry]\nbaseline_mm = 70\ndistance_mm = 400\n"
    let geometry = try TwinrigConfiguration(text: Array(text.utf8), file: "rig.toml").nominalGeometry
    #expect(geometry.stereo.left.width == 900 && geometry.stereo.left.fx == 1.75 * 900)
    #expect(geometry.stereo.baseline == 70)
    // the point aimed at is in the middle between the two pictures' principal points, 400 mm away
    let aim = geometry.leftFromTable(pan: .zero, tilt: .zero) * SIMD3(0, 40, 0)
    #expect(abs(aim.z - 400) < 1e-9 && abs(aim.x - 35) < 1e-9 && abs(aim.y) < 1e-9)
  }

  @Test(arguments: [
    ("[scan]\nshot = 20", "2: scan.shot: unknown key in [scan]; did you mean shots?"),
    ("\n\n[camera]\nwidth = 900", "3: camera: unknown key; did you mean cameras?"),
    ("[scan]\nSHOTS = 20", "2: scan.SHOTS: unknown key in [scan]; did you mean shots?"),
    ("[scan]\nsettle-limit-s = 2", "2: scan.settle-limit-s: unknown key in [scan]; did you mean settle_limit_s?"),
    ("[geometry]\nbaseline = 64", "2: geometry.baseline: unknown key in [geometry]; did you mean baseline_mm?"),
    (
      "[rig]\nqqqqqqqq = 1",
      "2: rig.qqqqqqqq: unknown key in [rig]; there are: name, mains_hz"
    ),
    ("[cameras]\nwidt = 900", "2: cameras.widt: unknown key in [cameras]; did you mean width?"),
    (
      "[simulation.sensor]\nread_nois = 1",
      "2: simulation.sensor.read_nois: unknown key in [simulation.sensor]; did you mean read_noise?"
    ),
    // a word too many in front, or one too few
    ("[pan]\nmax_sped_deg_s = 1", "2: pan.max_sped_deg_s: unknown key in [pan]; did you mean speed_deg_s?"),
    ("[scan]\nspeed_deg_s = 1", "2: scan.speed_deg_s: unknown key in [scan]; did you mean move_speed_deg_s?"),
    // the wrong table
    ("[rig]\nbaseline_mm = 1", "2: rig.baseline_mm: unknown key in [rig]; did you mean geometry.baseline_mm?"),
    ("burst = 1", "1: burst: unknown key; did you mean scan.burst?"),
    // one letter of two says nothing, and no more does the beginning of a longer word
    (
      "[simulation.model]\nupside_down = 1",
      "2: simulation.model.upside_down: unknown key in [simulation.model]; there are: path, texture, unit_mm, up"
    ),
    ("[rig]\nk3 = 1", "2: rig.k3: unknown key in [rig]; there are: name, mains_hz"),
    (
      "[simulation.model]\nup = \"x\"",
      "2: simulation.model.up: \"x\" is not among them; allowed is one of \"y\", \"z\""
    ),
    (
      "[[button]]\nid = 1\naction = \"stop\"\nactoin = 1",
      "4: button[1].actoin: unknown key in [button[1]]; did you mean action?"
    ),
    (
      "[scan]\nshots = \"20\"",
      "2: scan.shots: a string where a whole number from 4 to 400 belongs"
    ),
    ("[scan]\nshots = 20.0", "2: scan.shots: a number where a whole number from 4 to 400 belongs"),
    ("scan = 3", "1: scan: a whole number where a table belongs; write [scan]"),
    ("[lamp]\nname = \"left\"", "1: lamp: a table where tables belong; write [[lamp]]"),
    ("lamp = [1]", "1: lamp[1]: a whole number where a table belongs"),
    ("[scan]\nburst = 1979-05-27", "2: scan.burst: a date or time where a whole number from 1 to 16 belongs"),
    ("[scan]\nshots = 3", "2: scan.shots: 3 is out of range; allowed is a whole number from 4 to 400"),
    (
      "[geometry]\nbaseline_mm = nan",
      "2: geometry.baseline_mm: this number is out of range; allowed is a number from 5 to 500 mm"
    ),
    (
      "[geometry]\nbaseline_mm = inf",
      "2: geometry.baseline_mm: this number is out of range; allowed is a number from 5 to 500 mm"
    ),
    (
      "[scan]\ndetail = \"reduce\"",
      "2: scan.detail: \"reduce\" is not among them; did you mean \"reduced\"?; "
        + "allowed is one of \"preview\", \"reduced\", \"medium\""
    ),
    (
      "[turntable]\ndriver = \"gpio\"",
      "2: turntable.driver: no driver \"gpio\" in this build; "
        + "allowed is the name of a driver; this build has \"simulated\", \"stepper\", \"tic\", \"servo\", \"none\""
    ),
    (
      "[turntable]\ndriver = \"Simulatd\"",
      "2: turntable.driver: no driver \"Simulatd\" in this build; did you mean \"simulated\"?; "
        + "allowed is the name of a driver; this build has \"simulated\", \"stepper\", \"tic\", \"servo\", \"none\""
    ),
    (
      "[[simulation.fault]]\nshot = 1\nkind = \"stall\"\naxis = \"turntabel\"",
      "4: simulation.fault[1].axis: no axis \"turntabel\"; did you mean \"turntable\"?; there are turntable, pan, tilt"
    ),
    (
      "[agent]\nsocket = \"run/s\"",
      "2: agent.socket: \"run/s\" does not begin with /; allowed is an absolute path of at most 107 bytes"
    ),
    ("[rig]\nname = \"\"", "2: rig.name: empty; allowed is a string that is not empty"),
    ("[rig]\nname = \"a\\u0007\"", "2: rig.name: has a control character; allowed is a string that is not empty"),
    ("[rig]\nname = \"a\\u009b\"", "2: rig.name: has a control character; allowed is a string that is not empty"),
    (
      "[[button]]\nid = 4\naction = \"a b\"",
      "3: button[1].action: \"a b\" has other characters; allowed is a name of letters, digits, - and _"
    ),
    (
      "[[battery]]\nname = \"b\"\naddress = 0x78",
      "3: battery[1].address: 120 is out of range; allowed is an I²C address from 0x08 to 0x77"
    )
  ])
  func refusesWithLineKeyAndWhatWouldBeRight(text: String, message: String) {
    #expect(problems(text) == [message])
  }

  @Test func tellsEverythingThatIsWrongAtOnceInTheOrderOfTheFile() {
    let text = """
      [scan]
      passes = 0
      burts = 3
      [agent]
      disk_floor_mb = "much"
      [zoo]
      """
    #expect(
      problems(text).map { $0.prefix { $0 != ":" } } == ["2", "3", "5", "6"], "\(problems(text))")
  }

  @Test func namesTheFileInMessages() {
    #expect(
      refusal("[scan]\nshots = 3").description
        == "rig.toml:2: scan.shots: 3 is out of range; allowed is a whole number from 4 to 400")
  }

  @Test func aProblemIsOneLineThatSteersNoTerminal() {
    #expect(
      refusal("\"kä\\u001b[31m\\n\\u009b\\u202e\" = 3").description.hasPrefix(
        #"rig.toml:1: kä\u001b[31m\n\u009b\u202e: unknown key; there are: board, "#))
  }

  private func refusal(_ text: String) -> ConfigurationError {
    do throws(ConfigurationError) {
      _ = try TwinrigConfiguration(text: Array(text.utf8), file: "rig.toml")
      return ConfigurationError([])
    } catch {
      return error
    }
  }
}
