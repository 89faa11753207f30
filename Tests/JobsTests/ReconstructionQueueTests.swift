import Capture
import Session
import Synchronization
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct ReconstructionQueueTests {
  @Test func aModelEndsInTheLibraryAndEverythingIsTold() async throws {
    let workshop = try Workshop(Workshop.makesModel)
    let id = try await workshop.queue.enqueue(workshop.request("s1", name: "blue vase"))
    let record = try await workshop.until(id, .completed)
    #expect(record.model == "m1")
    let states = workshop.events.compactMap { if case .state(let record, _) = $0 { record.phase } else { nil } }
    #expect(states == ["queued", "running", "completed"])
    #expect(
      workshop.events.contains(
        .sample(job: id, verdict: "skipped", name: "0003-left.jpg", reason: "blurred")))
    #expect(
      workshop.events.contains(.notice(job: id, text: "stitchingIncomplete: pass 2: too little texture")))
    let model = try workshop.models.model("m1")
    #expect(model.record.name == "blue vase")
    #expect(model.record.session == "s1")
    #expect(model.record.size == SIMD3(81, 224, 80.2))
    #expect(model.bytes == 5)
    #expect(workshop.events.contains(.file(job: id, kind: "model", path: model.file, model: "m1")))
    for path in [model.file, model.webFile, model.preview, model.report] {
      #expect(FileManager.default.fileExists(atPath: path))
    }
    #expect(workshop.ledger.openReconstructions.isEmpty)
  }

  @Test func theProgramIsCalledAsAgreed() async throws {
    let workshop = try Workshop("echo \"$@\" > \"$OUT/arguments\"\n" + Workshop.makesModel)
    var request = workshop.request("s1", name: "a vase")
    request.detail = "preview"
    let id = try await workshop.queue.enqueue(request)
    _ = try await workshop.until(id, .completed)
    let output = workshop.output(of: "s1")
    #expect(
      try await workshop.text(of: output + "/arguments")
        == "reconstruct \(workshop.folder)/s1 --output \(output) --detail preview --name a vase --progress json\n")
  }

  @Test func aFailureCarriesTheProgramsOwnWords() async throws {
    let workshop = try Workshop(
      "echo '{\"event\":\"error\",\"kind\":\"insufficientViews\",\"message\":\"only 3 usable pictures\"}'\nexit 1")
    let id = try await workshop.queue.enqueue(workshop.request("s1"))
    #expect(try await workshop.until(id, .failed).reason == "only 3 usable pictures")
    #expect(try workshop.models.models().isEmpty)
  }

  @Test func aCrashIsReportedWithTheSignalAndTheLimit() async throws {
    let workshop = try Workshop(
      "echo 'Fatal error: out of cheese' >&2\nkill -SEGV $$", limits: ChildLimits(memory: 512_000_000))
    let id = try await workshop.queue.enqueue(workshop.request("s1"))
    let reason = try await workshop.until(id, .failed).reason
    #expect(reason.contains("signal 11") && reason.contains("out of cheese") && reason.contains("512 MB"))
  }

  @Test(arguments: [
    ("kill -KILL $$", "the reconstruction was killed (it may take 512 MB)", "detail=preview"),
    (
      "echo '{\"event\":\"error\",\"kind\":\"cancelled\",\"message\":\"cancelled\"}'\nexit 130", "somebody asked",
      "goes on where it was"
    )
  ]) func whoIsEndedFromOutsideIsNotSaidToHaveCancelled(script: String, what: String, advice: String) async throws {
    let workshop = try Workshop(script, limits: ChildLimits(memory: 512_000_000))
    let id = try await workshop.queue.enqueue(workshop.request("s1"))
    let reason = try await workshop.until(id, .failed).reason
    #expect(reason.contains(what) && reason.contains(advice), "\(reason)")
  }

  @Test func aProgramThatIsNotThereIsAFailureAndTheQueueGoesOn() async throws {
    let workshop = try Workshop(Workshop.makesModel)
    try FileManager.default.moveItem(atPath: workshop.program, toPath: workshop.program + ".away")
    let first = try await workshop.queue.enqueue(workshop.request("s1"))
    #expect(try await workshop.until(first, .failed).reason.contains("No such file"))
    try FileManager.default.moveItem(atPath: workshop.program + ".away", toPath: workshop.program)
    let second = try await workshop.queue.enqueue(workshop.request("s2"))
    _ = try await workshop.until(second, .completed)
  }

  @Test func moreMemoryThanAllowedEndsTheChildAndNotTheAgent() async throws {
    // tail keeps what it is given: 300 MB do not fit.
    let workshop = try Workshop(
      "head -c 300000000 /dev/zero | tail -n 1 > /dev/null || exit 9", limits: ChildLimits(memory: 100 << 20))
    let id = try await workshop.queue.enqueue(workshop.request("s1"))
    #expect(try await workshop.until(id, .failed).reason.contains("code 9"))
  }

  @Test(arguments: [true, false]) func oneThatIsExpendableYieldsToEverybodyElse(isExpendable: Bool) async throws {
    // of the child as the kernel sees it: field 19 of stat is the niceness, counted behind the name
    let workshop = try Workshop(
      """
      sed 's/.*) //' /proc/self/stat | cut -d' ' -f17 > "$OUT/nice"
      cat /proc/self/oom_score_adj > "$OUT/score"
      ionice > "$OUT/disk"
      exit 9
      """, limits: ChildLimits(niceness: 7, isExpendable: isExpendable))
    let id = try await workshop.queue.enqueue(workshop.request("s1"))
    _ = try await workshop.until(id, .failed)
    func said(_ name: String) throws -> String {
      try String(contentsOfFile: workshop.output(of: "s1") + "/" + name, encoding: .utf8).filter { $0 != "\n" }
    }
    let ours = try String(contentsOfFile: "/proc/self/oom_score_adj", encoding: .utf8).filter { $0 != "\n" }
    let stat = try String(contentsOfFile: "/proc/self/stat", encoding: .utf8)
    let niceness = stat.split(separator: ")").last?.split(separator: " ").dropFirst(16).first.flatMap { Int($0) } ?? 0
    #expect(try said("nice") == "\(niceness + 7)")
    #expect(try said("score") == (isExpendable ? "1000" : ours))
    #expect(try said("disk").hasPrefix("idle") == isExpendable)
  }

  @Test func oneRunsAtATimeInTheOrderTheyWereAskedFor() async throws {
    let workshop = try Workshop(Workshop.waits + Workshop.makesModel)
    let first = try await workshop.queue.enqueue(workshop.request("s1"))
    let second = try await workshop.queue.enqueue(workshop.request("s2"))
    #expect(second == first + 1)
    _ = try await workshop.text(of: workshop.output(of: "s1") + "/pid")
    #expect(try await workshop.jobs.job(second).state == .queued)
    #expect(!FileManager.default.fileExists(atPath: workshop.output(of: "s2") + "/pid"))
    try "go\n".write(toFile: workshop.output(of: "s1") + "/go", atomically: true, encoding: .utf8)
    _ = try await workshop.until(first, .completed)
    _ = try await workshop.text(of: workshop.output(of: "s2") + "/pid")
    try "go\n".write(toFile: workshop.output(of: "s2") + "/go", atomically: true, encoding: .utf8)
    _ = try await workshop.until(second, .completed)
    #expect(try workshop.models.models().map(\.record.id) == ["m1", "m2"])
  }

  @Test func aSessionIsNotReconstructedTwiceAtOnce() async throws {
    let workshop = try Workshop(Workshop.waits)
    let id = try await workshop.queue.enqueue(workshop.request("s1"))
    await #expect(throws: JobRefusal.self) { try await workshop.queue.enqueue(workshop.request("s1")) }
    _ = try await workshop.jobs.cancel(id)
    _ = try await workshop.until(id, .cancelled)
  }

  @Test func whatAPersonPausedIsPausedAfterARestartToo() async throws {
    let workshop = try Workshop(Workshop.waits)
    let id = try await workshop.queue.enqueue(workshop.request("s1"))
    _ = try await workshop.text(of: workshop.output(of: "s1") + "/pid")
    _ = try await workshop.jobs.pause(id)
    await workshop.queue.close()
    await workshop.jobs.flush()
    try FileManager.default.removeItem(atPath: workshop.output(of: "s1") + "/pid")

    let next = try Workshop(Workshop.waits + Workshop.makesModel, continuing: workshop)
    await next.queue.takeUpAgain()
    let again = try #require(await next.jobs.jobs.first)
    #expect(again.state == .paused && again.session == "s1")
    // it does not keep others waiting
    let other = try await next.queue.enqueue(next.request("s2"))
    _ = try await next.text(of: next.output(of: "s2") + "/pid")
    try "go\n".write(toFile: next.output(of: "s2") + "/go", atomically: true, encoding: .utf8)
    _ = try await next.until(other, .completed)
    #expect(!FileManager.default.fileExists(atPath: next.output(of: "s1") + "/pid"))
    #expect(try await next.jobs.resume(again.id).state == .queued)
    _ = try await next.text(of: next.output(of: "s1") + "/pid")
    try "go\n".write(toFile: next.output(of: "s1") + "/go", atomically: true, encoding: .utf8)
    _ = try await next.until(again.id, .completed)
    await next.jobs.flush()
    #expect(next.ledger.openReconstructions.isEmpty && !next.ledger.isPaused("s1"))
  }

  @Test func theEndOfAHoldDoesNotWakeWhatAPersonPaused() async throws {
    let workshop = try Workshop(Workshop.waits)
    let id = try await workshop.queue.enqueue(workshop.request("s1"))
    let process = try await workshop.text(of: workshop.output(of: "s1") + "/pid")
    _ = try await workshop.jobs.pause(id)
    await workshop.queue.hold("the battery is low")
    await workshop.queue.hold(nil)
    #expect(try await workshop.jobs.job(id).state == .paused)
    // nor does a person wake what is held
    await workshop.queue.hold("the battery is low")
    _ = try await workshop.jobs.resume(id)
    #expect(try await workshop.jobs.job(id).state == .paused)
    await #expect(throws: JobRefusal.self) { try await workshop.jobs.resume(id) }
    while Workshop.state(of: process) != "T" { try await Task.sleep(for: .milliseconds(5)) }
    await workshop.queue.hold(nil)
    #expect(try await workshop.jobs.job(id).state == .running)
    _ = try await workshop.jobs.cancel(id)
    _ = try await workshop.until(id, .cancelled)
  }

  @Test func cancellingAsksTheProgramFirst() async throws {
    let workshop = try Workshop("trap 'echo asked > \"$OUT/asked\"; exit 130' TERM\n" + Workshop.waits)
    let id = try await workshop.queue.enqueue(workshop.request("s1"))
    let process = try await workshop.text(of: workshop.output(of: "s1") + "/pid")
    _ = try await workshop.until { if case .progress = $0 { true } else { false } }
    #expect(try await workshop.jobs.cancel(id).state == .cancelling)
    _ = try await workshop.until(id, .cancelled)
    #expect(FileManager.default.fileExists(atPath: workshop.output(of: "s1") + "/asked"))
    #expect(Workshop.state(of: process) == nil)
    await #expect(throws: JobRefusal.self) { try await workshop.jobs.cancel(id) }
  }

  @Test func aProgramThatDoesNotListenIsKilled() async throws {
    let workshop = try Workshop("trap '' TERM\n" + Workshop.waits, patience: .milliseconds(100))
    let id = try await workshop.queue.enqueue(workshop.request("s1"))
    let process = try await workshop.text(of: workshop.output(of: "s1") + "/pid")
    _ = try await workshop.until { if case .progress = $0 { true } else { false } }
    _ = try await workshop.jobs.cancel(id)
    _ = try await workshop.until(id, .cancelled)
    #expect(Workshop.state(of: process) == nil)
  }

  @Test func aPausedJobStandsStillAndGoesOn() async throws {
    let workshop = try Workshop(Workshop.waits + Workshop.makesModel)
    let id = try await workshop.queue.enqueue(workshop.request("s1"))
    let process = try await workshop.text(of: workshop.output(of: "s1") + "/pid")
    #expect(try await workshop.jobs.pause(id).state == .paused)
    while Workshop.state(of: process) != "T" { try await Task.sleep(for: .milliseconds(5)) }
    try "go\n".write(toFile: workshop.output(of: "s1") + "/go", atomically: true, encoding: .utf8)
    #expect(try await workshop.jobs.resume(id).state == .running)
    _ = try await workshop.until(id, .completed)
  }

  @Test func aPausedJobCanBeCancelled() async throws {
    let workshop = try Workshop(Workshop.waits)
    let id = try await workshop.queue.enqueue(workshop.request("s1"))
    let process = try await workshop.text(of: workshop.output(of: "s1") + "/pid")
    _ = try await workshop.jobs.pause(id)
    while Workshop.state(of: process) != "T" { try await Task.sleep(for: .milliseconds(5)) }
    _ = try await workshop.jobs.cancel(id)
    _ = try await workshop.until(id, .cancelled)
    #expect(Workshop.state(of: process) == nil)
  }

  @Test func aQueuedJobThatIsCancelledNeverRuns() async throws {
    let workshop = try Workshop(Workshop.waits + Workshop.makesModel)
    let first = try await workshop.queue.enqueue(workshop.request("s1"))
    let second = try await workshop.queue.enqueue(workshop.request("s2"))
    _ = try await workshop.jobs.cancel(second)
    _ = try await workshop.until(second, .cancelled)
    _ = try await workshop.text(of: workshop.output(of: "s1") + "/pid")
    try "go\n".write(toFile: workshop.output(of: "s1") + "/go", atomically: true, encoding: .utf8)
    _ = try await workshop.until(first, .completed)
    // A third one proves that the queue went past the second.
    try FileManager.default.createDirectory(
      atPath: workshop.output(of: "s3"), withIntermediateDirectories: true)
    try "go\n".write(toFile: workshop.output(of: "s3") + "/go", atomically: true, encoding: .utf8)
    let third = try await workshop.queue.enqueue(workshop.request("s3"))
    _ = try await workshop.until(third, .completed)
    #expect(!FileManager.default.fileExists(atPath: workshop.output(of: "s2") + "/pid"))
    #expect(workshop.ledger.openReconstructions.isEmpty)
  }

  @Test func aLowBatteryStopsWhatRunsAndRefusesMore() async throws {
    let workshop = try Workshop(Workshop.waits + Workshop.makesModel)
    let id = try await workshop.queue.enqueue(workshop.request("s1"))
    let process = try await workshop.text(of: workshop.output(of: "s1") + "/pid")
    await workshop.queue.hold("battery main is at 12 %")
    #expect(try await workshop.jobs.job(id).state == .paused)
    #expect(try await workshop.jobs.job(id).reason == "battery main is at 12 %")
    while Workshop.state(of: process) != "T" { try await Task.sleep(for: .milliseconds(5)) }
    do throws(JobRefusal) {
      _ = try await workshop.queue.enqueue(workshop.request("s2"))
      Issue.record("accepted")
    } catch {
      #expect(error.kind == .lowBattery)
    }
    try "go\n".write(toFile: workshop.output(of: "s1") + "/go", atomically: true, encoding: .utf8)
    await workshop.queue.hold(nil)
    _ = try await workshop.until(id, .completed)
  }

  @Test func whatNobodyCouldAskForAgainWaitsForTheBattery() async throws {
    let workshop = try Workshop(Workshop.makesModel)
    await workshop.queue.hold("battery main is at 12 %")
    let id = try await workshop.queue.enqueue(workshop.request("s1"), waits: true)
    let queued = try await workshop.jobs.job(id)
    #expect(queued.state == .queued && queued.reason == "battery main is at 12 %")
    #expect(workshop.ledger.openReconstructions.map(\.session) == ["s1"])
    await workshop.queue.hold(nil)
    #expect(try await workshop.until(id, .completed).model == "m1")
  }

  @Test func onlyWhatIsWantedIsMade() async throws {
    let workshop = try Workshop(
      "echo \"{\\\"event\\\":\\\"file\\\",\\\"kind\\\":\\\"poses\\\",\\\"path\\\":\\\"$OUT/poses.tsv\\\"}\"\n"
        + Workshop.waits)
    let id = try await workshop.queue.enqueue(workshop.request("s1", outputs: ["poses"]))
    let record = try await workshop.until(id, .completed)
    #expect(record.model == nil)
  }

  @Test func whatWasUnderWayIsTakenUpAfterARestart() async throws {
    let before = try Workshop(Workshop.waits)
    let first = try await before.queue.enqueue(before.request("s1"))
    let second = try await before.queue.enqueue(before.request("s2"))
    _ = try await before.text(of: before.output(of: "s1") + "/pid")
    await before.queue.close()
    _ = try await before.until(first, .cancelled)
    await before.jobs.flush()
    let after = try Workshop(Workshop.makesModel, continuing: before)
    #expect(after.ledger.openReconstructions.map(\.session) == ["s1", "s2"])
    await after.queue.takeUpAgain()
    _ = try await after.until(second + 1, .completed)
    _ = try await after.until(second + 2, .completed)
    #expect(try after.models.models().compactMap(\.record.session) == ["s1", "s2"])
    await after.jobs.flush()
    #expect(try JobLedger(folder: before.folder) { Issue.record("\($0)") }.openReconstructions.isEmpty)
  }

  @Test(arguments: ["{\"lastJob\":", "{\"lastJob\":9223372036854775807,\"open\":[]}", "{\"lastJob\":-1,\"open\":[]}"])
  func aDamagedLedgerCountsAsEmptyAndIsToldOf(_ text: String) async throws {
    let workshop = try Workshop("")
    let path = "\(workshop.folder)/jobs.json"
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    let told = Mutex<[SessionError]>([])
    let ledger = try JobLedger(folder: workshop.folder) { error in told.withLock { $0.append(error) } }
    #expect(ledger.lastJob == 0)
    #expect(told.withLock { $0 }.map(\.kind) == [.damaged] && told.withLock { $0 }.first?.path == path)
    // what was to be reconstructed can still be read there, also after a second damage
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    _ = try JobLedger(folder: workshop.folder) { error in told.withLock { $0.append(error) } }
    for (number, copy) in ["\(path).damaged", "\(path).damaged-2"].enumerated() {
      #expect(try String(contentsOfFile: copy, encoding: .utf8) == text)
      #expect(told.withLock { $0 }[number].remedy?.contains("\(copy):") == true)
    }
  }
}
