/// CRC-32 as zip and PNG use it (ISO 3309, reflected 0x04C11DB7).
public enum CRC32 {
  /// The checksum of some bytes, eight at a time (M. E. Kounavis and F. L. Berry, "A systematic approach to building high
  /// performance, software-based, CRC generators", 2005).
  public static func of(_ bytes: [UInt8]) -> UInt32 {
    var crc = ~UInt32(0)
    bytes.withUnsafeBytes { raw in
      tables.withUnsafeBufferPointer { t in
        var i = 0
        while i &+ 8 <= raw.count {
          let low = UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: i, as: UInt32.self)) ^ crc
          let high = UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: i &+ 4, as: UInt32.self))
          crc = word(low, t, 1024) ^ word(high, t, 0)
          i &+= 8
        }
        while i < raw.count {
          crc = crc >> 8 ^ t[Int(crc & 255 ^ UInt32(raw[i]))]
          i &+= 1
        }
      }
    }
    return ~crc
  }

  /// The four bytes of a word through the four tables that begin at `first`: the lowest byte is the furthest from the end.
  @inline(__always)
  private static func word(_ word: UInt32, _ t: UnsafeBufferPointer<UInt32>, _ first: Int) -> UInt32 {
    let lowest = t[first &+ 768 &+ Int(word & 255)] ^ t[first &+ 512 &+ Int(word >> 8 & 255)]
    let highest = t[first &+ 256 &+ Int(word >> 16 & 255)] ^ t[first &+ Int(word >> 24)]
    return lowest ^ highest
  }

  /// Table k, entry n: the checksum of byte n followed by k zero bytes.
  private static let tables: [UInt32] = {
    var t = [UInt32](repeating: 0, count: 2048)
    for n in 0..<256 {
      var crc = UInt32(n)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
      t[n] = crc
    }
    for n in 256..<2048 { t[n] = t[n - 256] >> 8 ^ t[Int(t[n - 256] & 255)] }
    return t
  }()
}
