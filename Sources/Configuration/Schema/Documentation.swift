extension TwinrigConfiguration {
  /// This configuration as a TOML text that explains every key: what it means, what is allowed and in which unit. Read
  /// back, it is equal to this one.
  public var documentedText: String {
    var text = """
      # The configuration of a twinrig station: every key there is, with its meaning, unit and default.
      # Written by `twinrig config defaults`. A file of your own needs only the keys that differ.


      """
    DocumentedKey.append(DocumentedKey.keys(of: self), path: [], to: &text)
    return text
  }
}

extension DocumentedKey {
  fileprivate static func append(_ keys: [DocumentedKey], path: [String], to text: inout String) {
    // in TOML a table's own values come before the tables in it
    for key in keys {
      if case .value(let value, let allowed) = key.shape { key.append(value, allowed: allowed, to: &text) }
    }
    for key in keys {
      let inner = path + [key.name]
      switch key.shape {
      case .value: break
      case .table(let keys):
        text += "\n"
        comment(key.meaning, to: &text)
        text += "[\(inner.joined(separator: "."))]\n"
        append(keys, path: inner, to: &text)
      case .tables(let elements, let example):
        text += "\n"
        comment(key.meaning, to: &text)
        let header = "[[\(inner.joined(separator: "."))]]\n"
        if elements.isEmpty { appendExample(example, header: header, to: &text) }
        for (index, element) in elements.enumerated() {
          text += index == 0 ? header : "\n" + header
          append(element, documented: index == 0, to: &text)
        }
      }
    }
  }

  private func append(_ value: String?, allowed: String, to text: inout String) {
    DocumentedKey.comment(meaning, to: &text)
    text += value.map { "\(name) = \($0)  # \(allowed)\n" } ?? "# \(name): not set; \(allowed)\n"
  }

  /// One of several tables: explained once, short afterwards.
  private static func append(_ keys: [DocumentedKey], documented: Bool, to text: inout String) {
    for key in keys {
      guard case .value(let value, let allowed) = key.shape else { continue }
      if documented {
        key.append(value, allowed: allowed, to: &text)
      } else if let value {
        text += "\(key.name) = \(value)\n"
      }
    }
  }

  /// A table there is none of: all of it in comments.
  private static func appendExample(_ keys: [DocumentedKey], header: String, to text: inout String) {
    text += "# There is none. One would look like this:\n# " + header
    for key in keys {
      guard case .value(let value, let allowed) = key.shape else { continue }
      comment(key.meaning, indent: "#   ", to: &text)
      text += "# \(key.name) = \(value ?? "…")  # \(allowed)\n"
    }
  }

  /// A comment, wrapped at 110 columns.
  private static func comment(_ sentence: String, indent: String = "# ", to text: inout String) {
    var line = indent
    for word in sentence.split(separator: " ") {
      if line.count + word.count > 110, line != indent {
        while line.last == " " { line.removeLast() }
        text += line + "\n"
        line = indent
      }
      line += word + " "
    }
    while line.last == " " { line.removeLast() }
    text += line + "\n"
  }
}
