#if canImport(Glibc)
  import Glibc
#endif

/// A moment as people write it, in UTC.
package struct CivilTime: Sendable {
  /// `20261130`
  let day: String
  /// `2026-11-30T10:20:30Z`
  package let iso8601: String

  /// The system's idea of now.
  package static func now() -> CivilTime {
    var seconds = time(nil)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    let year = SessionLayout.padded(Int(parts.tm_year) + 1900, 4)
    let rest = [parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec]
      .map { SessionLayout.padded(Int($0), 2) }
    return CivilTime(
      day: year + rest[0] + rest[1],
      iso8601: "\(year)-\(rest[0])-\(rest[1])T\(rest[2]):\(rest[3]):\(rest[4])Z")
  }
}
