#if canImport(Glibc)
  import Glibc
#endif

/// Pictures that were durable and are gone from the folder: somebody, or a damaged disk, has removed them.
public struct LostRecord: Sendable, Codable, Hashable {
  /// The numbers of the shots of which a picture is missing.
  public var shots: [Int]
  /// The left pictures of the pairs of the empty table of which one is missing.
  public var plates: [String]

  /// A record of these.
  public init(shots: [Int], plates: [String] = []) {
    self.shots = shots
    self.plates = plates
  }
}

extension SessionContents {
  /// What of it is gone from its folder; nil where all is there. Looks at every picture's directory entry, not into it.
  public func missing(in folder: String) -> LostRecord? {
    let isThere = { (file: String) in
      var status = stat()
      return stat("\(folder)/\(file)", &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size > 0
    }
    let lost = LostRecord(
      shots: shots.filter { !isThere($0.left.file) || !isThere($0.right.file) }.map(\.sequence),
      plates: plates.filter { !isThere($0.left) || !isThere($0.right) }.map(\.left))
    return lost.shots.isEmpty && lost.plates.isEmpty ? nil : lost
  }

  /// How many pictures of each pass a record names, in the order of the passes.
  public func passes(of lost: LostRecord) -> [(pass: Int, shots: Int)] {
    let numbers = Set(lost.shots)
    return passes.compactMap { pass in
      let count = shots.count { $0.pass == pass.index && numbers.contains($0.sequence) }
      return count > 0 ? (pass.index, count) : nil
    }
  }
}
