/// `twinrig-bench kernels`: a table of times. Checksums and ratios compare from one machine and build to another; the
/// times themselves do not.
enum KernelsCommand {
  static func run(_ words: ArraySlice<String>) throws {
    let arguments = try Arguments(words, names: ["only", "repeat"], flags: ["json"])
    let runs = try arguments.whole("repeat", 7, in: 1...1000)
    var kernels = PixelKernels.all() + (try CodecKernels.all()) + (try MeshKernels.all())
    if let word = arguments.text("only") { kernels = kernels.filter { $0.name.contains(word) } }
    guard !kernels.isEmpty else { throw BenchError("no kernel has “\(arguments.text("only") ?? "")” in its name") }
    if !arguments.has("json") { print("kernel                          ms        rate   × plain  checksum") }
    for kernel in kernels {
      let (seconds, sum) = try median(runs, kernel.run)
      let plain = try kernel.plain.map { try median(min(runs, 3), $0).seconds }
      print(arguments.has("json") ? json(kernel, seconds, plain, sum) : line(kernel, seconds, plain, sum))
    }
  }

  /// The median time of some runs, the first of which only warms up.
  private static func median(_ runs: Int, _ body: () throws -> UInt64) throws -> (seconds: Double, sum: UInt64) {
    let sum = try body()
    var times: [Double] = []
    for _ in 0..<runs {
      let began = threadTime()
      let again = try body()
      times.append(threadTime() - began)
      guard again == sum else { throw BenchError("two runs gave different results") }
    }
    return (times.sorted()[runs / 2], sum)
  }

  private static func line(_ kernel: Kernel, _ seconds: Double, _ plain: Double?, _ sum: UInt64) -> String {
    let ratio = plain.map { fixed($0 / seconds, 1) } ?? "–"
    return padded(kernel.name, to: 24) + padded(fixed(seconds * 1000, 3), to: 10, left: true)
      + padded(fixed(kernel.amount / max(seconds, 1e-9), 0), to: 7, left: true) + " \(kernel.unit)/s"
      + padded(ratio, to: 10, left: true) + "  " + hexadecimal(sum)
  }

  private static func json(_ kernel: Kernel, _ seconds: Double, _ plain: Double?, _ sum: UInt64) -> String {
    var entries = ["\"name\": \"\(kernel.name)\"", "\"ms\": \(seconds * 1000)"]
    entries.append("\"\(kernel.unit.lowercased())PerSecond\": \(kernel.amount / max(seconds, 1e-9))")
    if let plain { entries.append("\"timesPlain\": \(plain / seconds)") }
    entries.append("\"checksum\": \"\(hexadecimal(sum))\"")
    return "{" + entries.joined(separator: ", ") + "}"
  }

  private static func padded(_ text: String, to width: Int, left: Bool = false) -> String {
    let blanks = String(repeating: " ", count: max(0, width - text.count))
    return left ? blanks + text : text + blanks
  }
}
