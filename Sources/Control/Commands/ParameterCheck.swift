import Spelling

extension Parameter {
  /// What is wrong with a text standing for this parameter, as the rest of "… is …"; nil when nothing is.
  func objection(to text: String) -> String? {
    switch kind {
    case .freeText: nil
    case .text: text.isEmpty ? "a text that is not empty" : nil
    case .yesNo: text == "yes" || text == "no" ? nil : "yes or no"
    case .choice(let choices): choices.contains(text) ? nil : Parameter.oneOf(choices, nearest: text)
    case .choices(let choices): Parameter.objection(to: text, of: choices)
    case .integer(let range):
      Int(text).map(range.contains) == true ? nil : "a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .number(let range, let unit):
      Parameter.plainNumber(text).map(range.contains) == true ? nil : Parameter.describe(range, unit)
    case .numbers(let count, let unit): Parameter.objection(to: text, count: count, unit: unit)
    case .job: Parameter.jobNumber(text) == nil ? "job: and a job's number" : nil
    }
  }

  /// The number in `job:12`.
  static func jobNumber(_ text: String) -> Int? {
    text.hasPrefix("job:") ? Int(text.dropFirst(4)).flatMap { $0 > 0 ? $0 : nil } : nil
  }

  private static func objection(to text: String, of choices: [String]) -> String? {
    let items = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard let wrong = items.first(where: { !choices.contains($0) }) else { return nil }
    return oneOf(choices, nearest: wrong) + ", comma between"
  }

  private static func objection(to text: String, count: Int, unit: String) -> String? {
    let items = text.split(separator: ",", omittingEmptySubsequences: false)
    let good = items.count == count && items.allSatisfy { plainNumber(String($0)) != nil }
    return good ? nil : "\(count) numbers\(unit.isEmpty ? "" : " in \(unit)"), comma between"
  }

  /// A decimal number: none of the other spellings that a C library would take.
  private static func plainNumber(_ text: String) -> Double? {
    guard text.utf8.allSatisfy({ "+-.eE0123456789".utf8.contains($0) }), let value = Double(text), value.isFinite else {
      return nil
    }
    return value
  }

  private static func describe(_ range: ClosedRange<Double>, _ unit: String) -> String {
    let between = "a number from \(short(range.lowerBound)) to \(short(range.upperBound))"
    return unit.isEmpty ? between : "\(between) \(unit)"
  }

  private static func short(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
  }

  private static func oneOf(_ choices: [String], nearest text: String) -> String {
    let list =
      choices.count < 2
      ? choices.joined() : choices.dropLast().joined(separator: ", ") + " or " + choices[choices.count - 1]
    return Spelling.nearest(to: text, among: choices).map { "\(list); did you mean \($0)?" } ?? list
  }
}
