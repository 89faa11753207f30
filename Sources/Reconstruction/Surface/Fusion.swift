import CDepth
import Imaging

#if canImport(Glibc)
  import Glibc
#endif

/// One run of the surface stage.
struct Fusion: Sendable {
  private let depth: DepthMaps
  private let silhouettes: [Silhouette]
  private let tableHeight: Double?
  /// Whether masks come from colours alone, as those of pictures that somebody else took.
  private let masksAreByColour: Bool
  private let options: SurfaceStage.Options
  /// Where the surface is looked for.
  private let box: Box3

  /// A field on its grid, with how much was measured at each voxel.
  struct Field {
    var grid: VoxelGrid
    var field: [Float]
    var weight: [Float]
  }

  init(
    depth: DepthMaps, views: ViewSet, masks: ObjectMasks, pictures: ViewPictures, options: SurfaceStage.Options
  ) {
    self.depth = depth
    self.options = options
    tableHeight = views.tableHeight
    masksAreByColour = views.rig == nil
    box = masks.hull?.bounds ?? masks.box
    let chosen = NeighbourChoice.spread(views.views, around: box.centre, count: options.silhouettes)
    silhouettes = Parallel.map(chosen.count, threads: options.threads) { k in
      let i = chosen[k]
      return Silhouette(
        mask: masks.masks[i], lens: pictures.lens(i, level: masks.level),
        cameraFromWorld: views.views[i].cameraFromWorld
      )
    }
  }

  private func grid(voxels: Int) -> VoxelGrid {
    let size = box.max - box.min
    var voxel = cbrt(size.x * size.y * size.z / Double(voxels))
    repeat {
      let candidate = VoxelGrid(box: box, voxel: voxel, margin: 3)
      if candidate.count <= voxels { return candidate }
      voxel *= 1.01
    } while true
  }

  // MARK: the coarse surface

  /// The signed distance from the coarse surface, everywhere in the box.
  func coarseDistance() -> (grid: VoxelGrid, distance: [Float]) {
    let grid = grid(voxels: options.coarseVoxels)
    var active = [UInt8](repeating: 1, count: grid.count)
    let carved = carve(grid, active, limit: 4 * grid.voxel)
    for i in 0..<grid.count where carved[i] > grid.voxel { active[i] = 0 }
    let standsOnTable = tableHeight != nil
    let measured = integrate(grid, active, truncation: 3 * grid.voxel, behind: standsOnTable)
    // unmeasured space inside the hull leans a little towards being empty: of two closings of equal area the smaller
    // body wins, and a body's inside is far too large to be given up for it
    let lean = 0.5 / Float(max(grid.nx, max(grid.ny, grid.nz)))
    var target = [Float](repeating: 1, count: grid.count)
    var pull = [Float](repeating: lean, count: grid.count)
    let facing = visibleHull(grid, carved)
    // few maps say as much about their surface as many do: else least area would win against a sparse ring
    let gain = Float(max(1, 40 / Double(max(1, depth.maps.count))))
    for i in 0..<grid.count {
      if active[i] == 0 || carved[i] > 0.5 * grid.voxel {
        pull[i] = .infinity
        continue
      }
      // just under a part of the hull that cameras look at, and nothing seen through it: more likely full than empty,
      // strongly enough to hold a body that only its silhouettes describe; what is seen through it is believed, but a
      // surface that is seen right there speaks for being full
      var full: Float = facing[i] ? max(0.2, 3 - 12 * max(0, measured.value[i])) : 0
      // what lies between a surface and the table, and was never seen through, is what carries it: a cup's floor stands
      // on something; below a thing whose table nobody knows it would be the cone that hides in its shadow
      if standsOnTable, measured.weight[i] < 0.1 { full = max(full, min(0.6, measured.behind[i])) }
      let weight = gain * measured.weight[i] + full
      if weight > 0 {
        target[i] = (gain * measured.value[i] - full) / weight
        pull[i] += 0.5 * weight
      }
    }
    let flow = LeastArea(grid: grid, target: target, pull: pull, threads: options.threads)
    return (grid, SignedDistance.of(flow.solve(), on: grid))
  }

  /// Which voxels lie in a thin layer under a part of the hull that at least two cameras face.
  private func visibleHull(_ grid: VoxelGrid, _ carved: [Float]) -> [Bool] {
    let centres = silhouettes.map { SIMD3<Float>($0.cameraFromWorld.centre) }
    var facing = [Bool](repeating: false, count: grid.count)
    for z in 1..<grid.nz - 1 {
      for y in 1..<grid.ny - 1 {
        for x in 1..<grid.nx - 1 {
          let i = z * grid.slice + y * grid.nx + x
          guard carved[i] <= 0, carved[i] > -2.5 * grid.voxel else { continue }
          let normal = SIMD3(
            carved[i + 1] - carved[i - 1], carved[i + grid.nx] - carved[i - grid.nx],
            carved[i + grid.slice] - carved[i - grid.slice]
          ).normalized
          let place = grid.position(x, y, z)
          var count = 0
          for centre in centres where (centre - place).normalized.dot(normal) > 0.35 {
            count += 1
            if count == 2 { break }
          }
          facing[i] = count == 2
        }
      }
    }
    return facing
  }

  // MARK: the fine surface

  /// The fine field around the coarse surface.
  func fineField(around coarse: (grid: VoxelGrid, distance: [Float])) -> Field {
    let grid = grid(voxels: options.voxels)
    let prior = resample(coarse, on: grid)
    let band = 1.6 * coarse.grid.voxel
    var active = [UInt8](repeating: 0, count: grid.count)
    for i in 0..<grid.count where prior[i].magnitude < band { active[i] = 1 }
    let carved = carve(grid, active, limit: band)
    let truncation = 4 * grid.voxel
    let measured = integrate(grid, active, truncation: truncation)
    var target = prior
    var pull = measured.weight
    for i in 0..<grid.count {
      guard active[i] != 0 else {
        target[i] = prior[i] < 0 ? -1 : 1
        continue
      }
      let trust: Float = 0.1
      let expected = min(max(prior[i] / truncation, -1), 1)
      let blended = (measured.value[i] + trust * expected) / (measured.weight[i] + trust)
      target[i] = max(blended, min(1, carved[i] / truncation))
      pull[i] += trust
    }
    let field = relax(grid, target: target, pull: pull, active: active, stiffness: 1.5, rounds: 12)
    return Field(grid: grid, field: field, weight: measured.weight)
  }

  private func resample(_ coarse: (grid: VoxelGrid, distance: [Float]), on grid: VoxelGrid) -> [Float] {
    var out = [Float](repeating: 0, count: grid.count)
    out.shared { out in
      coarse.distance.withUnsafeBufferPointer { distance in
        let source = SharedField(base: UnsafeMutablePointer(mutating: distance.baseAddress!))
        Parallel.forEach(grid.nz, threads: options.threads) { z in
          for y in 0..<grid.ny {
            for x in 0..<grid.nx {
              out.base[z * grid.slice + y * grid.nx + x] = coarse.grid.sample(
                source.base, at: grid.position(x, y, z))
            }
          }
        }
      }
    }
    return out
  }

  private func relax(
    _ grid: VoxelGrid, target: [Float], pull: [Float], active: [UInt8], stiffness: Float, rounds: Int
  ) -> [Float] {
    var now = target
    var next = target
    for _ in 0..<rounds {
      now.shared { now in
        next.shared { next in
          onSlices(grid) { z0, z1 in
            var kernel = grid.kernel
            cdepth_relax(&kernel, now.base, target, pull, active, stiffness, next.base, z0, z1)
          }
        }
      }
      swap(&now, &next)
    }
    return now
  }

  // MARK: measurements

  /// What the depth maps say of each voxel, as sums over the maps.
  private struct Measured {
    /// Distances in truncations, weighted.
    var value: [Float]
    var weight: [Float]
    /// Weights of the surfaces that hide the voxel from not far in front of it; without meaning where that was not asked for.
    var behind: [Float]
  }

  private func integrate(
    _ grid: VoxelGrid, _ active: [UInt8], truncation: Float, behind wantsBehind: Bool = false
  ) -> Measured {
    var value = [Float](repeating: 0, count: grid.count)
    var weight = value
    var behind = wantsBehind ? value : [0]
    value.shared { value in
      weight.shared { weight in
        behind.shared { behind in
          onSlices(grid) { z0, z1 in
            var kernel = grid.kernel
            for map in depth.maps {
              map.withKernelMap { map in
                withUnsafePointer(to: map) {
                  cdepth_integrate(
                    &kernel, $0, 1, truncation, active, z0, z1, value.base, weight.base,
                    wantsBehind ? behind.base : nil)
                }
              }
            }
          }
        }
      }
    }
    return Measured(value: value, weight: weight, behind: behind)
  }

  private func carve(_ grid: VoxelGrid, _ active: [UInt8], limit: Float) -> [Float] {
    var distance = [Float](repeating: -limit, count: grid.count)
    let outlines = silhouettes.map(\.distance)
    // as many as may be wrong when the hull is carved; masks that know the room and the disc are better than those that
    // only know colours, and a hole that few views see through is a hole
    let against = masksAreByColour ? Int32(min(Int(CDEPTH_MAX_AGAINST), max(1, silhouettes.count / 20))) : 1
    distance.shared { distance in
      onSlices(grid) { z0, z1 in
        var kernel = grid.kernel
        withAddresses(of: outlines) { outlines in
          let silhouettes = zip(self.silhouettes, outlines).map {
            cdepth_silhouette(camera: cdepth_camera($0.lens, $0.cameraFromWorld), distance: $1)
          }
          cdepth_carve(
            &kernel, silhouettes, Int32(silhouettes.count), against, limit, active, z0, z1, distance.base)
        }
      }
    }
    if let tableHeight {
      // nothing of the object is below what it stands on
      for z in 0..<grid.nz {
        for y in 0..<grid.ny {
          let below = min(Float(tableHeight) + 0.3 - grid.position(0, y, z).y, limit)
          let row = z * grid.slice + y * grid.nx
          for i in row..<row + grid.nx { distance[i] = max(distance[i], below) }
        }
      }
    }
    return distance
  }

  private func onSlices(_ grid: VoxelGrid, _ body: @Sendable (Int32, Int32) -> Void) {
    Parallel.bands(grid.nz, of: 4, threads: options.threads) { body(Int32($0.lowerBound), Int32($0.upperBound)) }
  }
}

extension DepthMap {
  /// Takes the kernel's view of the map for the time of the call.
  func withKernelMap<Value>(_ body: (cdepth_map) -> Value) -> Value {
    depth.pixels.withUnsafeBufferPointer { depth in
      normal.pixels.withUnsafeBytes { normal in
        confidence.pixels.withUnsafeBufferPointer { confidence in
          body(
            cdepth_map(
              camera: cdepth_camera(lens, cameraFromWorld), depth: depth.baseAddress,
              normal: normal.bindMemory(to: Int8.self).baseAddress, confidence: confidence.baseAddress))
        }
      }
    }
  }
}
