import Imaging

/// Tells the object from what is behind it, in every picture and in space.
public enum MaskStage {
  /// Masks for all views of a set. For foreign sets they are final. For sessions they hold everything until
  /// `PoseStage`, which finds out where everything is, makes the final ones.
  ///
  /// Throws `.cancelled`, and `.invalidInput` for a picture that cannot be decoded.
  public static func run(
    _ set: ViewSet, pictures: ViewPictures, threads: Int = Parallel.processorCount, progress: any StageProgress
  ) throws(ReconstructionError) -> ObjectMasks {
    let level = level(for: set)
    if let rig = set.rig { return wholeTable(set, rig, pictures, level: level) }
    let tally = Tally(progress, of: 4 * set.views.count)
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

  /// Before poses are known: every pixel, and all the space above the disc.
  private static func wholeTable(_ set: ViewSet, _ rig: RigContext, _ pictures: ViewPictures, level: Int) -> ObjectMasks
  {
    let r = rig.geometry.tableRadius
    let masks = set.views.map { view in
      let lens = pictures.lens(view.index, level: level)
      return GrayImage(width: lens.width, height: lens.height, fill: 255)
    }
    return ObjectMasks(
      masks: masks, level: level, hull: nil, box: set.box ?? Box3(min: [-r, 0, -r], max: [r, 2 * r, r]))
  }

  /// How often pictures are halved for masks: sides of about 500 to 1000 pixels are fine enough.
  static func level(for set: ViewSet) -> Int {
    let side = set.views.map { max($0.lens.width, $0.lens.height) }.max() ?? 0
    var level = 0
    while side >> level > 1000 { level += 1 }
    return level
  }
}
