import Board
import Configuration

/// `twinrigd --motors-off`: what systemd runs after the agent has ended, however it has.
struct MotorsOffCommand {
  let configuration: String
  let log: Log

  /// Switches everything off and says what could not be. Returns the exit code: 0 where nothing is on, 1 where something may
  /// be, 2 for a configuration that cannot be used.
  func run() async -> Int32 {
    let settings: TwinrigConfiguration
    do throws(ConfigurationError) { settings = try TwinrigConfiguration(file: configuration) } catch {
      for problem in error.problems { log.error(problem.description) }
      return 2
    }
    let outcomes = await MotorsOff(settings).run()
    for outcome in outcomes {
      switch outcome.error {
      case nil: log.info("\(outcome.name): is off")
      case let error? where outcome.isTrouble: log.error("\(error); it may still be on")
      case let error?: log.warning("\(error)")
      }
    }
    return outcomes.contains(where: \.isTrouble) ? 1 : 0
  }
}
