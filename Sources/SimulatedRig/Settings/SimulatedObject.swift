/// What stands on the simulated table.
public enum SimulatedObject: Sendable, Hashable {
  /// A painted toy locomotive, 125 mm long: well textured, asymmetric, with openings and a labelled underside.
  case demo
  /// An unpainted, smooth jug: hardly any texture.
  case plain
  /// A vase whose shape and pattern repeat all around: no turn about its axis can be told from another.
  case symmetric
  /// A Wavefront OBJ file. `texture` is a PNG or JPEG picture; nil means the one its material file names.
  /// `unitMillimetres` is the length of the file's unit: 10 for centimetres.
  case model(path: String, texture: String?, unitMillimetres: Double, up: SimulatedUp = .y)
}

/// Which axis of a file points up on an object that stands as it is meant to.
public enum SimulatedUp: String, Sendable, Hashable, CaseIterable {
  /// The second, as in most OBJ files.
  case y
  /// The third.
  case z
}
