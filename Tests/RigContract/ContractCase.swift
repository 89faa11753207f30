/// One promise of a device protocol, checked on a real device of whatever driver: simulated ones in every test run,
/// those of a board where there is one.
public struct ContractCase<Device>: Sendable, CustomStringConvertible {
  /// The promise as a sentence.
  public let name: String
  /// Checks it; throws `ContractViolation` where it is broken.
  public let check: @Sendable (Device) async throws -> Void

  init(_ name: String, _ check: @escaping @Sendable (Device) async throws -> Void) {
    self.name = name
    self.check = check
  }

  /// The promise.
  public var description: String { name }
}

/// A broken promise, and where it was noticed.
public struct ContractViolation: Error, CustomStringConvertible {
  /// What was found instead.
  public let description: String
}

/// Notices that something is not as promised.
func require(_ holds: Bool, _ found: @autoclosure () -> String) throws {
  if !holds { throw ContractViolation(description: found()) }
}
