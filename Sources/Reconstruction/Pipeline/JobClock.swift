import Synchronization

#if canImport(Glibc)
  import Glibc
#endif

/// How long stages take, in seconds of two cores of a desktop machine, from what is known beforehand. Only the proportions
/// matter: the running job's own speed scales them.
struct StageCosts: Sendable {
  private(set) var seconds: [ReconstructionStage: Double]

  /// Costs for `views` pictures of `megapixels` each, the options of a job.
  init(views: Int, megapixels: Double, options: ReconstructionOptions) {
    let n = Double(views)
    let texels = Double(options.textureSize * options.textureSize) / 4e6
    let depth = Double(DepthStage.Options(detail: options.detail).pixelsPerView) / 160_000
    let budget = Double(options.triangles) / 25_000
    let object = min(1, megapixels / 0.5)  // small pictures have fewer pixels of the object than the depth maps allow
    seconds = [
      .input: 0.2, .masks: 0.03 * n * megapixels, .poses: 0.25 * n * max(0.4, megapixels / 1.9),
      .depth: 0.6 * n * depth * object, .surface: 12, .simplify: 1, .unwrap: 0.8 * budget,
      .texture: 0.5 + 0.03 * n + 0.6 * texels, .bake: 2.5 * texels, .write: 1.5 * texels + 0.8
    ]
  }

  subscript(stage: ReconstructionStage) -> Double { seconds[stage] ?? 0 }
}

/// Keeps the time of a running job: what each stage took, how much of the whole is done, and what is left.
final class JobClock: Sendable {
  /// What a stage took.
  struct Lap: Sendable {
    var stage: ReconstructionStage
    var seconds: Double
    var cpuSeconds: Double
    var isResumed: Bool
  }

  private struct State {
    var costs: StageCosts
    var stage: ReconstructionStage?
    var share = 0.0
    var laps: [Lap] = []
    var stageStart = 0.0
    var stageStartCPU = 0.0
    var lastLook = 0.0
    var gaps = 0.0
    var highest = 0.0
    var lastReport = -1.0
  }

  private let clock = ContinuousClock()
  private let start: ContinuousClock.Instant
  private let state: Mutex<State>

  /// A job that starts now.
  init(_ costs: StageCosts) {
    start = clock.now
    state = Mutex(State(costs: costs))
  }

  /// Seconds since the start, without the time the process was stopped: steps come several times a second, so a long gap
  /// between two looks is a pause.
  private func now(_ state: inout State) -> Double {
    let elapsed = clock.now - start
    let raw = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) * 1e-18
    if raw - state.lastLook > 30 { state.gaps += raw - state.lastLook - 1 }
    state.lastLook = raw
    return raw - state.gaps
  }

  /// Better costs, once the input is known.
  func expect(_ costs: StageCosts) { state.withLock { $0.costs = costs } }

  /// A stage begins.
  func begin(_ stage: ReconstructionStage) {
    state.withLock { state in
      state.stage = stage
      state.share = 0
      state.stageStart = now(&state)
      state.stageStartCPU = processSeconds()
    }
  }

  /// The running stage ends.
  func end(isResumed: Bool) {
    state.withLock { state in
      guard let stage = state.stage else { return }
      let lap = Lap(
        stage: stage, seconds: now(&state) - state.stageStart, cpuSeconds: processSeconds() - state.stageStartCPU,
        isResumed: isResumed)
      state.laps.append(lap)
      state.stage = nil
      state.share = 0
    }
  }

  /// The running stage is done to `share`. Returns the whole job's fraction and the seconds left, or nil where the last
  /// report is less than a quarter of a second ago.
  func step(_ share: Double, always: Bool = false) -> (fraction: Double, remaining: Double?)? {
    state.withLock { state in
      let time = now(&state)
      state.share = min(max(share, state.share), 1)
      guard always || time - state.lastReport > 0.25 else { return nil }
      state.lastReport = time
      return Self.estimate(&state, time)
    }
  }

  /// What the stages took so far.
  var laps: [Lap] { state.withLock { $0.laps } }
  /// Seconds since the start.
  var elapsed: Double { state.withLock { now(&$0) } }

  private static func estimate(_ state: inout State, _ time: Double) -> (fraction: Double, remaining: Double?) {
    let done = state.laps.filter { !$0.isResumed }
    let inStage = state.stage == nil ? 0 : time - state.stageStart
    let expected = state.stage.map { state.costs[$0] } ?? 0
    // this machine's speed against the table's, from everything done so far, with two seconds' trust in the table
    let spent = done.reduce(0) { $0 + $1.seconds } + inStage
    let planned = done.reduce(0) { $0 + state.costs[$1.stage] } + expected * state.share
    let pace = (spent + 2) / (planned + 2)
    var left = expected * (1 - state.share) * pace
    if state.share > 0 {
      // the stage's own pace counts for more the further it is
      let own = inStage * (1 - state.share) / state.share
      let trust = min(1, state.share * 4)
      left = own * trust + left * (1 - trust)
    }
    // stages run in order, and a checkpoint of a later one lets an earlier one be left out altogether
    let latest = state.stage ?? state.laps.last?.stage
    let toCome = latest.map { last in ReconstructionStage.allCases.drop { $0 != last }.dropFirst() }
    left += (toCome ?? ReconstructionStage.allCases[...]).reduce(0) { $0 + state.costs[$1] * pace }
    let fraction = spent + left > 0 ? spent / (spent + left) : 0
    state.highest = min(max(state.highest, fraction), 1)
    return (state.highest, spent > 1.5 ? left : nil)
  }

  private func processSeconds() -> Double { JobClock.processSeconds() }

  /// Processor time of this process so far.
  static func processSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  /// The largest resident size so far, in bytes.
  static func memoryPeak() -> Int {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss * 1024
  }
}
