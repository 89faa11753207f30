import Imaging
import Spelling

/// What must hold between the values of a configuration, beyond each value's own limits.
struct Consistency {
  let settings: TwinrigConfiguration
  let places: [String: Reading.Place]
  private let file: String
  /// Keys whose values were refused: what is in force in their place is a default nobody asked for.
  private let refused: [String]
  /// What does not hold, in the order of the file.
  private(set) var problems: [ConfigurationProblem] = []

  /// Checks everything. `places` says where values were set; `file` is named for those that were not. What `refused` keys
  /// have to do with is left out: it would be said about defaults.
  init(
    of settings: TwinrigConfiguration, places: [String: Reading.Place], file: String, refused: [String] = []
  ) {
    self.refused = refused
    self.settings = settings
    self.places = places
    self.file = file
    checkCameras()
    for (name, axis) in settings.axes { checkAxis(name, axis) }
    checkNames()
    checkNeeds()
    checkClaims()
    checkScan()
    checkPower()
    checkSimulation()
    problems.sort { ($0.file == file ? 1 : 0, $0.line, $0.column) < ($1.file == file ? 1 : 0, $1.line, $1.column) }
  }

  /// `others` are further keys, or tables, that the message is about.
  mutating func refuse(_ key: String, _ message: String, about others: [String] = []) {
    guard !([key] + others).contains(where: isRefused) else { return }
    // a key that was not set is told where its table stands
    var name = Substring(key)
    while places[String(name)] == nil, let dot = name.lastIndex(of: ".") { name = name[..<dot] }
    let place = places[String(name)] ?? Reading.Place(file: file, line: 0, column: 0)
    problems.append(
      ConfigurationProblem(file: place.file, line: place.line, column: place.column, key: key, message: message))
  }

  /// Whether the key, something in it or the table around it was refused.
  private func isRefused(_ key: String) -> Bool {
    refused.contains { other in
      let (short, long) = key.utf8.count < other.utf8.count ? (key, other) : (other, key)
      guard long.hasPrefix(short) else { return false }
      return long == short || [".", "["].contains(long.dropFirst(short.count).first)
    }
  }

  private mutating func checkCameras() {
    let c = settings.cameras
    let sizes = ["width", "height", "preview_width", "preview_height"].map { "cameras.\($0)" }
    if c.previewWidth > c.width || c.previewHeight > c.height {
      refuse(
        "cameras.preview_width", "the viewfinder (\(c.previewWidth) × \(c.previewHeight)) is larger than the picture",
        about: sizes)
    }
    // a pixel of rounding at either side
    if abs(c.previewWidth * c.height - c.previewHeight * c.width) > max(c.width, c.height) {
      let right = (c.previewWidth * c.height + c.width / 2) / c.width
      refuse(
        "cameras.preview_height",
        "\(c.previewWidth) × \(c.previewHeight) has other proportions than \(c.width) × \(c.height); "
          + "\(right) would fit", about: sizes)
    }
    if !c.left.isEmpty, c.left == c.right {
      refuse("cameras.right", "\(shown(c.right)) is the left camera already", about: ["cameras.left"])
    }
  }

  private mutating func checkAxis(_ name: String, _ axis: AxisConfiguration) {
    if name == "turntable" && axis.driver == .none {
      refuse("turntable.driver", "a rig cannot do without its turntable")
    }
    switch (axis.lowest, axis.highest) {
    case (nil, nil): break
    case (let lowest?, let highest?):
      if lowest >= highest { refuse("\(name).highest_deg", "must be above lowest_deg", about: ["\(name).lowest_deg"]) }
    case (nil, _): refuse("\(name).highest_deg", "needs lowest_deg beside it", about: ["\(name).lowest_deg"])
    case (_, nil): refuse("\(name).lowest_deg", "needs highest_deg beside it", about: ["\(name).highest_deg"])
    }
  }

  private mutating func checkNames() {
    checkNames("lamp", key: "name", settings.lamps.map(\.name), missing: "")
    checkNames("battery", key: "name", settings.batteries.map(\.name), missing: "")
    checkNames("button", key: "id", settings.buttons.map { $0.id == 0 ? "" : "\($0.id)" }, missing: "")
    for (index, button) in settings.buttons.enumerated() { checkAction(button.action, of: "button[\(index + 1)]") }
    let simulated = settings.lamps.filter { $0.driver == .simulated }.count
    if simulated > 3 { refuse("lamp[4]", "a simulated world has at most 3 lamps") }
  }

  /// Any name may be an action, for scripts: one that is nearly a known one is a slip.
  private mutating func checkAction(_ action: String, of button: String) {
    if action.isEmpty {
      return refuse("\(button).action", "is needed: what shall pressing it do?", about: [button])
    }
    let known = ButtonConfiguration.knownActions
    guard !known.contains(action), let near = Spelling.misspelt(action, of: known) else { return }
    refuse(
      "\(button).action",
      "\(shown(action)) does nothing by itself; did you mean \(quoted(near))? a name of your own has to differ more")
  }

  private mutating func checkNames(_ table: String, key: String, _ names: [String], missing: String) {
    var first: [String: Int] = [:]
    for (index, name) in names.enumerated() {
      let path = "\(table)[\(index + 1)].\(key)"
      if name == missing {
        refuse(path, "is needed", about: ["\(table)[\(index + 1)]"])
      } else if let other = first[name] {
        refuse(
          path, "\(name) is \(table)[\(other + 1)]'s already\(set("\(table)[\(other + 1)].\(key)"))",
          about: ["\(table)[\(other + 1)].\(key)"])
      } else {
        first[name] = index
      }
    }
  }

  /// `, set at line N` where the file says it.
  func set(_ key: String) -> String {
    guard let place = places[key], place.line > 0 else { return "" }
    return place.file == file ? " (line \(place.line))" : " (\(place.file):\(place.line))"
  }

  private mutating func checkScan() {
    let scan = settings.scan
    if scan.lowLightGain > scan.highestGain {
      refuse(
        "scan.low_light_gain", "is above highest_gain (\(plain(scan.highestGain))): low light would never be told",
        about: ["scan.highest_gain"])
    }
    if scan.tooDarkLuma >= scan.targetLuma {
      refuse("scan.too_dark_luma", "must be below target_luma (\(plain(scan.targetLuma)))", about: ["scan.target_luma"])
    }
    let wanted = [
      ("scan.pan_deg", scan.pan, "pan", settings.pan), ("scan.tilt_deg", scan.tilt, "tilt", settings.tilt),
      ("scan.park_deg", scan.parked, "pan", settings.pan), ("scan.park_deg", scan.parked, "tilt", settings.tilt)
    ]
    for (key, angle, name, axis) in wanted {
      guard axis.driver != .none, let range = axis.limits.range, !range.contains(angle) else { continue }
      refuse(
        key, "the axis goes from \(plain(range.lowerBound.degrees)) to \(plain(range.upperBound.degrees))°",
        about: [name])
    }
  }

  private mutating func checkPower() {
    let p = settings.power
    if p.critical >= p.low { refuse("power.critical", "must be below low (\(plain(p.low)))", about: ["power.low"]) }
    if p.low > p.warning {
      refuse("power.low", "must not be above warning (\(plain(p.warning)))", about: ["power.warning"])
    }
    if p.lowClears < p.low {
      refuse("power.low_clears", "must not be below low (\(plain(p.low)))", about: ["power.low"])
    }
  }

  private mutating func checkSimulation() {
    let world = settings.simulation
    if world.object == .model && world.model.path == nil {
      refuse("simulation.model.path", "is needed when object is \"model\"", about: ["simulation.object"])
    }
    if world.object == .model {
      checkFile("simulation.model.path", world.model.path)
      checkFile("simulation.model.texture", world.model.texture)
    }
    checkTruthFile(world.truthFile)
    checkPerson(world.person)
    for (index, fault) in world.faults.enumerated() { check(fault, "simulation.fault[\(index + 1)]") }
  }

  private mutating func checkFile(_ key: String, _ path: String?) {
    guard let path, let trouble = TextFile.objection(to: path) else { return }
    // a path that was relative has been taken from the folder of the file that says so
    let folder = places[key].map { TextFile.folder(of: $0.file) } ?? ""
    let isBeside = folder == "." ? !path.hasPrefix("/") : !folder.isEmpty && path.hasPrefix(folder + "/")
    let hint =
      isBeside ? "; a relative path starts at the folder of this file: was it copied without what it names?" : ""
    refuse(key, "\(quoted(path)) cannot be read: \(trouble)\(hint)", about: ["simulation.object"])
  }

  private mutating func checkTruthFile(_ path: String?) {
    guard let path else { return }
    if TextFile.isFolder(path) {
      refuse("simulation.truth_file", "\(quoted(path)) is a folder; a file is needed")
    } else if !TextFile.isFolder(TextFile.folder(of: path)) {
      refuse("simulation.truth_file", "there is no folder \(quoted(TextFile.folder(of: path))) to write it to")
    }
  }

  /// A person who was asked for has to hear what is wanted, and to have a button to answer with.
  private mutating func checkPerson(_ person: SimulatedPersonName) {
    let key = "simulation.person"
    guard places[key] != nil, person != .absent else { return }
    if settings.signal.driver == .none {
      refuse(
        key, "\(quoted(person.rawValue)) waits for the signal, and signal.driver is \"none\"", about: ["signal.driver"])
    }
    guard person != .flips else { return }
    let actions = settings.buttons.map(\.action)
    if !actions.contains(where: { ["answer", "shutter"].contains($0) }) {
      refuse(
        key, "\(quoted(person.rawValue)) needs a button whose action is \"answer\" or \"shutter\"", about: ["button"])
    }
    if person == .startsAndAnswers, !actions.contains(where: { ["start", "shutter"].contains($0) }) {
      refuse(
        key, "\(quoted(person.rawValue)) needs a button whose action is \"shutter\" or \"start\"", about: ["button"])
    }
  }

  private mutating func check(_ fault: FaultConfiguration, _ table: String) {
    let moments = [fault.shot != nil, fault.move != nil, fault.after != nil].filter { $0 }.count
    if moments != 1 { refuse(table, "needs one of shot, move, after_s; it has \(moments)", about: [table]) }
    switch fault.kind {
    case .stall, .lostSteps:
      let axes = settings.axes.filter { $0.1.driver != .none }.map(\.0)
      if !axes.contains(fault.axis) {
        refuse(
          "\(table).axis",
          "no axis \(shown(fault.axis))\(nearest(to: fault.axis, among: axes)); there are \(axes.joined(separator: ", "))",
          about: ["turntable", "pan", "tilt", "\(table).kind"])
      }
    case .gaugeSilent, .gaugeReadsZero:
      let names = settings.batteries.map(\.name)
      if !names.contains(fault.battery) {
        refuse(
          "\(table).battery",
          "no battery \(shown(fault.battery))\(nearest(to: fault.battery, among: names)); there are: "
            + names.joined(separator: ", "),
          about: ["battery", "\(table).kind"])
      }
    case .cameraTimeout, .droppedFrame, .powerCut: break
    }
  }
}
