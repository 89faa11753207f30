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
  /// So many degrees of azimuth beside the middle of a sector a pair still shows what is to be seen from there: stops up
  /// to twice as far apart cover the whole ring.
  static let reach = 12.0
  /// The elevation that counts for a head set by hand, whose pose is unknown while capturing.
  static let handSetElevation = 48.0

  /// One side of the object.
  public struct Dial: Sendable, Hashable {
    /// Pairs in ring × sector, ring by ring from the lowest.
    public private(set) var counts = [Int](repeating: 0, count: Coverage.rings.count * Coverage.sectors)
    private var seen = [Bool](repeating: false, count: Coverage.rings.count * Coverage.sectors)

    /// Pairs in one cell.
    public subscript(ring: Int, sector: Int) -> Int { counts[ring * Coverage.sectors + sector] }
    /// Whether a cell's direction has a pair near enough.
    public func isCovered(_ ring: Int, _ sector: Int) -> Bool { seen[ring * Coverage.sectors + sector] }
    /// Rings that have any pair: those that the scan is after.
    public var ringsInUse: [Int] {
      (0..<Coverage.rings.count).filter { ring in (0..<Coverage.sectors).contains { self[ring, $0] > 0 } }
    }
    /// Cells covered in the rings in use.
    public var covered: Int {
      ringsInUse.reduce(0) { sum, ring in sum + (0..<Coverage.sectors).count { isCovered(ring, $0) } }
    }
    /// Cells in the rings in use, or of one ring while there is none.
    public var wanted: Int { max(1, ringsInUse.count) * Coverage.sectors }

    /// Counts a pair from an azimuth in degrees.
    mutating func add(ring: Int, azimuth: Double) {
      let width = 360 / Double(Coverage.sectors)
      let place = (azimuth / width).rounded(.down)
      let sector = (Int(place) % Coverage.sectors + Coverage.sectors) % Coverage.sectors
      counts[ring * Coverage.sectors + sector] += 1
      for step in -1...1 {
        let middle = (place + Double(step) + 0.5) * width
        guard abs(azimuth - middle) <= Coverage.reach else { continue }
        seen[ring * Coverage.sectors + (sector + step + Coverage.sectors) % Coverage.sectors] = true
      }
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
    let offset = camera - (box?.box.centre ?? SIMD3(0, 40, 0))
    let azimuth = atan2(offset.x, offset.z) * 180 / .pi
    let elevation =
      isHandSet
      ? Self.handSetElevation
      : atan2(offset.y, (offset.x * offset.x + offset.z * offset.z).squareRoot()) * 180 / .pi
    let ring = Self.rings.lastIndex { elevation >= $0 } ?? 0
    pictures += 1
    if isFlipped {
      flipped = flipped ?? Dial()
      flipped?.add(ring: ring, azimuth: azimuth)
    } else {
      upright.add(ring: ring, azimuth: azimuth)
    }
  }

  /// The rings that the scan is after, on each side. A direction with a pair near it has enough: that is two pictures.
  public var summary: CoverageSummary {
    let dials = [upright, flipped].compactMap { $0 }
    return CoverageSummary(
      covered: dials.reduce(0) { $0 + $1.covered }, of: dials.reduce(0) { $0 + $1.wanted }, pictures: pictures)
  }

  /// Whether some direction has far more than it needs.
  var isOverdone: Bool {
    [upright, flipped].compactMap { $0 }.contains { dial in dial.counts.contains { $0 > 6 } }
  }
}
