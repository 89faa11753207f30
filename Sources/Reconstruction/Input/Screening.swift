import Imaging

/// Looks at every picture once before any stage relies on it: damaged, dark, blurred and repeated ones are left out, and so
/// are damaged ones of the empty table.
public enum Screening {
  /// The set without unusable pictures, each of which becomes an issue. Throws `.cancelled`, and `.insufficientViews` where
  /// less than three pictures are left.
  public static func run(
    _ set: ViewSet, threads: Int = Parallel.processorCount, progress: any StageProgress
  ) throws(ReconstructionError) -> ViewSet {
    let tally = Tally(progress, of: set.views.count)
    let slots = Slots<Look>(count: set.views.count)
    try Parallel.forEach(set.views.count, threads: threads) { i throws(ReconstructionError) in
      slots[i] = try look(set.views[i])
      try tally.advance()
    }
    let looks = slots.values
    var faults = looks.map(\.fault)
    markRepeated(set, looks, &faults)
    markBlurred(looks, &faults)
    var screened = set
    if let rig = set.rig {
      let (context, issues) = try rig.screeningPlates(threads: threads)
      screened.rig = context
      screened.issues += issues
    }
    for (i, fault) in faults.enumerated() {
      guard let fault else { continue }
      screened.issues.append(SampleIssue(kind: fault.kind, name: set.views[i].name, reason: fault.reason))
    }
    screened = screened.keeping(faults.indices.filter { faults[$0] == nil })
    guard screened.views.count >= 3 else {
      let first = screened.issues.first.map { ", e.g. \($0.name): \($0.reason)" } ?? ""
      throw ReconstructionError(
        .insufficientViews, "only \(screened.views.count) of \(set.views.count) pictures can be used\(first)")
    }
    return screened
  }

  /// What one look at a picture tells.
  private struct Look: Sendable {
    var fault: Fault?
    var fingerprint: UInt64 = 0
    var sharpness = 0.0
    var acuity = 0.0
  }

  private struct Fault: Sendable {
    var kind: SampleIssue.Kind
    var reason: String
  }

  private static func look(_ view: PosedView) throws(ReconstructionError) -> Look {
    switch try grayPicture(view.path, named: view.name) {
    case .failure(let fault): return Look(fault: Fault(kind: .invalid, reason: fault.reason))
    case .success(let (bytes, picture)):
      guard picture.width == view.lens.width, picture.height == view.lens.height else {
        return Look(fault: Fault(kind: .invalid, reason: "the picture changed its size while it was read"))
      }
      var look = Look(fingerprint: fingerprint(bytes))
      if isDark(picture) {
        look.fault = Fault(kind: .skipped, reason: "too dark: there is hardly a pixel above black")
      }
      let measure = SharpnessMeasure(picture)
      look.sharpness = measure.tenengrad
      look.acuity = measure.acuity
      return look
    }
  }

  /// Whether not even a thousandth of the pixels is above black.
  private static func isDark(_ picture: GrayImage) -> Bool {
    let bright = picture.pixels.withUnsafeBufferPointer { $0.reduce(0) { $0 + ($1 > 24 ? 1 : 0) } }
    return bright * 1000 < picture.pixels.count
  }

  /// FNV-1a (G. Fowler et al.).
  private static func fingerprint(_ bytes: [UInt8]) -> UInt64 {
    bytes.withUnsafeBufferPointer { $0.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 } }
  }

  private static func markRepeated(_ set: ViewSet, _ looks: [Look], _ faults: inout [Fault?]) {
    var first: [UInt64: Int] = [:]
    for (i, look) in looks.enumerated() where faults[i] == nil {
      if let other = first[look.fingerprint] {
        faults[i] = Fault(kind: .skipped, reason: "the same file as \(set.views[other].name)")
      } else {
        first[look.fingerprint] = i
      }
    }
  }

  /// A picture is blurred when its edges are far softer and weaker than those of most others.
  private static func markBlurred(_ looks: [Look], _ faults: inout [Fault?]) {
    let good = looks.indices.filter { faults[$0] == nil }
    guard good.count >= 5 else { return }
    let acuity = good.map { looks[$0].acuity }.sorted()[good.count / 2]
    let sharpness = good.map { looks[$0].sharpness }.sorted()[good.count / 2]
    for i in good where looks[i].acuity < 0.3 * acuity && looks[i].sharpness < 0.3 * sharpness {
      faults[i] = Fault(kind: .skipped, reason: "blurred: its edges are much softer than those of the other pictures")
    }
  }
}
