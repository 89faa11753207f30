import Imaging
import Media

// How each stage's result is kept.

extension TriangleMesh: Archivable {
  func write(to archive: inout ArchiveWriter) throws(ReconstructionError) {
    archive.put(positions)
    archive.put(triangles)
    archive.put(normals)
    archive.put(uvs)
    archive.put(colours)
  }

  init(from archive: inout ArchiveReader) throws(ArchiveDamage) {
    self.init()
    positions = try archive.values(of: SIMD3<Float>.self)
    triangles = try archive.values(of: SIMD3<UInt32>.self)
    normals = try archive.values(of: SIMD3<Float>.self)
    uvs = try archive.values(of: SIMD2<Float>.self)
    colours = try archive.values(of: SIMD3<UInt8>.self)
  }
}

extension FineSurface: Archivable {
  func write(to archive: inout ArchiveWriter) throws(ReconstructionError) {
    try mesh.write(to: &archive)
    archive.put(confidence)
    archive.put(isSeen.map { $0 ? UInt8(1) : 0 })
  }

  init(from archive: inout ArchiveReader) throws(ArchiveDamage) {
    self.init(mesh: try TriangleMesh(from: &archive), confidence: [], isSeen: [])
    confidence = try archive.values(of: Float.self)
    isSeen = try archive.values(of: UInt8.self).map { $0 != 0 }
  }
}

extension RGBImage: Archivable {
  func write(to archive: inout ArchiveWriter) throws(ReconstructionError) {
    archive.put([width, height])
    archive.put(bytes)
  }

  init(from archive: inout ArchiveReader) throws(ArchiveDamage) {
    let size = try archive.values(of: Int.self)
    let bytes = try archive.values(of: UInt8.self)
    guard size.count == 2, size[0] >= 0, size[1] >= 0, size[0] < 1 << 20, size[1] < 1 << 20,
      bytes.count == 3 * size[0] * size[1]
    else { throw ArchiveDamage() }
    self.init(width: size[0], height: size[1], bytes: bytes)
  }
}

extension Plane: Archivable {
  func write(to archive: inout ArchiveWriter) throws(ReconstructionError) {
    archive.put([width, height])
    archive.put(pixels)
  }

  init(from archive: inout ArchiveReader) throws(ArchiveDamage) {
    let size = try archive.values(of: Int.self)
    let pixels = try archive.values(of: Pixel.self)
    guard size.count == 2, size[0] >= 0, size[1] >= 0, size[0] < 1 << 20, size[1] < 1 << 20,
      pixels.count == size[0] * size[1]
    else { throw ArchiveDamage() }
    self.init(width: size[0], height: size[1], pixels: pixels)
  }
}

extension DepthMaps: Archivable {
  /// Depth maps are kept without the pixels that found nothing: most of them.
  func write(to archive: inout ArchiveWriter) throws(ReconstructionError) {
    archive.put([maps.count])
    for map in maps {
      let found = map.depth.pixels.indices.filter { map.depth.pixels[$0] != 0 }
      archive.put([map.view, map.depth.width, map.depth.height])
      try archive.put(coded: map.lens)
      try archive.put(coded: map.cameraFromWorld)
      archive.put(found.map { UInt32($0) })
      archive.put(found.map { map.depth.pixels[$0] })
      archive.put(found.map { map.normal.pixels[$0] })
      archive.put(found.map { map.confidence.pixels[$0] })
    }
  }

  init(from archive: inout ArchiveReader) throws(ArchiveDamage) {
    guard let count = try archive.values(of: Int.self).first, count >= 0 else { throw ArchiveDamage() }
    var maps: [DepthMap] = []
    for _ in 0..<count { maps.append(try DepthMap(from: &archive)) }
    self.init(maps: maps)
  }
}

extension DepthMap {
  fileprivate init(from archive: inout ArchiveReader) throws(ArchiveDamage) {
    let head = try archive.values(of: Int.self)
    let lens = try archive.coded(Lens.self)
    let pose = try archive.coded(RigidTransform.self)
    let places = try archive.values(of: UInt32.self)
    let depths = try archive.values(of: Float.self)
    let normals = try archive.values(of: SIMD3<Int8>.self)
    let confidences = try archive.values(of: UInt8.self)
    guard head.count == 3, (0..<1 << 16).contains(head[1]), (0..<1 << 16).contains(head[2]),
      places.allSatisfy({ Int($0) < head[1] * head[2] }),
      depths.count == places.count, normals.count == places.count, confidences.count == places.count
    else { throw ArchiveDamage() }
    self.init(
      view: head[0], lens: lens, cameraFromWorld: pose, depth: FloatPlane(width: head[1], height: head[2], fill: 0),
      normal: Plane(width: head[1], height: head[2], fill: .zero),
      confidence: GrayImage(width: head[1], height: head[2], fill: 0))
    for (i, place) in places.enumerated() {
      depth.pixels[Int(place)] = depths[i]
      normal.pixels[Int(place)] = normals[i]
      confidence.pixels[Int(place)] = confidences[i]
    }
  }
}

/// The simplified mesh and its atlas.
struct CutModel: Archivable, Sendable {
  /// The mesh before cutting.
  var mesh: TriangleMesh
  /// The mesh cut into charts.
  var atlas: Atlas
  /// How far simplification went from the surface, in the world's unit.
  var error: Float

  init(mesh: TriangleMesh, atlas: Atlas, error: Float) {
    self.mesh = mesh
    self.atlas = atlas
    self.error = error
  }

  func write(to archive: inout ArchiveWriter) throws(ReconstructionError) {
    try mesh.write(to: &archive)
    try atlas.mesh.write(to: &archive)
    archive.put(atlas.origin)
    archive.put(atlas.chart)
    archive.put([Double(atlas.size), atlas.scale, Double(error)])
  }

  init(from archive: inout ArchiveReader) throws(ArchiveDamage) {
    mesh = try TriangleMesh(from: &archive)
    let cut = try TriangleMesh(from: &archive)
    let origin = try archive.values(of: UInt32.self)
    let chart = try archive.values(of: Int32.self)
    let numbers = try archive.values(of: Double.self)
    guard numbers.count == 3 else { throw ArchiveDamage() }
    atlas = Atlas(mesh: cut, origin: origin, chart: chart, size: Int(numbers[0]), scale: numbers[1])
    error = Float(numbers[2])
  }
}

extension TextureStage.Result: Archivable {
  func write(to archive: inout ArchiveWriter) throws(ReconstructionError) {
    try diffuse.write(to: &archive)
    archive.put([unseen, Double(viewsUsed)])
  }

  init(from archive: inout ArchiveReader) throws(ArchiveDamage) {
    diffuse = try RGBImage(from: &archive)
    let numbers = try archive.values(of: Double.self)
    guard numbers.count == 2 else { throw ArchiveDamage() }
    unseen = numbers[0]
    viewsUsed = Int(numbers[1])
  }
}

extension BakeStage.Result: Archivable {
  func write(to archive: inout ArchiveWriter) throws(ReconstructionError) {
    try normal.write(to: &archive)
    try occlusion.write(to: &archive)
  }

  init(from archive: inout ArchiveReader) throws(ArchiveDamage) {
    normal = try RGBImage(from: &archive)
    occlusion = try GrayImage(from: &archive)
  }
}

extension ObjectMasks: Archivable {
  func write(to archive: inout ArchiveWriter) throws(ReconstructionError) {
    archive.put([level, masks.count, hull == nil ? 0 : 1])
    try archive.put(coded: box)
    for mask in masks { try mask.write(to: &archive) }
    if let hull {
      archive.put([hull.origin.x, hull.origin.y, hull.origin.z, hull.cell])
      archive.put([hull.nx, hull.ny, hull.nz])
      archive.put(hull.occupied)
    }
  }

  init(from archive: inout ArchiveReader) throws(ArchiveDamage) {
    let head = try archive.values(of: Int.self)
    guard head.count == 3 else { throw ArchiveDamage() }
    let box = try archive.coded(Box3.self)
    var masks: [GrayImage] = []
    for _ in 0..<head[1] { masks.append(try GrayImage(from: &archive)) }
    self.init(masks: masks, level: head[0], hull: head[2] == 0 ? nil : try VoxelHull(from: &archive), box: box)
  }
}

extension VoxelHull {
  fileprivate init(from archive: inout ArchiveReader) throws(ArchiveDamage) {
    let place = try archive.values(of: Double.self)
    let size = try archive.values(of: Int.self)
    let occupied = try archive.values(of: UInt8.self)
    guard place.count == 4, size.count == 3, size.allSatisfy({ (0...1024).contains($0) }),
      occupied.count == size[0] * size[1] * size[2]
    else { throw ArchiveDamage() }
    self.init(
      origin: SIMD3(place[0], place[1], place[2]), cell: place[3], nx: size[0], ny: size[1], nz: size[2], fill: 0)
    self.occupied = occupied
  }
}

extension PoseResult: Archivable {
  func write(to archive: inout ArchiveWriter) throws(ReconstructionError) {
    try archive.put(coded: views)
    try masks.write(to: &archive)
    archive.put(originals)
    archive.put(points.map(\.position))
    archive.put(points.map(\.colour))
    archive.put(points.map { UInt32($0.views.count) })
    archive.put(points.flatMap { $0.views.map { UInt32($0) } })
    try archive.put(coded: registrations)
    try archive.put(coded: statistics)
  }

  init(from archive: inout ArchiveReader) throws(ArchiveDamage) {
    let views = try archive.coded(ViewSet.self)
    let masks = try ObjectMasks(from: &archive)
    let originals = try archive.values(of: Int.self)
    let positions = try archive.values(of: SIMD3<Double>.self)
    let colours = try archive.values(of: SIMD3<UInt8>.self)
    let counts = try archive.values(of: UInt32.self)
    let seen = try archive.values(of: UInt32.self).map { Int($0) }
    guard colours.count == positions.count, counts.count == positions.count,
      counts.reduce(0, { $0 + Int($1) }) == seen.count, masks.masks.count == views.views.count,
      seen.allSatisfy({ $0 < views.views.count })
    else { throw ArchiveDamage() }
    var points: [SparsePoint] = []
    var next = 0
    for i in positions.indices {
      let end = next + Int(counts[i])
      points.append(SparsePoint(position: positions[i], colour: colours[i], views: Array(seen[next..<end])))
      next = end
    }
    self.init(
      views: views, masks: masks, originals: originals, points: points,
      registrations: try archive.coded([PassRegistration].self), statistics: try archive.coded(PoseStatistics.self))
  }
}
