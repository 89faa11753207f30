import Imaging

/// What must hold between the values of a configuration, beyond each value's own limits.
struct Consistency {
  private let settings: TwinrigConfiguration
  private let places: [String: Reading.Place]
  private let file: String
  /// What does not hold, in the order of the file.
  private(set) var problems: [ConfigurationProblem] = []

  /// Checks everything. `places` says where values were set; `file` is named for those that were not.
  init(of settings: TwinrigConfiguration, places: [String: Reading.Place], file: String) {
    self.settings = settings
    self.places = places
    self.file = file
    checkCameras()
    checkAxis("turntable", settings.turntable)
    checkAxis("pan", settings.pan)
    checkAxis("tilt", settings.tilt)
    checkNames()
    checkClaims()
    checkScan()
    checkPower()
    checkSimulation()
    problems.sort { ($0.file == file ? 1 : 0, $0.line, $0.column) < ($1.file == file ? 1 : 0, $1.line, $1.column) }
  }

  private mutating func refuse(_ key: String, _ message: String) {
    // a key that was not set is told where its table stands
    var name = Substring(key)
    while places[String(name)] == nil, let dot = name.lastIndex(of: ".") { name = name[..<dot] }
    let place = places[String(name)] ?? Reading.Place(file: file, line: 0, column: 0)
    problems.append(
      ConfigurationProblem(file: place.file, line: place.line, column: place.column, key: key, message: message))
  }

  private mutating func checkCameras() {
    let c = settings.cameras
    if c.previewWidth > c.width || c.previewHeight > c.height {
      refuse(
        "cameras.preview_width", "the viewfinder (\(c.previewWidth) × \(c.previewHeight)) is larger than the picture")
    }
    // a pixel of rounding at either side
    if abs(c.previewWidth * c.height - c.previewHeight * c.width) > max(c.width, c.height) {
      let right = (c.previewWidth * c.height + c.width / 2) / c.width
      refuse(
        "cameras.preview_height",
        "\(c.previewWidth) × \(c.previewHeight) has other proportions than \(c.width) × \(c.height); "
          + "\(right) would fit")
    }
  }

  private mutating func checkAxis(_ name: String, _ axis: AxisConfiguration) {
    if name == "turntable" && axis.driver == .none {
      refuse("turntable.driver", "a rig cannot do without its turntable")
    }
    switch (axis.lowest, axis.highest) {
    case (nil, nil): break
    case (let lowest?, let highest?):
      if lowest >= highest { refuse("\(name).highest_deg", "must be above lowest_deg") }
    case (nil, _): refuse("\(name).highest_deg", "needs lowest_deg beside it")
    case (_, nil): refuse("\(name).lowest_deg", "needs highest_deg beside it")
    }
  }

  private mutating func checkNames() {
    checkNames("lamp", key: "name", settings.lamps.map(\.name), missing: "")
    checkNames("battery", key: "name", settings.batteries.map(\.name), missing: "")
    checkNames("button", key: "id", settings.buttons.map { $0.id == 0 ? "" : "\($0.id)" }, missing: "")
    for (index, button) in settings.buttons.enumerated() where button.action.isEmpty {
      refuse("button[\(index + 1)].action", "is needed: what shall pressing it do?")
    }
    let simulated = settings.lamps.filter { $0.driver == .simulated }.count
    if simulated > 3 { refuse("lamp[4]", "a simulated world has at most 3 lamps") }
  }

  private mutating func checkNames(_ table: String, key: String, _ names: [String], missing: String) {
    var first: [String: Int] = [:]
    for (index, name) in names.enumerated() {
      let path = "\(table)[\(index + 1)].\(key)"
      if name == missing {
        refuse(path, "is needed")
      } else if let other = first[name] {
        refuse(path, "\(name) is \(table)[\(other + 1)]'s already\(set("\(table)[\(other + 1)].\(key)"))")
      } else {
        first[name] = index
      }
    }
  }

  /// `, set at line N` where the file says it.
  private func set(_ key: String) -> String {
    guard let place = places[key], place.line > 0 else { return "" }
    return place.file == file ? " (line \(place.line))" : " (\(place.file):\(place.line))"
  }

  private mutating func checkClaims() {
    var owners: [String: String] = [:]
    for claim in lineClaims + addressClaims {
      if let owner = owners[claim.resource] {
        // of the two, the one that the file says is the one to mend; the other may be a default
        let (refused, keeper) = places[claim.key] == nil ? (owner, claim.key) : (claim.key, owner)
        refuse(refused, "\(claim.resource) is \(keeper)'s already\(set(keeper))")
      } else {
        owners[claim.resource] = claim.key
      }
    }
  }

  private var lineClaims: [(resource: String, key: String)] {
    var claims: [(chip: String, line: Int?, key: String)] = []
    for (index, lamp) in settings.lamps.enumerated() {
      claims.append((lamp.chip, lamp.line, "lamp[\(index + 1)].line"))
    }
    for (index, button) in settings.buttons.enumerated() {
      claims.append((button.chip, button.line, "button[\(index + 1)].line"))
    }
    if settings.signal.driver != .none {
      claims.append((settings.signal.chip, settings.signal.ledLine, "signal.led_line"))
      claims.append((settings.signal.chip, settings.signal.buzzerLine, "signal.buzzer_line"))
    }
    return claims.compactMap { claim in claim.line.map { ("line \($0) of chip \(quoted(claim.chip))", claim.key) } }
  }

  private var addressClaims: [(resource: String, key: String)] {
    settings.batteries.enumerated().compactMap { index, battery in
      battery.address.map {
        ("address \(Scalar.i2cAddress.encode($0)) of bus \(quoted(battery.bus))", "battery[\(index + 1)].address")
      }
    }
  }

  private mutating func checkScan() {
    let scan = settings.scan
    if scan.lowLightGain > scan.highestGain {
      refuse("scan.low_light_gain", "is above highest_gain (\(plain(scan.highestGain))): low light would never be told")
    }
    if scan.tooDarkLuma >= scan.targetLuma {
      refuse("scan.too_dark_luma", "must be below target_luma (\(plain(scan.targetLuma)))")
    }
    let wanted = [
      ("scan.pan_deg", scan.pan, settings.pan), ("scan.tilt_deg", scan.tilt, settings.tilt),
      ("scan.park_deg", scan.parked, settings.pan), ("scan.park_deg", scan.parked, settings.tilt)
    ]
    for (key, angle, axis) in wanted {
      guard axis.driver != .none, let range = axis.limits.range, !range.contains(angle) else { continue }
      refuse(key, "the axis goes from \(plain(range.lowerBound.degrees)) to \(plain(range.upperBound.degrees))°")
    }
  }

  private mutating func checkPower() {
    let p = settings.power
    if p.critical >= p.low { refuse("power.critical", "must be below low (\(plain(p.low)))") }
    if p.low > p.warning { refuse("power.low", "must not be above warning (\(plain(p.warning)))") }
    if p.lowClears < p.low { refuse("power.low_clears", "must not be below low (\(plain(p.low)))") }
  }

  private mutating func checkSimulation() {
    let world = settings.simulation
    if world.object == .model && world.model.path == nil {
      refuse("simulation.model.path", "is needed when object is \"model\"")
    }
    if world.object == .model {
      checkFile("simulation.model.path", world.model.path)
      checkFile("simulation.model.texture", world.model.texture)
    }
    for (index, fault) in world.faults.enumerated() { check(fault, "simulation.fault[\(index + 1)]") }
  }

  private mutating func checkFile(_ key: String, _ path: String?) {
    if let path, !TextFile.isReadable(path) { refuse(key, "\(quoted(path)) cannot be read") }
  }

  private mutating func check(_ fault: FaultConfiguration, _ table: String) {
    let moments = [fault.shot != nil, fault.move != nil, fault.after != nil].filter { $0 }.count
    if moments != 1 { refuse(table, "needs one of shot, move, after_s; it has \(moments)") }
    switch fault.kind {
    case .stall, .lostSteps:
      let axes = [("turntable", settings.turntable), ("pan", settings.pan), ("tilt", settings.tilt)]
        .filter { $0.1.driver != .none }.map(\.0)
      if !axes.contains(fault.axis) {
        refuse("\(table).axis", "no axis \(quoted(fault.axis)); there are \(axes.joined(separator: ", "))")
      }
    case .gaugeSilent, .gaugeReadsZero:
      let names = settings.batteries.map(\.name)
      if !names.contains(fault.battery) {
        refuse("\(table).battery", "no battery \(quoted(fault.battery)); there are: \(names.joined(separator: ", "))")
      }
    case .cameraTimeout, .droppedFrame, .powerCut: break
    }
  }
}
