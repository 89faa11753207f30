import Spelling

/// What the command line gave: `--name value` pairs and bare `--flags`.
struct Arguments {
  private var values: [String: String] = [:]
  private var flags: Set<String> = []

  /// Reads arguments, of which `names` take a value and `flags` do not. Throws for anything else.
  init(_ words: ArraySlice<String>, names: Set<String>, flags known: Set<String>) throws {
    var rest = words
    while let word = rest.popFirst() {
      guard word.hasPrefix("--") else { throw BenchError("what is “\(word)”? Options begin with --") }
      let name = String(word.dropFirst(2))
      if known.contains(name) {
        flags.insert(name)
      } else if names.contains(name) {
        guard let value = rest.popFirst() else { throw BenchError("--\(name) needs a value") }
        values[name] = value
      } else {
        throw Self.unknown(name, among: names.union(known).sorted().map { "--" + $0 })
      }
    }
  }

  private static func unknown(_ name: String, among options: [String]) -> BenchError {
    let text = Spelling.unknownOption("--" + name, among: options, see: "twinrig-bench --help")
    return BenchError("\(text); there are \(options.joined(separator: " "))")
  }

  func has(_ flag: String) -> Bool { flags.contains(flag) }
  func text(_ name: String) -> String? { values[name] }

  func required(_ name: String) throws -> String {
    guard let value = values[name] else { throw BenchError("--\(name) is missing") }
    return value
  }

  func whole(_ name: String, _ standard: Int, in range: ClosedRange<Int>) throws -> Int {
    guard let text = values[name] else { return standard }
    guard let value = Int(text), range.contains(value) else {
      throw BenchError("--\(name) \(text): a whole number from \(range.lowerBound) to \(range.upperBound) is wanted")
    }
    return value
  }
}

/// What is wrong, for the person at the terminal.
struct BenchError: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}
