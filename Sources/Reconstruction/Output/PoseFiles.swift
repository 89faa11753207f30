import Imaging

/// Cameras as text: our own table, and a COLMAP text model (https://colmap.github.io/format.html).
enum PoseFiles {
  /// One line a view: name, pass, stop, side, picture size, fx fy cx cy k1 k2 p1 p2 k3 (pixel centres at whole numbers), then
  /// the rows of cameraFromWorld's rotation and its translation.
  static func table(_ views: ViewSet) -> String {
    var text =
      "name\tpass\tstop\tside\twidth\theight\tfx\tfy\tcx\tcy\tk1\tk2\tp1\tp2\tk3"
      + "\tr11\tr12\tr13\tr21\tr22\tr23\tr31\tr32\tr33\tt1\tt2\tt3\n"
    for v in views.views {
      let l = v.lens
      let r = v.cameraFromWorld.rotation
      let t = v.cameraFromWorld.translation
      let numbers = [
        l.fx, l.fy, l.cx, l.cy, l.k1, l.k2, l.p1, l.p2, l.k3, r.row0.x, r.row0.y, r.row0.z, r.row1.x, r.row1.y,
        r.row1.z,
        r.row2.x, r.row2.y, r.row2.z, t.x, t.y, t.z
      ]
      text += "\(v.name)\t\(v.pass)\t\(v.stop)\t\(v.side)\t\(l.width)\t\(l.height)\t"
      text += numbers.map { "\($0)" }.joined(separator: "\t") + "\n"
    }
    return text
  }

  /// `cameras.txt`: one camera for each different lens, 1, 2, …
  static func colmapCameras(_ views: ViewSet) -> String {
    var text = "# CAMERA_ID MODEL WIDTH HEIGHT PARAMS[]\n"
    for (i, lens) in lenses(views).enumerated() {
      // COLMAP's pixel centres are at halves
      var numbers = [lens.fx, lens.fy, lens.cx + 0.5, lens.cy + 0.5]
      let model: String
      if !lens.isDistorted {
        model = "PINHOLE"
      } else if lens.k3 == 0 {
        model = "OPENCV"
        numbers += [lens.k1, lens.k2, lens.p1, lens.p2]
      } else {
        model = "FULL_OPENCV"
        numbers += [lens.k1, lens.k2, lens.p1, lens.p2, lens.k3, 0, 0, 0]
      }
      text += "\(i + 1) \(model) \(lens.width) \(lens.height) " + numbers.map { "\($0)" }.joined(separator: " ") + "\n"
    }
    return text
  }

  /// `images.txt`: two lines a view, the second (points) empty.
  static func colmapImages(_ views: ViewSet) -> String {
    let lenses = lenses(views)
    var text = "# IMAGE_ID QW QX QY QZ TX TY TZ CAMERA_ID NAME, then POINTS2D[]\n"
    for v in views.views {
      let q = quaternion(v.cameraFromWorld.rotation)
      let t = v.cameraFromWorld.translation
      let camera = lenses.firstIndex(of: v.lens)! + 1
      text += "\(v.index + 1) \(q.w) \(q.x) \(q.y) \(q.z) \(t.x) \(t.y) \(t.z) \(camera) \(v.name)\n\n"
    }
    return text
  }

  /// `points3D.txt`: place and colour; tracks are left out.
  static func colmapPoints(_ points: [SparsePoint]) -> String {
    var text = "# POINT3D_ID X Y Z R G B ERROR TRACK[]\n"
    for (i, p) in points.enumerated() {
      text += "\(i + 1) \(p.position.x) \(p.position.y) \(p.position.z) \(p.colour.x) \(p.colour.y) \(p.colour.z) 0\n"
    }
    return text
  }

  private static func lenses(_ views: ViewSet) -> [Lens] {
    var seen: Set<Lens> = []
    return views.views.map(\.lens).filter { seen.insert($0).inserted }
  }

  /// The unit quaternion of a rotation, w first, by the largest of its parts (S. Shepperd, 1978).
  static func quaternion(_ r: Matrix3) -> (w: Double, x: Double, y: Double, z: Double) {
    let trace = r.row0.x + r.row1.y + r.row2.z
    let largest = max(trace, r.row0.x, r.row1.y, r.row2.z)
    let s = (1 + 2 * largest - trace).squareRoot() * 2
    var q: (w: Double, x: Double, y: Double, z: Double)
    if largest == trace {
      let s = (1 + trace).squareRoot() * 2
      q = (s / 4, (r.row2.y - r.row1.z) / s, (r.row0.z - r.row2.x) / s, (r.row1.x - r.row0.y) / s)
    } else if largest == r.row0.x {
      q = ((r.row2.y - r.row1.z) / s, s / 4, (r.row0.y + r.row1.x) / s, (r.row0.z + r.row2.x) / s)
    } else if largest == r.row1.y {
      q = ((r.row0.z - r.row2.x) / s, (r.row0.y + r.row1.x) / s, s / 4, (r.row1.z + r.row2.y) / s)
    } else {
      q = ((r.row1.x - r.row0.y) / s, (r.row0.z + r.row2.x) / s, (r.row1.z + r.row2.y) / s, s / 4)
    }
    if q.w < 0 { q = (-q.w, -q.x, -q.y, -q.z) }
    return q
  }
}
