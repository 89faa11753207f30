/// What a Raspberry Pi's firmware tells of the board's supply and heat.
package struct Throttling: Sendable, Hashable {
  /// Something that makes the board slower than it is.
  package enum Cause: Int, Sendable, Hashable, CaseIterable {
    /// The supply's voltage is too low.
    case undervoltage
    /// The processor's frequency is capped.
    case capped
    /// The processor is throttled.
    case throttled
    /// The soft limit of temperature is reached.
    case softLimit
  }

  private let bits: Int

  /// The firmware's word, hexadecimal with `0x` before it or without; nil where it is none.
  package init?(_ text: String) {
    guard let bits = Int(text.hasPrefix("0x") ? String(text.dropFirst(2)) : text, radix: 16) else { return nil }
    self.bits = bits
  }

  /// What holds now.
  package var now: [Cause] { Cause.allCases.filter { bits >> $0.rawValue & 1 == 1 } }
  /// What has held since the boot: the same bits, 16 higher.
  package var sinceBoot: [Cause] { Cause.allCases.filter { bits >> ($0.rawValue + 16) & 1 == 1 } }

  /// What the computer's firmware says now; nil where it does not tell. The folder of its file has another name on each
  /// board, as the processor's has.
  package init?(in roots: SystemRoots) {
    let platform = "\(roots.sys)/devices/platform"
    for soc in roots.names(in: platform) where soc.hasPrefix("soc") {
      for node in roots.names(in: "\(platform)/\(soc)") where node.hasSuffix("firmware") {
        guard let text = roots.text(of: "\(platform)/\(soc)/\(node)/get_throttled") else { continue }
        self.init(text)
        return
      }
    }
    return nil
  }
}
