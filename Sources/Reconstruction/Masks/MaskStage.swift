import Imaging

/// Tells the object from what is behind it, in every picture and in space.
public enum MaskStage {
  /// Masks for all views of a set. For foreign sets they are final. For sessions they mean "moves with the table" and
  /// `PoseStage` makes the final ones when it knows where everything is.
  ///
  /// Throws `.cancelled`, and `.invalidInput` for a picture that cannot be decoded.
  public static func run(
    _ set: ViewSet, pictures: ViewPictures, threads: Int = Parallel.processorCount, progress: any StageProgress
  ) throws(ReconstructionError) -> ObjectMasks {
    let level = level(for: set)
    let tally = Tally(progress, of: 3 * set.views.count)
    let slots = Slots<RGBImage>(count: set.views.count)
    try Parallel.forEach(set.views.count, threads: threads) { i throws(ReconstructionError) in
      slots[i] = try pictures.rgb(i, level: level)
      try tally.advance()
    }
    return try ForeignMasks(
      set: set, pictures: slots.values, lenses: set.views.map { pictures.lens($0.index, level: level) }, level: level,
      threads: threads, tally: tally
    ).run()
  }

  /// How often pictures are halved for masks: sides of about 500 to 1000 pixels are fine enough.
  static func level(for set: ViewSet) -> Int {
    let side = set.views.map { max($0.lens.width, $0.lens.height) }.max() ?? 0
    var level = 0
    while side >> level > 1000 { level += 1 }
    return level
  }
}
