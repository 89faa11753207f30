import Rig

/// What the probe is told.
struct Options {
  static let usage = """
    usage: camera-probe LEFT RIGHT WIDTH HEIGHT COUNT [--fps N] [--folder DIR] [--restarts N] [--no-contract]
      LEFT RIGHT     cameras as cameras.left and cameras.right have them; - takes libcamera's order
      COUNT          pairs to capture
      --fps N        frames a second (30); a pair's times are within a quarter of a frame
      --folder DIR   writes the last pair there: left.ppm, right.ppm
      --restarts N   builds the pipeline up again so many times (3), and counts open descriptors
      --no-contract  leaves the promises of CameraContract unchecked
    """

  var left = "", right = ""
  var mode: CameraMode
  var count: Int
  var folder: String?
  var restarts = 3
  var checksContract = true

  /// Nil where the words make no sense.
  init?(_ words: [String]) {
    guard words.count >= 5, let width = Int(words[2]), let height = Int(words[3]), let count = Int(words[4]),
      width >= 4, height >= 4, count >= 0
    else { return nil }
    left = words[0] == "-" ? "" : words[0]
    right = words[1] == "-" ? "" : words[1]
    self.count = count
    mode = CameraMode(
      width: width, height: height, previewWidth: width / 4, previewHeight: height / 4, framesPerSecond: 30)
    var rest = words.dropFirst(5)
    while let word = rest.popFirst() {
      if word == "--no-contract" {
        checksContract = false
        continue
      }
      guard let value = rest.popFirst() else { return nil }
      switch word {
      case "--fps":
        guard let rate = Double(value), rate > 0 else { return nil }
        mode.framesPerSecond = rate
      case "--folder": folder = value
      case "--restarts":
        guard let number = Int(value), number >= 0 else { return nil }
        restarts = number
      default: return nil
      }
    }
  }
}
