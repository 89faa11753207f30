extension TwinrigConfiguration {
  /// Where installed board profiles are.
  static let installedFolder = "/usr/share/twinrig"

  /// Reads a configuration file over its board profile over the defaults, and checks it as a whole. Throws everything
  /// that is wrong with both files. Relative paths in a file are taken from the file's folder and come out resolved.
  public init(file: String) throws(ConfigurationError) {
    switch TextFile.read(file, limit: TOMLDocument.sizeLimit) {
    case .success(let text): try self.init(text: text, file: file)
    case .failure(let failure):
      throw ConfigurationError([ConfigurationProblem(file: file, message: "cannot be read: \(failure.reason)")])
    }
  }

  /// The same for a text that is in memory; `file` is what it is called in messages and where it looks for its profile.
  public init(text: [UInt8], file: String) throws(ConfigurationError) {
    self.init()
    var reading = Reading(file: file)
    guard let root = Self.root(of: text, &reading) else { throw ConfigurationError(reading.problems) }
    Self.readProfile(named: root, beside: file, into: &self, &reading)
    reading.file = file
    reading.read(root, into: &self)
    resolvePaths(reading)
    let found = Consistency(
      of: self, places: reading.places, file: file, refused: reading.problems.map(\.key) + Self.unread(reading))
    // in the order of the files: the profile's first
    reading.problems = (reading.problems + found.problems).sorted {
      ($0.file == file ? 1 : 0, $0.line, $0.column) < ($1.file == file ? 1 : 0, $1.line, $1.column)
    }
    guard reading.problems.isEmpty else { throw ConfigurationError(reading.problems) }
  }

  /// The tables of which nothing can be said as a whole, because the profile that may hold some of their keys could not be
  /// read. What it says of the world beside the devices is little, and files of it are worth looking for at once.
  private static func unread(_ reading: Reading) -> [String] {
    let isIncomplete = reading.problems.contains { $0.key.isEmpty || $0.key == "board" }
    return isIncomplete ? fields.map(\.name).filter { $0 != "simulation" } : []
  }

  private static func root(of text: [UInt8], _ reading: inout Reading) -> [TOMLNode.Entry]? {
    do throws(TOMLSyntaxError) {
      if case .table(let entries) = try TOMLDocument.parse(text).value { return entries }
      return []
    } catch {
      reading.problems.append(
        ConfigurationProblem(file: reading.file, line: error.line, column: error.column, message: error.message))
      return nil
    }
  }

  private static func readProfile(
    named root: [TOMLNode.Entry], beside file: String, into settings: inout TwinrigConfiguration,
    _ reading: inout Reading
  ) {
    guard let entry = root.first(where: { $0.key == "board" }), case .string(let name) = entry.node.value, !name.isEmpty
    else { return }
    let folders = profileFolders(beside: file)
    var hint: String { nearest(to: name, among: folders.flatMap { TextFile.names(in: $0, endingWith: ".toml") }) }
    guard name.utf8.allSatisfy(isNameByte) else {
      return reading.refuse(
        "board", at: entry.node, "\(shown(name)) is not a name of letters, digits, - and _\(hint)")
    }
    let places = folders.map { TextFile.resolve("\(name).toml", in: $0) }
    guard let place = places.first(where: TextFile.isReadable) else {
      let near = hint
      return reading.refuse(
        "board", at: entry.node,
        "no profile\(near.isEmpty ? ";" : near) looked for \(places.joined(separator: ", ")); copy the profile to one of "
          + "these places, or leave the key out and say here what hangs where")
    }
    reading.file = place
    switch TextFile.read(place, limit: TOMLDocument.sizeLimit) {
    case .failure(let failure):
      reading.problems.append(ConfigurationProblem(file: place, message: "cannot be read: \(failure.reason)"))
    case .success(let text):
      guard let profile = Self.root(of: text, &reading) else { return }
      reading.read(profile.filter { $0.key != "board" }, into: &settings)
      for entry in profile where entry.key == "board" {
        reading.refuse("board", at: entry.node, "a profile cannot build on another one")
      }
    }
  }

  /// Where board profiles are looked for, in this order.
  private static func profileFolders(beside file: String) -> [String] {
    let folder = TextFile.folder(of: file)
    return [folder, TextFile.resolve("..", in: folder), installedFolder].map { TextFile.resolve("board", in: $0) }
  }

  private mutating func resolvePaths(_ reading: Reading) {
    func resolved(_ path: String?, _ key: String) -> String? {
      guard let path, let place = reading.places[key] else { return path }
      return TextFile.resolve(path, in: TextFile.folder(of: place.file))
    }
    simulation.model.path = resolved(simulation.model.path, "simulation.model.path")
    simulation.model.texture = resolved(simulation.model.texture, "simulation.model.texture")
    simulation.truthFile = resolved(simulation.truthFile, "simulation.truth_file")
  }
}
