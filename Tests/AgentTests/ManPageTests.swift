import Control
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#endif

/// The man pages as they are installed, against the programs they describe.
@Suite struct ManPageTests {
  private static let pages = ["twinrig.1", "twinrig-board.5", "twinrig.toml.5", "twinrig-protocol.7", "twinrigd.8"]
  private static let packaging = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined() + "/packaging"

  /// What a shell prints and says of a command.
  private func output(of command: String) throws -> String {
    let path = "/tmp/twinrig-page-\(UUID().uuidString.prefix(8))"
    defer { unlink(path) }
    let status = system("{ \(command); } >\(path) 2>&1 </dev/null")
    #expect(status == 0, "\(command)")
    return try String(contentsOfFile: path, encoding: .utf8)
  }

  /// A page's words, without roff's signs.
  private func words(of page: String) throws -> String {
    var text = try output(of: "\(Self.packaging)/man/page \(page)")
    for (sign, plain) in [("\\-", "-"), ("\\fB", ""), ("\\fP", ""), ("\\&", "")] {
      text = text.replacing(sign, with: plain)
    }
    return text
  }

  @Test func theProtocolsPageHasEveryVerbKeyEventAndToken() async throws {
    let agent = try await RunningAgent.start()
    let client = try await agent.client()
    defer { client.close() }
    let page = try words(of: "twinrig-protocol.7")
    let lines = Set(page.split(separator: "\n").flatMap { $0.split(separator: " · ") }.map(String.init))
    for usage in try await client.ask(line: "help").data.compactMap({ $0.text("usage") }) {
      let path = usage.split(separator: " ").prefix { $0.allSatisfy { $0.isLowercase || $0 == "-" } }
      let verb = path.joined(separator: " ")
      #expect(lines.contains { $0 == verb || $0.hasPrefix(verb + " ") }, "\(verb)")
      for field in try await client.ask(line: "help \(verb)").data {
        guard let key = field.text("key") else { continue }
        // axes are named as the rig names them
        #expect(page.contains("\(key)=") || verb == "move" && page.contains(key), "\(verb): \(key)=")
      }
    }
    let choice = try await client.ask(line: "help watch").data.first { $0.text("word") == "CLASS" }?.text("is") ?? ""
    let classes = choice.split(separator: ":").last?.split { !$0.isLetter }.map(String.init).filter { $0 != "or" } ?? []
    #expect(classes.count >= 9, "\(choice)")
    for name in classes { #expect(lines.contains(name), "\(name)") }
    for token in Refusal.Token.allCases { #expect(lines.contains(token.rawValue), "\(token)") }
    try await agent.cleanUp()
  }

  @Test func theProgramsPageHasEveryCommandOfItsOwn() throws {
    let page = try words(of: "twinrig.1")
    let help = try output(of: "\(try RunningAgent.neighbour("twinrig")) --socket /nonexistent/s --json help")
    let usages = help.split(separator: "\n").compactMap { line in
      line.split(separator: "\"usage\":\"").dropFirst().first?.prefix { $0 != " " && $0 != "\"" }
    }
    #expect(usages.count >= 6)
    for command in usages where command != "help" { #expect(page.contains(".It Cm \(command)"), "\(command)") }
  }

  /// Where groff is, as wherever man pages can be read.
  @Test(.enabled(if: access("/usr/bin/groff", X_OK) == 0)) func everyPageIsSetWithoutAWarning() throws {
    for page in Self.pages {
      let said = try output(of: "\(Self.packaging)/man/page \(page) | LC_ALL=C.UTF-8 groff -t -mdoc -ww -z -K utf8")
      #expect(said.isEmpty, "\(page): \(said)")
    }
  }
}
