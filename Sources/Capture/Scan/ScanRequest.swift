import Imaging
import Session

/// What a person asks for when they start a scan.
public struct ScanRequest: Sendable, Hashable {
  /// What they call it; empty for none.
  public var name: String
  /// Stops of the turntable in a pass, 4…400.
  public var shots: Int
  /// Passes, 1…9.
  public var passes: Int
  /// Detail level for the reconstruction; kept in the session, not judged here.
  public var detail: String
  /// Whether to shoot more than this device will use (half as many stops again), for a bigger machine.
  public var overcapture: Bool
  /// The object's box in the object frame, millimetres, where the person knows it; else it is found.
  public var box: (min: SIMD3<Double>, max: SIMD3<Double>)? {
    get { boxCorners.map { ($0[0], $0[1]) } }
    set { boxCorners = newValue.map { [$0.min, $0.max] } }
  }
  private var boxCorners: [SIMD3<Double>]?

  /// The box as the first pass's.
  var boxRecord: BoxRecord? { box.map { BoxRecord(pass: 1, min: $0.min, max: $0.max, byHand: true) } }

  /// A request with the usual values.
  public init(
    name: String = "", shots: Int = 36, passes: Int = 3, detail: String = "reduced", overcapture: Bool = false,
    box: (min: SIMD3<Double>, max: SIMD3<Double>)? = nil
  ) {
    self.name = name
    self.shots = shots
    self.passes = passes
    self.detail = detail
    self.overcapture = overcapture
    self.box = box
  }
}

/// Why a command was not carried out. Nothing has changed.
public struct ScanRefusal: Error, Sendable, Hashable, CustomStringConvertible {
  /// The protocol's error tokens a scan uses.
  public enum Kind: String, Sendable {
    /// Not in this state.
    case badState = "BADSTATE"
    /// A value makes no sense.
    case badArgument = "BADARG"
    /// No such session or prompt, or it is closed.
    case notFound = "NOTFOUND"
    /// Another program or another job has it.
    case busy = "BUSY"
    /// Too little disk space.
    case noSpace = "NOSPACE"
    /// The battery is low.
    case lowBattery = "LOWBATT"
    /// A device is not there.
    case noDevice = "NODEV"
    /// A device failed.
    case hardware = "HARDWARE"
    /// Files could not be read or written.
    case inputOutput = "IO"
  }
  /// Which of them.
  public var kind: Kind
  /// For a person: what, and what to do.
  public var message: String

  /// A refusal.
  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  /// One line for a person.
  public var description: String { message }
}

/// A change of the object's box by hand.
public enum BoxChange: Sendable, Hashable {
  /// These corners, in the object frame of the pass that runs, millimetres.
  case set(min: SIMD3<Double>, max: SIMD3<Double>)
  /// Back to the one that was found.
  case reset
}
