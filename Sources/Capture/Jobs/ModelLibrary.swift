import Files
import Session
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#endif

/// What is known about one model.
public struct ModelRecord: Sendable, Codable, Hashable {
  /// Its name on the socket: `m1`, `m2`, …
  public var id: String
  /// What people call it.
  public var name: String
  /// A sentence about it.
  public var description: String?
  /// A page about it.
  public var url: String?
  /// What it costs, as shown to people.
  public var price: String?
  /// The session it was made from.
  public var session: String?
  /// When it was made, ISO 8601 in UTC.
  public var created: String
  /// Its size in millimetres; nil while unknown.
  public var size: SIMD3<Double>?

  /// A change of what people say about a model; nil leaves as is, an empty text removes.
  public struct Change: Sendable, Hashable {
    /// New texts.
    public var name: String?, description: String?, url: String?, price: String?
    /// No change.
    public init(name: String? = nil, description: String? = nil, url: String? = nil, price: String? = nil) {
      self.name = name
      self.description = description
      self.url = url
      self.price = price
    }
  }
}

/// One model and its files.
public struct LibraryModel: Sendable, Hashable {
  /// What is known about it.
  public var record: ModelRecord
  /// Its folder.
  public var folder: String
  /// The USDZ.
  public var file: String { "\(folder)/\(record.id).usdz" }
  /// The GLB, for browsers.
  public var webFile: String { "\(folder)/\(record.id).glb" }
  /// A picture of it.
  public var preview: String { "\(folder)/preview.png" }
  /// Figures about how it was made.
  public var report: String { "\(folder)/report.json" }
  /// The size of the USDZ in bytes; nil where it is missing.
  public var bytes: Int? {
    var status = stat()
    return stat(file, &status) == 0 ? Int(status.st_size) : nil
  }
}

/// All finished models under one folder: `ID/{ID.usdz,ID.glb,preview.png,report.json,model.json}`. A model is there whole or
/// not at all; nothing is deleted.
public final class ModelLibrary: Sendable {
  /// The largest file a model may have, in bytes.
  public static let largestFile = 1 << 30

  /// The folder.
  public let root: String
  private let claim: StateClaim?
  /// One writer at a time.
  private let writing = Mutex(())

  /// The library in `root`, which is made when the first model is. With a `claim` nothing is added to a folder that is no
  /// longer the one that was claimed.
  public init(root: String, claim: StateClaim? = nil) {
    self.root = root
    self.claim = claim
  }

  /// Every model whose record can be read, oldest first. The others: see `survey`.
  public func models() throws(SessionError) -> [LibraryModel] { try survey().models }

  /// Every model whose record can be read, and the others with the reason; oldest first.
  public func survey() throws(SessionError) -> (
    models: [LibraryModel], damaged: [(id: String, error: SessionError)]
  ) {
    var models: [LibraryModel] = []
    var damaged: [(id: String, error: SessionError)] = []
    for id in try ids() {
      do throws(SessionError) { models.append(try read(id)) } catch { damaged.append((id, error)) }
    }
    return (models, damaged)
  }

  /// Throws where something else stands in the library's place, so that no model could be added.
  public func check() throws(SessionError) { _ = try ids() }

  /// One model. Throws `.notFound` or `.damaged`.
  public func model(_ id: String) throws(SessionError) -> LibraryModel {
    guard try ids().contains(id) else {
      throw SessionError(.notFound, path: "\(root)/\(id)", operation: "find model \(id)", remedy: "see models")
    }
    return try read(id)
  }

  /// The model of a folder that is there.
  private func read(_ id: String) throws(SessionError) -> LibraryModel {
    let path = "\(root)/\(id)/model.json"
    let bytes: [UInt8]
    do throws(SessionError) { bytes = try DurableFolder.read(path, limit: 1 << 20) } catch {
      guard error.kind == .notFound else { throw error }
      throw SessionError(.damaged, path: path, operation: "the model's record is gone", remedy: Self.remedy)
    }
    let record: ModelRecord
    do throws(DamagedJSON) { record = try JSONInput.decode(ModelRecord.self, from: bytes) } catch {
      throw SessionError(.damaged, path: path, operation: "\(error)", remedy: Self.remedy)
    }
    guard record.id == id else {
      throw SessionError(
        .damaged, path: path, operation: "\"id\" is \(record.id), and the folder \(id)", remedy: Self.remedy)
    }
    return LibraryModel(record: record, folder: "\(root)/\(id)")
  }

  /// Takes the files of a finished reconstruction over from its output folder. Blocks while it copies.
  public func add(from output: String, name: String, session: String?) throws(SessionError) -> LibraryModel {
    try locked { () throws(SessionError) in
      try DurableFolder(path: root).makeAll()
      let id = "m\((try ids().compactMap(Self.number(of:)).max() ?? 0) + 1)"
      let folder = "\(root)/.\(id).part"
      let unfinished = DurableFolder(path: folder)
      try unfinished.make()
      let usdz = try DurableFolder.read("\(output)/model.usdz", limit: Self.largestFile)
      try unfinished.write(usdz, as: "\(id).usdz")
      for (from, to) in [("model.glb", "\(id).glb"), ("preview.png", "preview.png"), ("report.json", "report.json")] {
        do throws(SessionError) {
          try unfinished.write(try DurableFolder.read("\(output)/\(from)", limit: Self.largestFile), as: to)
        } catch  where error.kind == .notFound {
          continue  // a model without a preview is still a model
        }
      }
      let record = ModelRecord(
        id: id, name: name.isEmpty ? id : name, session: session, created: CivilTime.now().iso8601,
        size: Self.size(bounds: "\(output)/bounds.json"))
      try unfinished.write(try Self.encoded(record), as: "model.json")
      try unfinished.synchronise()
      guard rename(folder, "\(root)/\(id)") == 0 else {
        throw SessionError(.inputOutput, path: folder, operation: "rename to \(id)", errno: errno)
      }
      try DurableFolder(path: root).synchronise()
      return LibraryModel(record: record, folder: "\(root)/\(id)")
    }
  }

  /// Changes what people say about a model.
  public func change(_ id: String, _ change: ModelRecord.Change) throws(SessionError) -> LibraryModel {
    try locked { () throws(SessionError) in
      var model = try model(id)
      if let name = change.name { model.record.name = name.isEmpty ? id : name }
      if let text = change.description { model.record.description = text.isEmpty ? nil : text }
      if let url = change.url { model.record.url = url.isEmpty ? nil : url }
      if let price = change.price { model.record.price = price.isEmpty ? nil : price }
      let folder = DurableFolder(path: model.folder)
      try folder.write(try Self.encoded(model.record), as: "model.json")
      try folder.synchronise()
      return model
    }
  }

  private func locked(
    _ body: @Sendable () throws(SessionError) -> LibraryModel
  ) throws(SessionError) -> LibraryModel {
    try writing.withLock { _ in
      Result { () throws(SessionError) in
        try claim?.check()
        return try body()
      }
    }.get()
  }

  private func ids() throws(SessionError) -> [String] {
    try DurableFolder.namesIfAny(in: root).filter { Self.number(of: $0) != nil }
      .sorted { (Self.number(of: $0) ?? 0) < (Self.number(of: $1) ?? 0) }
  }

  /// The number in `m12`, or nil for another name.
  private static func number(of id: String) -> Int? {
    guard id.utf8.first == UInt8(ascii: "m"), (2...9).contains(id.utf8.count), id.utf8.dropFirst().first != 0x30,
      id.utf8.dropFirst().allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return Int(id.dropFirst())
  }

  private static let remedy = "put model.json right, or make the model again from its session"

  private static func encoded(_ record: ModelRecord) throws(SessionError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    guard let data = try? encoder.encode(record) else {
      throw SessionError(.damaged, path: record.id, operation: "write the model's record")
    }
    return Array(data) + [0x0A]
  }

  /// The extent of the reconstruction's `bounds.json`, or nil.
  private static func size(bounds path: String) -> SIMD3<Double>? {
    struct Bounds: Decodable { var min: SIMD3<Double>, max: SIMD3<Double>, isMetric: Bool? }
    guard let bytes = try? DurableFolder.read(path, limit: 1 << 16),
      let bounds = try? JSONInput.decode(Bounds.self, from: bytes), bounds.isMetric != false
    else { return nil }
    return bounds.max - bounds.min
  }
}
