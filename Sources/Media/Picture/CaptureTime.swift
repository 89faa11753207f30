#if canImport(Glibc)
  import Glibc
#endif

/// When a picture was taken, as EXIF writes it: the time on the wall, its fraction, and how far the wall is from UTC.
public struct CaptureTime: Sendable, Hashable {
  /// `2026:11:30 10:20:30`
  public var text: String
  /// The digits behind the second's decimal point.
  public var subSeconds: String?
  /// `+00:00`
  public var offset: String?

  /// A time from its parts.
  public init(text: String, subSeconds: String?, offset: String?) {
    self.text = text
    self.subSeconds = subSeconds
    self.offset = offset
  }

  /// A moment in UTC to the millisecond, in milliseconds since 1970.
  public init(milliseconds: Int64) {
    let (quotient, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    let fraction = rest < 0 ? rest + 1000 : rest
    var seconds = time_t(rest < 0 ? quotient - 1 : quotient)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    let day = [Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday)]
    let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { Self.padded(Int($0), 2) }
    let date = [Self.padded(day[0], 4), Self.padded(day[1], 2), Self.padded(day[2], 2)]
    self.init(
      text: date.joined(separator: ":") + " " + clock.joined(separator: ":"),
      subSeconds: Self.padded(Int(fraction), 3), offset: "+00:00")
  }

  /// The system's idea of now.
  public static func now() -> CaptureTime {
    var moment = timespec()
    clock_gettime(CLOCK_REALTIME, &moment)
    return CaptureTime(milliseconds: Int64(moment.tv_sec) * 1000 + Int64(moment.tv_nsec) / 1_000_000)
  }

  private static func padded(_ number: Int, _ digits: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}
