/// A scene description layer as a tree of prims and properties: what a crate file is written from.
struct CrateLayer {
  /// The kinds of things a layer has, as the crate format numbers them.
  enum Kind: UInt32 {
    case attribute = 1
    case prim = 6
    case root = 7
    case relationship = 8
  }

  /// A value of a field.
  enum Value {
    case token(String)
    case text(String)
    case asset(String)
    case bool(Bool)
    case float(Float)
    case double(Double)
    case vector3([Float])
    case vector4([Float])
    case ints([Int32])
    case vectors3([SIMD3<Float>])
    case vectors2([SIMD2<Float>])
    case tokens([String])
    case prependedTokens([String])
    case paths([String])
    case texts([(name: String, value: String)])
    /// 0 is `def`.
    case specifier(UInt8)
    /// 1 is `uniform`.
    case variability(UInt8)
  }

  /// A prim, a property or the root of them all.
  struct Node {
    var name: String
    var kind: Kind
    var fields: [(name: String, value: Value)] = []
    var children: [Node] = []

    /// A prim of a type.
    static func prim(_ name: String, _ type: String, _ metadata: [(String, Value)] = [], _ children: [Node]) -> Node {
      let fields = [("specifier", Value.specifier(0)), ("typeName", .token(type))] + metadata
      return Node(name: name, kind: .prim, fields: fields, children: children)
    }

    /// An attribute, with or without a value of its own or a connection to another.
    static func attribute(
      _ type: String, _ name: String, _ value: Value? = nil, uniform: Bool = false, connectedTo path: String? = nil,
      interpolation: String? = nil
    ) -> Node {
      var fields: [(name: String, value: Value)] = [("typeName", .token(type))]
      if uniform { fields.append(("variability", .variability(1))) }
      if let interpolation { fields.append(("interpolation", .token(interpolation))) }
      if let value { fields.append(("default", value)) }
      if let path { fields.append(("connectionPaths", .paths([path]))) }
      return Node(name: name, kind: .attribute, fields: fields)
    }

    /// A relationship to one target.
    static func relationship(_ name: String, _ target: String) -> Node {
      Node(
        name: name, kind: .relationship, fields: [("variability", .variability(1)), ("targetPaths", .paths([target]))])
    }
  }

  var root: Node
}
