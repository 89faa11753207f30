import Control

/// Every line of the input as a request and as an answer: nothing may trap, and what is accepted as a request must mean
/// the same when it is said again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRequest(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
    _ = try? Line(line)
    guard let request = try? Request(line: line) else { continue }
    let again = Array(request.description.utf8)
    // Saying it again may need more room (quotes), but nothing else may be different.
    if again.count <= Request.longestLine, (try? Request(line: again[...])) != request { fatalError("not the same") }
    _ = table.isUrgent(request)
  }
  return 0
}

private let table = CommandTable(
  [
    Command("stop", summary: "", isUrgent: true) { _ in Reply() },
    Command("capture start", keys: [Parameter("shots", .integer(4...400))], summary: "") { _ in Reply() },
    Command("job", words: .required(Parameter("ID", .integer(1...9))), summary: "") { _ in Reply() }
  ], eventClasses: [.state], jobIsRunning: { _ in nil })
