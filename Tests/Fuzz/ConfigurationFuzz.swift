import Configuration

/// Any bytes as a configuration file: refused with problems or read, and then its documentation reads back as itself.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzConfiguration(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let text = Array(UnsafeBufferPointer(start: data, count: count))
  // profiles are files: what is fuzzed here is the text
  guard !contains(text, Array("board".utf8)) else { return 0 }
  do throws(ConfigurationError) {
    let configuration = try TwinrigConfiguration(text: text, file: "/nowhere/rig.toml")
    let again = try TwinrigConfiguration(text: Array(configuration.documentedText.utf8), file: "/nowhere/rig.toml")
    precondition(again == configuration, "the documentation does not read back as itself")
  } catch {
    precondition(!error.problems.isEmpty)
    for problem in error.problems { precondition(!problem.description.isEmpty) }
  }
  return 0
}

private func contains(_ text: [UInt8], _ word: [UInt8]) -> Bool {
  guard text.count >= word.count else { return false }
  return (0...text.count - word.count).contains { text[$0..<$0 + word.count].elementsEqual(word) }
}
