#if canImport(Glibc)
  import Glibc
#endif

/// Something to time.
struct Kernel {
  var name: String
  /// How much one run works on.
  var amount: Double
  /// Of what: `MP` or `MB`.
  var unit: String
  /// One run; returns a checksum of what came out.
  var run: () throws -> UInt64
  /// The plainest Swift of the same formula, where there is one.
  var plain: (() throws -> UInt64)?

  init(
    _ name: String, _ amount: Int, _ unit: String, run: @escaping () throws -> UInt64,
    plain: (() throws -> UInt64)? = nil
  ) {
    self.name = name
    self.amount = Double(amount) / 1e6
    self.unit = unit
    self.run = run
    self.plain = plain
  }
}

/// The processor time of this thread, in seconds: what others do on the machine does not count.
func threadTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

/// A checksum as it is shown.
func hexadecimal(_ sum: UInt64) -> String {
  let digits = String(sum, radix: 16)
  return String(repeating: "0", count: 16 - digits.count) + digits
}

/// FNV-1a over the memory of some numbers, four lanes of 8 bytes: not a cipher, only a witness that nothing changed.
func checksum<Element>(_ values: [Element]) -> UInt64 {
  values.withUnsafeBytes { bytes in
    var sum: UInt64 = 0xCBF2_9CE4_8422_2325
    var i = 0
    while i &+ 8 <= bytes.count {
      sum = (sum ^ UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: i, as: UInt64.self))) &* 0x100_0000_01B3
      sum ^= sum >> 29
      i &+= 8
    }
    while i < bytes.count {
      sum = (sum ^ UInt64(bytes[i])) &* 0x100_0000_01B3
      i &+= 1
    }
    return sum
  }
}
