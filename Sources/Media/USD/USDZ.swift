/// USDZ packages: one textured model, to be opened by AR Quick Look and everything that speaks USD.
///
/// Pixar, "USDZ file format specification" 1.3 and "UsdPreviewSurface specification" 2.6. The root layer is a crate (USDC:
/// a third of the text's size, and nothing to parse on a phone), comes first, and positions are in metres.
public enum USDZ {
  /// Packs a model. The same model gives the same bytes. Throws `.invalid` for a model without a surface or with
  /// inconsistent arrays, and `.tooLarge` beyond 4 GB.
  public static func write(_ model: TexturedModel) throws(MediaError) -> [UInt8] {
    try model.check()
    var archive = ZipArchive()
    try archive.add(USDIdentifier.of(model.name) + ".usdc", CrateWriter.write(CrateLayer(model)))
    for (kind, picture) in [("diffuse", model.diffuse), ("normal", model.normal), ("occlusion", model.occlusion)] {
      if let picture { try archive.add("textures/\(kind).\(picture.format.ending)", picture.bytes) }
    }
    return archive.finished()
  }
}

/// Names that USD allows for a prim: letters, digits and underscores, no digit first.
enum USDIdentifier {
  static func of(_ name: String) -> String {
    var out = ""
    for character in name.unicodeScalars {
      let isLetter = ("a"..."z").contains(character) || ("A"..."Z").contains(character) || character == "_"
      let isDigit = ("0"..."9").contains(character)
      if isDigit && out.isEmpty { out = "_" }
      if isLetter || isDigit {
        out.unicodeScalars.append(character)
      } else if !out.isEmpty, !out.hasSuffix("_") {
        out += "_"
      }
    }
    while out.hasSuffix("_"), out.count > 1 { out.removeLast() }
    return out.isEmpty || out == "_" ? "model" : String(out.prefix(100))
  }
}
