import Files

/// One line of `twinrig reconstruct --progress json`.
struct ReconstructionLine: Decodable {
  var event: String
  var stage: String?
  var fraction: Double?
  var remaining: Double?
  var kind: String?
  var name: String?
  var path: String?
  var reason: String?
  var message: String?
  var pass: Int?

  /// Reads a line; nil for one that is none.
  init?(_ line: String) {
    guard let read = try? JSONInput.decode(ReconstructionLine.self, from: Array(line.utf8)) else { return nil }
    self = read
  }
}
