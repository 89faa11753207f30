import Imaging
import Media

/// Writes numbers and arrays of plain values one after the other, as the memory of a little-endian machine holds them.
struct ArrayWriter {
  private(set) var bytes: [UInt8] = []

  mutating func write<Value: BitwiseCopyable>(_ value: Value) {
    withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
  }

  mutating func write<Value: BitwiseCopyable>(_ array: [Value]) {
    write(UInt64(array.count))
    array.withUnsafeBytes { bytes.append(contentsOf: $0) }
  }
}

/// Reads what `ArrayWriter` wrote. Whatever the bytes are, it ends in an error and never in a trap.
struct ArrayReader {
  private let bytes: [UInt8]
  private var place = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Whether everything has been read.
  var isAtEnd: Bool { place == bytes.count }

  private mutating func take(_ count: Int) throws(ReconstructionError) -> Range<Int> {
    guard count >= 0, count <= bytes.count - place else {
      throw ReconstructionError(.invalidInput, "the stored result is cut short or damaged")
    }
    defer { place += count }
    return place..<place + count
  }

  mutating func read<Value: BitwiseCopyable>(_ type: Value.Type) throws(ReconstructionError) -> Value {
    let range = try take(MemoryLayout<Value>.size)
    return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: range.lowerBound, as: type) }
  }

  /// Reads an array, which must have `count` elements where that is given.
  mutating func readArray<Value: BitwiseCopyable>(
    of type: Value.Type, count expected: Int? = nil
  ) throws(ReconstructionError) -> [Value] {
    let count = try read(UInt64.self)
    let stride = MemoryLayout<Value>.stride
    guard count <= UInt64(bytes.count / stride), expected == nil || UInt64(expected!) == count else {
      throw ReconstructionError(.invalidInput, "the stored result is damaged: an array of \(count) elements")
    }
    let range = try take(Int(count) * stride)
    return [Value](unsafeUninitializedCapacity: Int(count)) { target, initialized in
      bytes.withUnsafeBytes { source in
        UnsafeMutableRawBufferPointer(target).copyMemory(from: UnsafeRawBufferPointer(rebasing: source[range]))
      }
      initialized = Int(count)
    }
  }
}

/// The first bytes of a stored result and the layout's number.
private let depthMagic: UInt64 = 0x3130_504D_4452_5754
private let surfaceMagic: UInt64 = 0x3130_4653_4652_5754

extension DepthMaps {
  /// The maps as bytes, for a checkpoint; read back by `init(stored:)` on a machine of the same byte order.
  public var stored: [UInt8] {
    var writer = ArrayWriter()
    writer.write(depthMagic)
    writer.write(UInt32(maps.count))
    for map in maps {
      writer.write(UInt32(map.view))
      writer.write(UInt32(map.lens.width))
      writer.write(UInt32(map.lens.height))
      for number in [map.lens.fx, map.lens.fy, map.lens.cx, map.lens.cy] { writer.write(number) }
      let r = map.cameraFromWorld.rotation
      for row in [r.row0, r.row1, r.row2, map.cameraFromWorld.translation] {
        for axis in 0..<3 { writer.write(row[axis]) }
      }
      writer.write(map.depth.pixels)
      writer.write(map.normal.pixels.flatMap { [$0.x, $0.y, $0.z] })
      writer.write(map.confidence.pixels)
    }
    return writer.bytes
  }

  /// Maps from stored bytes. Throws `.invalidInput` where these are damaged.
  public init(stored bytes: [UInt8]) throws(ReconstructionError) {
    var reader = ArrayReader(bytes)
    guard try reader.read(UInt64.self) == depthMagic else {
      throw ReconstructionError(.invalidInput, "not stored depth maps of this version")
    }
    maps = []
    for _ in 0..<(try reader.read(UInt32.self)) { maps.append(try DepthMap(&reader)) }
    guard reader.isAtEnd else {
      throw ReconstructionError(.invalidInput, "the stored depth maps have bytes left over")
    }
  }
}

extension DepthMap {
  fileprivate init(_ reader: inout ArrayReader) throws(ReconstructionError) {
    view = Int(try reader.read(UInt32.self))
    let (width, height) = (Int(try reader.read(UInt32.self)), Int(try reader.read(UInt32.self)))
    guard width <= 1 << 16, height <= 1 << 16 else {
      throw ReconstructionError(.invalidInput, "the stored depth maps are damaged: \(width)×\(height) pixels")
    }
    func number(_ reader: inout ArrayReader) throws(ReconstructionError) -> Double { try reader.read(Double.self) }
    func vector(_ reader: inout ArrayReader) throws(ReconstructionError) -> SIMD3<Double> {
      SIMD3(try number(&reader), try number(&reader), try number(&reader))
    }
    lens = Lens(
      width: width, height: height, fx: try number(&reader), fy: try number(&reader), cx: try number(&reader),
      cy: try number(&reader))
    cameraFromWorld = RigidTransform(
      rotation: Matrix3(try vector(&reader), try vector(&reader), try vector(&reader)),
      translation: try vector(&reader))
    let count = width * height
    depth = FloatPlane(width: width, height: height, pixels: try reader.readArray(of: Float.self, count: count))
    let n = try reader.readArray(of: Int8.self, count: 3 * count)
    normal = Plane(
      width: width, height: height, pixels: (0..<count).map { SIMD3(n[3 * $0], n[3 * $0 + 1], n[3 * $0 + 2]) })
    confidence = GrayImage(width: width, height: height, pixels: try reader.readArray(of: UInt8.self, count: count))
  }
}

extension FineSurface {
  /// The surface as bytes, for a checkpoint; read back by `init(stored:)` on a machine of the same byte order.
  public var stored: [UInt8] {
    var writer = ArrayWriter()
    writer.write(surfaceMagic)
    writer.write(mesh.positions.flatMap { [$0.x, $0.y, $0.z] })
    writer.write(mesh.normals.flatMap { [$0.x, $0.y, $0.z] })
    writer.write(mesh.triangles.flatMap { [$0.x, $0.y, $0.z] })
    writer.write(confidence)
    writer.write(isSeen.map { $0 ? UInt8(1) : 0 })
    return writer.bytes
  }

  /// A surface from stored bytes. Throws `.invalidInput` where these are damaged.
  public init(stored bytes: [UInt8]) throws(ReconstructionError) {
    var reader = ArrayReader(bytes)
    guard try reader.read(UInt64.self) == surfaceMagic else {
      throw ReconstructionError(.invalidInput, "not a stored surface of this version")
    }
    func triples<Value: BitwiseCopyable>(_ flat: [Value]) -> [SIMD3<Value>] where Value: SIMDScalar {
      (0..<flat.count / 3).map { SIMD3(flat[3 * $0], flat[3 * $0 + 1], flat[3 * $0 + 2]) }
    }
    let positions = triples(try reader.readArray(of: Float.self))
    let normals = triples(try reader.readArray(of: Float.self, count: 3 * positions.count))
    let triangles = triples(try reader.readArray(of: UInt32.self))
    confidence = try reader.readArray(of: Float.self, count: positions.count)
    isSeen = try reader.readArray(of: UInt8.self, count: positions.count).map { $0 != 0 }
    guard reader.isAtEnd, triangles.allSatisfy({ Int($0.max()) < positions.count }) else {
      throw ReconstructionError(.invalidInput, "the stored surface is damaged")
    }
    mesh = TriangleMesh(positions: positions, triangles: triangles, normals: normals)
  }
}
