/// The agent's commands as this program knows them without an agent: for completions, and for telling a slip. Tests compare
/// them with what an agent says.
enum AgentSyntax {
  /// A command.
  struct Entry {
    /// Its own words.
    let path: [String]
    /// What may stand there as a word, as far as there is a list.
    let words: [String]
    /// The keys it takes, each with its values as far as there is a list.
    let keys: [(name: String, values: [String])]

    /// From a line of the table.
    init(_ line: Substring) {
      let parts = line.split(separator: ":", maxSplits: 1)
      path = parts[0].split { $0.isWhitespace }.map(String.init)
      var words: [String] = []
      var keys: [(name: String, values: [String])] = []
      for item in parts.dropFirst().first?.split(separator: " ") ?? [] {
        let sides = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let choices = sides[sides.count - 1].split(separator: "|").map(String.init)
        if sides.count == 2 { keys.append((String(sides[0]), choices)) } else { words += choices }
      }
      self.words = words
      self.keys = keys
    }
  }

  /// All of them.
  static let entries = text.split(separator: "\n").map { Entry($0) }

  /// `path: word|word key= key=value|value`.
  private static let text = """
    help:
    watch: state|progress|coverage|feedback|prompt|sample|file|battery|button|device until=
    unwatch:
    version:
    caps:
    status:
    health:
    capture start: name= shots= passes= detail=preview|reduced|medium overcapture=yes|no box=
    capture pause:
    capture resume:
    capture cancel:
    capture finish:
    shot:
    box: set=
    box reset:
    coverage:
    answer: cleared|placed|flipped|height|finish|skip
    sessions:
    session:
    reconstruct: detail=preview|reduced|medium output=model|poses|bounds|pointcloud
    models:
    model:
    model set: name= description= url= price=
    jobs:
    job:
    job pause:
    job resume:
    job cancel:
    move: turntable= pan= tilt= speed=
    spin: turntable|pan|tilt velocity=
    home: turntable|pan|tilt
    stop:
    limits: turntable|pan|tilt
    battery:
    buttons:
    light:
    camera lock:
    camera unlock:
    config:
    config reload:
    """
}
