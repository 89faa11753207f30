import Rig

/// An output line that may be absent. When it is back it is driven to the level that was last asked for.
package struct ReopeningOutput<Line: OutputLine>: OutputLine {
  /// The line as the configuration names it.
  package let name: String
  private let line: Reopening<Line>
  private let wish: LastWish<Line, Bool>

  /// A line behind a device that comes and goes.
  package init(_ line: Reopening<Line>) {
    name = line.name
    self.line = line
    wish = LastWish(of: line) { line, level throws(DeviceError) in try await line.set(level) }
  }

  /// Drives the line. Throws why it is absent, and what the line throws.
  package func set(_ active: Bool) async throws(DeviceError) {
    wish.want(active)
    try await line.perform { line throws(DeviceError) in try await line.set(active) }
  }
}
