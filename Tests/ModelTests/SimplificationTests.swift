import Media
import Testing

import Reconstruction

@Suite struct SimplificationTests {
  @Test func sphereKeepsItsShapeAtATwentiethOfItsTriangles() throws {
    let fine = Shapes.sphere(radius: 50, around: 200, down: 100)
    #expect(fine.volume > 0)
    let (mesh, error) = try Simplification.run(fine, budget: 2000)
    #expect(mesh.triangles.count <= 2000 && mesh.triangles.count > 1800)
    #expect(mesh.isClosed && mesh.euler == 2)
    let radii = mesh.positions.map(\.length)
    #expect(radii.allSatisfy { abs($0 - 50) < 0.05 })
    let middles = mesh.triangles.map { t in
      ((mesh.positions[Int(t.x)] + mesh.positions[Int(t.y)] + mesh.positions[Int(t.z)]) / 3).length
    }
    // a chord of a 2000-triangle sphere stays 0.16 % within it on average; nothing may be five times as far
    #expect(middles.min()! > 49.6)
    #expect(error > 0 && error < 0.5)
  }

  @Test func torusKeepsItsHole() throws {
    let fine = Shapes.torus(radius: 40, tube: 12, around: 200, across: 80)
    #expect(fine.volume > 0 && fine.euler == 0)
    let (mesh, _) = try Simplification.run(fine, budget: 1500)
    #expect(mesh.isClosed && mesh.euler == 0)
    // vertices stay on the surface, so chords lie within it: 1.3 % here
    #expect(abs(mesh.volume / fine.volume - 1) < 0.015)
  }

  @Test func repairLeavesOneManifoldSurface() {
    var mesh = Shapes.box(half: [1, 1, 1], steps: 2)
    let clean = mesh.triangles.count
    mesh.triangles.append(mesh.triangles[3])  // twice
    mesh.triangles.append([mesh.triangles[5].y, mesh.triangles[5].y, mesh.triangles[5].z])  // no area
    mesh.triangles.append([0, 1, 9999])  // out of range
    mesh.positions.append([.nan, 0, 0])
    mesh.triangles.append([0, 1, UInt32(mesh.positions.count - 1)])  // nowhere
    let repaired = MeshRepair.cleaned(mesh)
    #expect(repaired.triangles.count == clean)
    #expect(repaired.isClosed && repaired.euler == 2)
  }

  @Test func surfacesThatTouchInAPointComeApart() {
    var mesh = Shapes.box(half: [1, 1, 1], steps: 1)
    let count = UInt32(mesh.positions.count)
    mesh.positions += mesh.positions.map { $0 + [2, 2, 2] }
    mesh.triangles += mesh.triangles.map { $0 &+ count }
    let repaired = MeshRepair.cleaned(mesh)
    // welding joins the common corner, separating gives each box its own again
    #expect(repaired.positions.count == 16)
    #expect(repaired.euler == 4)
  }

  @Test func nothingIsAnErrorThatSaysSo() {
    #expect(throws: ReconstructionError.self) { try Simplification.run(TriangleMesh(), budget: 100) }
  }
}
