import Imaging
import Session

#if canImport(Glibc)
  import Glibc
#endif

/// How much of the directions around the object has enough pictures.
public struct CoverageSummary: Sendable, Hashable {
  /// Sectors with enough pictures.
  public var covered: Int
  /// All sectors of the dial.
  public var of: Int
  /// Pairs counted.
  public var pictures: Int

  /// The covered share, 0…1.
  public var fraction: Double { of > 0 ? Double(covered) / Double(of) : 0 }
}

/// The capture dial: from which directions the object has been photographed, in sectors of azimuth and rings of elevation.
///
/// A pass after a flip has a dial of its own, because how the object lies is only known once it is reconstructed; the
/// two dials show its two sides.
public struct Coverage: Sendable, Hashable {
  /// Sectors of azimuth in a ring.
  public static let sectors = 24
  /// Lower edges of the rings in degrees of elevation; the last ring ends at the pole.
  public static let rings = [0.0, 18, 38, 58]
  /// The elevation that counts for a head set by hand, whose pose is unknown while capturing.
  static let handSetElevation = 48.0

  /// One side of the object.
  public struct Dial: Sendable, Hashable {
    /// Pairs in ring × sector, ring by ring from the lowest.
    public var counts = [Int](repeating: 0, count: Coverage.rings.count * Coverage.sectors)
    /// Pairs in one cell.
    public subscript(ring: Int, sector: Int) -> Int { counts[ring * Coverage.sectors + sector] }
    /// Rings that have any pair: those that the scan is after.
    public var ringsInUse: [Int] {
      (0..<Coverage.rings.count).filter { ring in (0..<Coverage.sectors).contains { self[ring, $0] > 0 } }
    }
  }

  /// The object as it stood first.
  public private(set) var upright = Dial()
  /// The object turned over.
  public private(set) var flipped: Dial?
  /// Pairs counted.
  public private(set) var pictures = 0

  /// Nothing yet.
  public init() {}

  /// The coverage of a session as replayed.
  public init(_ contents: SessionContents) {
    for shot in contents.shots {
      add(shot, passes: contents.passes, geometry: contents.manifest.geometry, box: contents.boxes[shot.pass])
    }
  }

  /// Counts a shot of a pass in `passes`.
  mutating func add(_ shot: ShotRecord, passes: [PassRecord], geometry: RigGeometry, box: BoxRecord?) {
    let before = passes.filter { $0.index <= shot.pass }
    let isFlipped = before.reduce(false) { $1.kind == .flip ? !$0 : $0 }
    let isHandSet = before.contains { $0.kind == .height }
    let camera = geometry.leftFromObject(
      turntable: shot.axes.turntable, pan: shot.axes.pan, tilt: shot.axes.tilt
    ).centre
    let offset = camera - (box?.centre ?? SIMD3(0, 40, 0))
    let azimuth = atan2(offset.x, offset.z) * 180 / .pi
    let elevation =
      isHandSet
      ? Self.handSetElevation
      : atan2(offset.y, (offset.x * offset.x + offset.z * offset.z).squareRoot()) * 180 / .pi
    let sector = Int(((azimuth + 720) / (360 / Double(Self.sectors))).rounded(.down)) % Self.sectors
    let ring = Self.rings.lastIndex { elevation >= $0 } ?? 0
    pictures += 1
    if isFlipped {
      flipped = flipped ?? Dial()
      flipped?.counts[ring * Self.sectors + sector] += 1
    } else {
      upright.counts[ring * Self.sectors + sector] += 1
    }
  }

  /// The rings that the scan is after, on each side. A sector with a pair has enough: that is two pictures.
  public var summary: CoverageSummary {
    var summary = CoverageSummary(covered: 0, of: 0, pictures: pictures)
    for dial in [upright, flipped].compactMap({ $0 }) {
      let rings = dial.ringsInUse
      summary.of += max(1, rings.count) * Self.sectors
      for ring in rings { for sector in 0..<Self.sectors where dial[ring, sector] > 0 { summary.covered += 1 } }
    }
    return summary
  }

  /// Whether some direction has far more than it needs.
  var isOverdone: Bool {
    [upright, flipped].compactMap { $0 }.contains { dial in dial.counts.contains { $0 > 6 } }
  }
}
