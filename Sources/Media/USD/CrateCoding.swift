/// How the crate format packs whole numbers (pxr/usd/sdf/integerCoding.h): differences from one number to the next, the
/// most common one free of charge, the others in one, two or four bytes as a code of two bits says; then an LZ4 block.
enum CrateCoding {
  static func compressed(_ numbers: [Int32]) -> [UInt8] { LZ4.frameless(coded(numbers)) }

  static func coded(_ numbers: [Int32]) -> [UInt8] {
    guard !numbers.isEmpty else { return [] }
    var previous: Int32 = 0
    let steps = numbers.map { number -> Int32 in
      defer { previous = number }
      return number &- previous
    }
    let common = mostCommon(steps)
    var out: [UInt8] = []
    out.append(little: common)
    let codes = out.count
    out.append(contentsOf: repeatElement(0, count: (steps.count * 2 + 7) / 8))
    for (i, step) in steps.enumerated() where step != common {
      let code: UInt8
      if let small = Int8(exactly: step) {
        code = 1
        out.append(UInt8(bitPattern: small))
      } else if let medium = Int16(exactly: step) {
        code = 2
        out.append(little: medium)
      } else {
        code = 3
        out.append(little: step)
      }
      out[codes + i / 4] |= code << UInt8(i % 4 * 2)
    }
    return out
  }

  /// The most common number; of equally common ones the largest, as Pixar's writer has it.
  private static func mostCommon(_ steps: [Int32]) -> Int32 {
    var best = (count: 0, step: Int32(0))
    var run = (count: 0, step: Int32(0))
    for step in steps.sorted() {
      run = step == run.step ? (run.count + 1, step) : (1, step)
      if run.count >= best.count { best = run }
    }
    return best.step
  }
}
