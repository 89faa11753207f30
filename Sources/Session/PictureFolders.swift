/// The pictures in a session folder, told by their names alone. A journal that knows less than lies there has lost lines:
/// taken for the whole, it would be a scan of nothing, and be scanned again beside its own pictures.
struct PictureFolders {
  /// The last pass that has pictures; 0 where none has.
  private var lastPass = 0
  /// Pairs of the empty table.
  private var plates = 0

  /// Looks through `folder`. Half-written pictures do not count.
  init(in folder: String) throws(SessionError) {
    for name in try DurableFolder.names(in: folder) {
      if name == SessionLayout.plates {
        plates = Set(try Self.pictures(in: "\(folder)/\(name)").compactMap(SessionLayout.sequence(of:))).count
      } else if let pass = SessionLayout.pass(of: name), try !Self.pictures(in: "\(folder)/\(name)").isEmpty {
        lastPass = max(lastPass, pass)
      }
    }
  }

  private static func pictures(in folder: String) throws(SessionError) -> [String] {
    try DurableFolder.names(in: folder).filter(SessionLayout.isPicture)
  }

  /// Throws where there is no journal: it is made before the first picture.
  func checkUnwritten(_ journal: String) throws(SessionError) {
    if lastPass > 0 || plates > 0 {
      throw Self.damaged(journal, "the journal is gone, and without it no picture counts")
    }
  }

  /// Throws where the journal is too short for the pictures: the line of a pass goes before its pictures, and of the plates
  /// no more than the pair in flight is without a line.
  func check(_ contents: SessionContents, journal: String) throws(SessionError) {
    let known = contents.passes.count
    if lastPass > known {
      throw Self.damaged(
        journal, "it ends before pass \(known + 1), and there are pictures of pass \(lastPass): lines are lost")
    }
    if known == 0, contents.plates.isEmpty, plates > 1 {
      throw Self.damaged(journal, "it names none of the \(plates) pairs of the empty table: lines are lost")
    }
  }

  private static func damaged(_ journal: String, _ fault: String) -> SessionError {
    SessionError(.damaged, path: journal, operation: fault, remedy: "put the whole journal back, or scan again")
  }
}
