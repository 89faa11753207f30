import Capture
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Asking for the power to be switched off, with a script in the place of systemd's program.
@Suite(.timeLimit(.minutes(1))) struct PowerOffTests {
  /// Asks a shell script; returns the error, and what the script left in `asked`.
  private func ask(_ script: String, patience: Duration = .seconds(30)) async throws -> (PowerOffError?, String) {
    let folder = "/tmp/twinrig-power-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let power = PowerOff(
      program: "/bin/sh", arguments: ["-c", "cd \(folder)\n\(script)", "sh", "call", "PowerOff"], patience: patience)
    var failure: PowerOffError?
    do throws(PowerOffError) { try await power.ask() } catch { failure = error }
    return (failure, (try? String(contentsOfFile: folder + "/asked", encoding: .utf8)) ?? "")
  }

  @Test func oneThatIsGrantedIsAskedForOnce() async throws {
    let (failure, asked) = try await ask("echo \"$@\" >>asked")
    #expect(failure == nil && asked == "call PowerOff\n")
  }

  @Test func aRefusalIsToldWithWhatToDo() async throws {
    let (failure, _) = try await ask("echo 'Call failed: Interactive authentication required.' >&2; exit 1")
    let text = failure?.description ?? ""
    #expect(text.contains("Interactive authentication required.") && text.contains("polkit rule"), "\(text)")
    #expect(text.contains("by hand"))
  }

  @Test func oneThatIsNotAnsweredIsGivenUp() async throws {
    let (failure, _) = try await ask("exec sleep 600", patience: .milliseconds(500))
    #expect(failure?.reason.hasPrefix("no answer in") == true, "\(String(describing: failure))")
  }

  @Test func aProgramThatIsNotThereIsToldToo() async throws {
    do throws(PowerOffError) {
      try await PowerOff(program: "/no/such/program").ask()
      Issue.record("it was granted")
    } catch {
      #expect(error.description.contains("/no/such/program: cannot be run: No such file"), "\(error)")
    }
  }
}
