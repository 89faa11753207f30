import Configuration
import Foundation
import Testing

/// Files, board profiles and what may change while an agent runs.
@Suite struct FilesTests {
  private let folder: String

  init() throws {
    folder = FileManager.default.temporaryDirectory.path + "/configuration-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder + "/board", withIntermediateDirectories: true)
  }

  private func write(_ text: String, to name: String) throws -> String {
    let path = "\(folder)/\(name)"
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    return path
  }

  private func messages(_ path: String) -> [String] {
    do throws(ConfigurationError) {
      _ = try TwinrigConfiguration(file: path)
      return []
    } catch {
      return error.problems.map { $0.description.replacingOccurrences(of: folder + "/", with: "") }
    }
  }

  @Test func aFileThatCannotBeReadSaysWhy() {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    #expect(messages("\(folder)/no.toml") == ["no.toml: cannot be read: No such file or directory"])
    #expect(messages("\(folder)/board") == ["board: cannot be read: a folder; a file is needed"])
    #expect(mkfifo("\(folder)/pipe", 0o600) == 0)
    #expect(messages("\(folder)/pipe") == ["pipe: cannot be read: a pipe; a file is needed"])
    #expect(messages("/dev/zero") == ["/dev/zero: cannot be read: a device; a file is needed"])
  }

  @Test func aProfileHoldsWhereTheFileIsSilent() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    _ = try write(
      "[rig]\nmains_hz = 60\nname = \"profile\"\n[[lamp]]\nname = \"top\"\nline = 5\n", to: "board/one.toml")
    let file = try write("board = \"one\"\n[rig]\nname = \"mine\"\n", to: "rig.toml")
    let configuration = try TwinrigConfiguration(file: file)
    #expect(configuration.board == "one")
    #expect(configuration.rig.name == "mine" && configuration.rig.mainsHertz == 60)
    #expect(configuration.lamps.map(\.name) == ["top"])
  }

  @Test func aProfileIsFoundBesideTheFilesFolderToo() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(atPath: folder + "/config", withIntermediateDirectories: true)
    _ = try write("[rig]\nmains_hz = 60\n", to: "board/one.toml")
    let file = try write("board = \"one\"\n", to: "config/rig.toml")
    #expect(try TwinrigConfiguration(file: file).rig.mainsHertz == 60)
  }

  @Test func problemsNameTheFileTheyAreIn() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    _ = try write("[rig]\nmains = 60\n[[lamp]]\nname = \"a\"\nline = 1\n", to: "board/one.toml")
    _ = try write("[[lamp]]\nname = \"a\"\nline = 1\n", to: "board/two.toml")
    let one = try write("board = \"one\"\n[rig]\nnmae = \"x\"\n", to: "one.toml")
    #expect(
      messages(one) == [
        "board/one.toml:2: rig.mains: unknown key in [rig]; did you mean mains_hz?",
        "board/one.toml:5: lamp[1].line: line 1 of chip \"simulated\" is button[1].line's already",
        "one.toml:3: rig.nmae: unknown key in [rig]; did you mean name?"
      ])
    let two = try write("board = \"two\"\n[[button]]\nid = 1\naction = \"stop\"\nline = 1\n", to: "two.toml")
    #expect(
      messages(two) == [
        "two.toml:5: button[1].line: line 1 of chip \"simulated\" is lamp[1].line's already (board/two.toml:3)"
      ])
  }

  @Test func aFileCopiedWithoutWhatItNamesIsToldAllOfItAtOnce() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let text = """
      board = "gone"
      [power]
      critical = 0.5
      [simulation]
      object = "model"
      [simulation.model]
      path = "objects/x.obj"
      """
    let found = messages(try write(text, to: "copy.toml"))
    // whether critical is too high depends on what the profile says
    #expect(found.count == 2, "\(found)")
    #expect(found[0].hasPrefix("copy.toml:1: board: no profile") && found[0].contains("copy the profile to one"))
    #expect(
      found[1].hasPrefix("copy.toml:7: simulation.model.path: \"objects/x.obj\" cannot be read")
        && found[1].contains("a relative path starts at the folder of this file"))
  }

  @Test func aProfileThatIsNotThereOrNotAllowedIsRefused() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let missing = messages(try write("board = \"pi9\"\n", to: "a.toml"))
    #expect(missing.count == 1 && missing[0].hasPrefix("a.toml:1: board: no profile; looked for board/pi9.toml, "))
    _ = try write("", to: "board/simulated.toml")
    for name in ["simulatd", "Simulated", "simulated_board"] {
      let near = messages(try write("board = \"\(name)\"\n", to: "e.toml"))
      #expect(near.count == 1 && near[0].contains("no profile; did you mean \"simulated\"? looked for"), "\(near)")
    }
    let ending = messages(try write("board = \"simulated.toml\"\n", to: "f.toml"))
    #expect(ending.count == 1 && ending[0].hasSuffix("- and _; did you mean \"simulated\"?"), "\(ending)")
    #expect(
      messages(try write("board = \"../x\"\n", to: "b.toml")) == [
        "b.toml:1: board: \"../x\" is not a name of letters, digits, - and _"
      ])
    _ = try write("board = \"one\"\n", to: "board/two.toml")
    #expect(
      messages(try write("board = \"two\"\n", to: "c.toml")) == [
        "board/two.toml:1: board: a profile cannot build on another one"
      ])
    _ = try write("= 1\n", to: "board/broken.toml")
    let broken = messages(try write("board = \"broken\"\n", to: "d.toml"))
    #expect(broken.count == 1 && broken[0].hasPrefix("board/broken.toml:1: "))
  }

  @Test func saysWhatARunningAgentCanTakeOn() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let old = TwinrigConfiguration()
    var new = old
    #expect(old.difference(to: new).isEmpty)
    new.scan.shots = 12
    new.power.voltageFloor = 3.1
    new.agent.socket = "/tmp/other"
    new.lamps.removeLast()
    new.batteries[0].level = 0.5
    let difference = old.difference(to: new)
    #expect(difference.live == ["scan.shots"])
    #expect(
      difference.afterRestart == [
        "agent.socket", "battery[1].level", "power.voltage_floor_v", "lamp[2].name", "lamp[2].driver", "lamp[2].chip",
        "lamp[2].line", "lamp[2].active_low", "lamp[2].bus", "lamp[2].address", "lamp[2].channel"
      ])
    let taken = old.takingLive(from: new)
    #expect(taken.scan.shots == 12 && taken.power == old.power)
    #expect(taken.agent == old.agent && taken.lamps == old.lamps)
    #expect(taken.difference(to: new) == ConfigurationDifference(live: [], afterRestart: difference.afterRestart))
  }
}
