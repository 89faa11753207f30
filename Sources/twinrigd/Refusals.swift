import Capture
import Control
import Rig
import Session

/// What the modules below refuse, in the protocol's tokens.
extension Refusal {
  init(_ refusal: ScanRefusal, _ fields: Fields = [:]) {
    self.init(Token(rawValue: refusal.kind.rawValue) ?? .internal, refusal.message, fields)
  }

  init(_ refusal: JobRefusal, _ fields: Fields = [:]) {
    self.init(Token(rawValue: refusal.kind.rawValue) ?? .internal, refusal.message, fields)
  }

  init(_ error: SessionError, _ fields: Fields = [:]) {
    let token: Token =
      switch error.kind {
      case .notFound: .notFound
      case .noSpace: .noSpace
      case .denied: .denied
      case .busy: .busy
      default: .io
      }
    self.init(token, error.description, fields)
  }

  init(_ error: DeviceError) {
    self.init(deviceKind: error.kind, error.description, ["device": .text(error.device)])
  }

  init(deviceKind kind: DeviceError.Kind, _ message: String, _ fields: Fields = [:]) {
    let token: Token =
      switch kind {
      case .absent: .noDevice
      case .busy: .busy
      case .denied: .denied
      case .timedOut: .timedOut
      case .outOfRange, .unsupported: .badArgument
      case .cancelled: .cancelled
      default: .hardware
      }
    self.init(token, message, fields)
  }
}

extension Refusal {
  /// Any error of the modules below.
  init(translating error: any Error, _ fields: Fields = [:]) {
    switch error {
    case let refusal as Refusal: self = refusal
    case let refusal as ScanRefusal: self.init(refusal, fields)
    case let refusal as JobRefusal: self.init(refusal, fields)
    case let error as SessionError: self.init(error, fields)
    case let error as DeviceError: self.init(error)
    default: self.init(.internal, "\(error)", fields)
    }
  }
}
