import Glibc
import Spelling

/// One line at the bottom of a terminal that is drawn again and again; on anything else, a line now and then.
struct ProgressBar {
  private let isTerminal: Bool
  private let columns: Int
  private var isDrawn = false
  private var lastTenth = -1
  private var lastLabel = ""

  init() {
    isTerminal = isatty(STDOUT_FILENO) == 1
    var size = winsize()
    columns =
      isTerminal && ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 40 ? Int(size.ws_col) : 80
  }

  /// Shows how far it is: `fraction` of the step (nil while unknown), seconds left of it (nil while unknown), and what
  /// comes `then`.
  mutating func show(_ label: String, fraction: Double?, remaining: Double?, then: String = "") {
    let left = remaining.map { "  \(Self.clock($0)) left\(then)" } ?? ""
    let percent = fraction.map { "\(Int(($0 * 100).rounded()))%" } ?? ""
    guard isTerminal else {
      // A log wants to know that it goes on, not every step.
      let tenth = fraction.map { Int($0 * 10) } ?? lastTenth
      let step = String(label.prefix { $0 != ":" })
      guard step != lastLabel || tenth != lastTenth else { return }
      lastLabel = step
      lastTenth = tenth
      Terminal.say("\(label)  \(percent)\(left)")
      return
    }
    let label = VisibleText.line(label)
    let width = max(10, min(40, columns - label.count - left.count - 12))
    let filled = fraction.map { Int(Double(width) * min(max($0, 0), 1)) } ?? 0
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    let line = "\(bar) \(percent.isEmpty ? "  ?" : percent)  \(label)\(left)"
    Terminal.draw("\r\(line.prefix(columns - 1))\u{1B}[K")
    isDrawn = true
  }

  /// Writes a line above the bar.
  mutating func say(_ text: String) {
    clear()
    Terminal.tell(text)
  }

  /// Takes the bar away.
  mutating func clear() {
    if isDrawn { Terminal.draw("\r\u{1B}[K") }
    isDrawn = false
  }

  /// 95 seconds are `1:35`.
  static func clock(_ seconds: Double) -> String {
    let whole = Int(max(0, min(seconds, 359_999)).rounded())
    let rest = whole % 60
    return "\(whole / 60):\(rest < 10 ? "0" : "")\(rest)"
  }
}
