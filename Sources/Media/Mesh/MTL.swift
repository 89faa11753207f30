/// A material of an OBJ's library.
public struct MTL: Sendable, Hashable {
  /// The name by which `usemtl` calls it.
  public var name: String
  /// The diffuse colour, linear 0…1.
  public var diffuse: SIMD3<Double> = [1, 1, 1]
  /// The picture of the diffuse colour, as written (relative to the library).
  public var diffuseMap: String?

  /// Reads a material library. Lines that are not understood are passed over.
  public static func read(_ bytes: [UInt8]) -> [MTL] {
    var materials: [MTL] = []
    var text = TextNumbers(bytes)
    while !text.isAtEnd {
      text.skipBlanks()
      let keyword = text.word()
      if keyword == "newmtl" {
        materials.append(MTL(name: text.restOfLine()))
      } else if let last = materials.indices.last {
        switch keyword {
        case "Kd": materials[last].diffuse = colour(&text) ?? materials[last].diffuse
        case "map_Kd": materials[last].diffuseMap = map(text.restOfLine())
        default: break
        }
      }
      text.skipLine()
    }
    return materials
  }

  private static func colour(_ text: inout TextNumbers) -> SIMD3<Double>? {
    var values: [Double] = []
    while values.count < 3 {
      text.skipBlanks()
      guard let value = text.number() else { return nil }
      values.append(value)
    }
    return SIMD3(values[0], values[1], values[2])
  }

  /// A file name after options such as `-s 1 1 1` or `-clamp on`; the name itself may hold spaces.
  private static func map(_ line: String) -> String? {
    var words = line.split(separator: " ", omittingEmptySubsequences: true)[...]
    while let option = words.first, option.hasPrefix("-") {
      words.removeFirst()
      let arguments = ["-o", "-s", "-t"].contains(option) ? 3 : option == "-mm" ? 2 : 1
      for i in 0..<arguments {
        guard let word = words.first, i == 0 || Double(word) != nil else { break }
        words.removeFirst()
      }
    }
    let name = words.joined(separator: " ")
    return name.isEmpty ? nil : name
  }
}
