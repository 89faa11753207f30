/// Text of others — from files, sockets, arguments — as a terminal may be given it. Whoever wrote it must not move the
/// cursor, change a title, hide what follows or make two lines of one: what would do so is spelt out, and all else stays
/// as it is.
public enum VisibleText {
  /// The text as one line. What is spelt out reads as in TOML and JSON: `\n`, `\u001b`. So a line of JSON means the same
  /// afterwards.
  public static func line(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: steers) else { return text }
    var line = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n": line += "\\n"
      case "\r": line += "\\r"
      case "\t": line += "\\t"
      case _ where steers(scalar):
        let digits = String(scalar.value, radix: 16)
        line += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: line.unicodeScalars.append(scalar)
      }
    }
    return line
  }

  /// Whether a terminal takes it as a command: the control characters C0, DEL and C1, the separators of lines and
  /// paragraphs, and what changes the direction of writing (Unicode's Bidi_Control; N. Boucher and R. Anderson, "Trojan
  /// source", 2021).
  private static func steers(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0...0x1F, 0x7F...0x9F, 0x61C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
