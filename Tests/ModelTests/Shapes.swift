import Foundation
import Imaging
import Media

/// Meshes whose geometry is known exactly.
enum Shapes {
  /// A closed torus about y.
  static func torus(radius: Float, tube: Float, around: Int, across: Int) -> TriangleMesh {
    grid(around, across, wrapsDown: true) { u, v in
      let a = 2 * Float.pi * u
      let b = 2 * Float.pi * v
      let r = radius + tube * cos(b)
      return SIMD3(r * cos(a), tube * sin(b), -r * sin(a))
    }
  }

  /// A closed sphere of bands, its radius varied by `bump`.
  static func sphere(
    radius: Float, around: Int, down: Int, bump: (SIMD3<Float>) -> Float = { _ in 0 }
  ) -> TriangleMesh {
    var mesh = TriangleMesh()
    func place(_ d: SIMD3<Float>) -> SIMD3<Float> { d * (radius + bump(d)) }
    mesh.positions.append(place([0, 1, 0]))
    for j in 1..<down {
      let polar = Float.pi * Float(j) / Float(down)
      for i in 0..<around {
        let a = 2 * Float.pi * Float(i) / Float(around)
        mesh.positions.append(place([sin(polar) * cos(a), cos(polar), -sin(polar) * sin(a)]))
      }
    }
    mesh.positions.append(place([0, -1, 0]))
    func at(_ i: Int, _ j: Int) -> UInt32 { UInt32(1 + (j - 1) * around + i % around) }
    let last = UInt32(mesh.positions.count - 1)
    for i in 0..<around {
      mesh.triangles.append([0, at(i, 1), at(i + 1, 1)])
      for j in 1..<down - 1 {
        mesh.triangles.append([at(i, j), at(i, j + 1), at(i + 1, j + 1)])
        mesh.triangles.append([at(i, j), at(i + 1, j + 1), at(i + 1, j)])
      }
      mesh.triangles.append([last, at(i + 1, down - 1), at(i, down - 1)])
    }
    return mesh
  }

  /// A closed box around the origin, each side a grid of `steps`² squares; corners are shared.
  static func box(half: SIMD3<Float>, steps: Int) -> TriangleMesh {
    var mesh = TriangleMesh()
    var known: [SIMD3<Int>: UInt32] = [:]
    func corner(_ p: SIMD3<Int>) -> UInt32 {
      if let index = known[p] { return index }
      known[p] = UInt32(mesh.positions.count)
      mesh.positions.append((SIMD3<Float>(p) / Float(steps) * 2 - 1) * half)
      return known[p]!
    }
    for axis in 0..<3 {
      for side in [0, steps] {
        for i in 0..<steps {
          for j in 0..<steps {
            func at(_ u: Int, _ v: Int) -> UInt32 {
              var p = SIMD3<Int>()
              p[axis] = side
              p[(axis + 1) % 3] = i + u
              p[(axis + 2) % 3] = j + v
              return corner(p)
            }
            let quad = [at(0, 0), at(1, 0), at(1, 1), at(0, 1)]
            let order = side == steps ? [0, 1, 2, 3] : [0, 3, 2, 1]
            mesh.triangles.append([quad[order[0]], quad[order[1]], quad[order[2]]])
            mesh.triangles.append([quad[order[0]], quad[order[2]], quad[order[3]]])
          }
        }
      }
    }
    return mesh
  }

  /// A floor of `size`² at y = 0 with a wall of height `height` along its edge at z = 0.
  static func floorAndWall(size: Float, height: Float, steps: Int) -> TriangleMesh {
    var mesh = sheet(steps) { u, v in SIMD3(size * (u - 0.5), 0, size * v) }
    let wall = sheet(steps) { u, v in SIMD3(size * (u - 0.5), height * (1 - v), 0) }
    let base = UInt32(mesh.positions.count)
    mesh.positions += wall.positions
    mesh.triangles += wall.triangles.map { $0 &+ base }
    return mesh
  }

  private static func sheet(_ steps: Int, _ place: (Float, Float) -> SIMD3<Float>) -> TriangleMesh {
    var mesh = TriangleMesh()
    for j in 0...steps {
      for i in 0...steps { mesh.positions.append(place(Float(i) / Float(steps), Float(j) / Float(steps))) }
    }
    func at(_ i: Int, _ j: Int) -> UInt32 { UInt32(j * (steps + 1) + i) }
    for j in 0..<steps {
      for i in 0..<steps {
        mesh.triangles.append([at(i, j), at(i, j + 1), at(i + 1, j + 1)])
        mesh.triangles.append([at(i, j), at(i + 1, j + 1), at(i + 1, j)])
      }
    }
    return mesh
  }

  private static func grid(
    _ around: Int, _ across: Int, wrapsDown: Bool, _ place: (Float, Float) -> SIMD3<Float>
  ) -> TriangleMesh {
    var mesh = TriangleMesh()
    for i in 0..<around {
      for j in 0..<across { mesh.positions.append(place(Float(i) / Float(around), Float(j) / Float(across))) }
    }
    func at(_ i: Int, _ j: Int) -> UInt32 { UInt32(i % around * across + j % across) }
    for i in 0..<around {
      for j in 0..<across {
        mesh.triangles.append([at(i, j), at(i + 1, j), at(i + 1, j + 1)])
        mesh.triangles.append([at(i, j), at(i + 1, j + 1), at(i, j + 1)])
      }
    }
    return mesh
  }
}

extension TriangleMesh {
  /// Vertices - edges + triangles: 2 for a sphere, 0 for a torus.
  var euler: Int {
    var edges: Set<SIMD2<UInt32>> = []
    var used: Set<UInt32> = []
    for t in triangles {
      for k in 0..<3 {
        let a = t[k]
        let b = t[(k + 1) % 3]
        edges.insert([min(a, b), max(a, b)])
        used.insert(a)
      }
    }
    return used.count - edges.count + triangles.count
  }

  /// Whether every edge has exactly one triangle on either side.
  var isClosed: Bool {
    var balance: [SIMD2<UInt32>: Int] = [:]
    for t in triangles {
      for k in 0..<3 { balance[[t[k], t[(k + 1) % 3]], default: 0] += 1 }
    }
    return balance.allSatisfy { $0.value == 1 && balance[[$0.key.y, $0.key.x]] == 1 }
  }

  /// The signed volume: positive where triangles face outwards.
  var volume: Float {
    triangles.reduce(0) { sum, t in
      sum + positions[Int(t.x)].dot(positions[Int(t.y)].cross(positions[Int(t.z)])) / 6
    }
  }
}
