/// How `twinrig` ends.
enum ExitCode {
  /// All is well.
  static let done: Int32 = 0
  /// Something failed.
  static let failed: Int32 = 1
  /// The command line makes no sense, or a file it names, or no model can be made of its pictures.
  static let usage: Int32 = 2
  /// No agent answers at the socket.
  static let noAgent: Int32 = 3
  /// The agent refused (`ERR`).
  static let refused: Int32 = 4
  /// There was not memory enough.
  static let memory: Int32 = 5
  /// Given up on request.
  static let cancelled: Int32 = 130
}
