/// Tells a press from the bouncing of a contact: takes the first change at once, is deaf for a while, and then looks at the
/// line again, so that neither a press nor the end of one is lost. Times are nanoseconds of one clock.
package struct Debouncer {
  /// How long it is deaf after a change.
  package let window: Int64
  /// The level that was told last.
  package private(set) var isActive: Bool
  private var deafUntil: Int64?

  /// One that has told nothing yet; a `window` of 0 tells every change.
  package init(window: Int64, isActive: Bool) {
    self.window = window
    self.isActive = isActive
  }

  /// When the line has to be looked at again; nil while nothing is in doubt.
  package var deadline: Int64? { deafUntil }

  /// A change on the line; true where it is to be told.
  package mutating func change(to active: Bool, at time: Int64) -> Bool {
    if let deafUntil {
      guard time >= deafUntil else { return false }
      self.deafUntil = nil
    }
    return take(active, time)
  }

  /// The level when the deadline has come; true where it is to be told as a change.
  package mutating func settle(at level: Bool, time: Int64) -> Bool {
    guard let until = deafUntil, time >= until else { return false }
    deafUntil = nil
    return take(level, time)
  }

  private mutating func take(_ active: Bool, _ time: Int64) -> Bool {
    guard active != isActive else { return false }
    isActive = active
    if window > 0 { deafUntil = time + window }
    return true
  }
}
