import Media

/// A text file as lines of tokens, for the readers of foreign camera files. Every error names file and line.
struct TextFile {
  /// The file's path as the person gave it.
  let path: String
  private let bytes: [UInt8]

  /// Camera files are small; a larger one is not a camera file.
  static let sizeLimit = 256 << 20

  /// Reads a file. Throws `.invalidInput` when it cannot be read or is over the limit.
  init(path: String) throws(ReconstructionError) {
    self.path = path
    do throws(MediaError) {
      bytes = try FileBytes.read(path, limit: TextFile.sizeLimit)
    } catch {
      let remedy =
        error.kind == .tooLarge ? "no camera file is so large" : "check the path and its permissions"
      throw ReconstructionError(.invalidInput, place: path, "cannot be read: \(error.reason); \(remedy)")
    }
  }

  /// A file from bytes at hand, for fuzzing.
  init(path: String, bytes: [UInt8]) {
    self.path = path
    self.bytes = bytes
  }

  /// All lines with their numbers from 1, without line ends.
  var lines: [Line] {
    var lines: [Line] = []
    var start = 0
    var number = 1
    for end in 0...bytes.count where end == bytes.count || bytes[end] == UInt8(ascii: "\n") {
      if end == bytes.count && start == end { break }
      lines.append(Line(file: path, number: number, bytes: bytes[start..<end]))
      start = end + 1
      number += 1
    }
    return lines
  }

  /// One line.
  struct Line {
    let file: String
    let number: Int
    let bytes: ArraySlice<UInt8>

    /// Whether there is nothing on it but blanks, or a `#` remark.
    var isBlankOrRemark: Bool {
      guard let first = bytes.first(where: { !Self.isBlank($0) }) else { return true }
      return first == UInt8(ascii: "#")
    }

    /// The words between blanks; at most `limit` of them, the last of which takes the rest of the line.
    func words(limit: Int = .max) -> [String] {
      var words: [String] = []
      var rest = bytes[...]
      while true {
        rest = rest.drop(while: Self.isBlank)
        guard !rest.isEmpty else { return words }
        if words.count == limit - 1 {
          while let last = rest.last, Self.isBlank(last) { rest.removeLast() }
          words.append(String(decoding: rest, as: UTF8.self))
          return words
        }
        let word = rest.prefix { !Self.isBlank($0) }
        words.append(String(decoding: word, as: UTF8.self))
        rest = rest[word.endIndex...]
      }
    }

    /// An error at this line.
    func error(_ message: String) -> ReconstructionError {
      ReconstructionError(.invalidInput, place: "\(file):\(number)", message)
    }

    /// A finite number.
    func number(_ word: String, _ what: String) throws(ReconstructionError) -> Double {
      guard let value = Double(word), value.isFinite, abs(value) < 1e12 else {
        throw error("\(what) should be a number, not \"\(word.prefix(40))\"")
      }
      return value
    }

    /// A whole number in a range.
    func whole(_ word: String, _ what: String, in range: ClosedRange<Int>) throws(ReconstructionError) -> Int {
      guard let value = Int(word), range.contains(value) else {
        throw error("\(what) should be a whole number in \(range), not \"\(word.prefix(40))\"")
      }
      return value
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || (byte >= 9 && byte <= 13) }
  }
}
