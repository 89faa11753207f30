/// Linear algebra of a few unknowns.
enum SmallMatrix {
  /// Solves A x = b by elimination with pivoting, or nil where A is singular.
  static func solve(_ matrix: [[Double]], _ right: [Double]) -> [Double]? {
    var a = matrix
    var b = right
    let n = b.count
    for column in 0..<n {
      let pivot = (column..<n).max { abs(a[$0][column]) < abs(a[$1][column]) } ?? column
      guard abs(a[pivot][column]) > 1e-300 else { return nil }
      a.swapAt(column, pivot)
      b.swapAt(column, pivot)
      for row in column + 1..<max(n, column + 1) {
        let factor = a[row][column] / a[column][column]
        for k in column..<n { a[row][k] -= factor * a[column][k] }
        b[row] -= factor * b[column]
      }
    }
    for row in stride(from: n - 1, through: 0, by: -1) {
      for k in row + 1..<max(n, row + 1) { b[row] -= a[row][k] * b[k] }
      b[row] /= a[row][row]
    }
    return b
  }

  /// The eigenvectors of a symmetric matrix as rows, the largest eigenvalue first (C. G. J. Jacobi, 1846).
  static func eigenvectors(_ symmetric: [[Double]]) -> [[Double]] {
    var a = symmetric
    let n = a.count
    var v = (0..<n).map { i in (0..<n).map { $0 == i ? 1.0 : 0 } }
    for _ in 0..<60 {
      for p in 0..<n {
        for q in p + 1..<max(n, p + 1) where a[p][q] != 0 {
          let theta = (a[q][q] - a[p][p]) / (2 * a[p][q])
          let t = (theta >= 0 ? 1.0 : -1) / (abs(theta) + (theta * theta + 1).squareRoot())
          let c = 1 / (t * t + 1).squareRoot()
          let s = t * c
          for k in 0..<n { (a[k][p], a[k][q]) = (c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]) }
          for k in 0..<n { (a[p][k], a[q][k]) = (c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]) }
          for k in 0..<n { (v[p][k], v[q][k]) = (c * v[p][k] - s * v[q][k], s * v[p][k] + c * v[q][k]) }
        }
      }
    }
    return (0..<n).sorted { a[$0][$0] > a[$1][$1] }.map { v[$0] }
  }
}
