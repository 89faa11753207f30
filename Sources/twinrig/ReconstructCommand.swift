import Reconstruction
import Spelling

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#endif

/// `twinrig reconstruct`: a model from a session or from posed pictures, on this machine, without the agent.
///
/// Exit status: 0 done, 1 failed, 2 the command line or the input is wrong, 5 not enough memory, 130 cancelled (SIGINT or
/// SIGTERM).
struct ReconstructCommand {
  /// What `--help` says.
  static let usage = """
    usage: twinrig reconstruct SESSION [options]                 a scan of a rig
           twinrig reconstruct IMAGES --cameras FILE [options]   pictures with known cameras
           twinrig reconstruct ID [detail=] [output=]            asks the agent for it, of a session of its own
      --cameras FILE      a Middlebury par.txt, or the folder of a COLMAP text model
      --output DIR        where results go (SESSION/result, or IMAGES-model beside the pictures)
      --detail LEVEL      preview, reduced (default) or medium
      --triangles N       triangles at most, instead of the level's: 100 to 1000000
      --texture-size N    edge length of the maps, instead of the level's: 256 to 8192
      --name NAME         the model's name inside the files
      --unit MM           millimetres in one unit of foreign cameras, 1e-6 to 1e6
      --fine-mesh         also write the surface before simplification, fine.ply
      --no-points         do not write points.ply
      --threads N         threads to use, 1 to 256 (all processors)
      --memory-limit MB   end rather than use more memory than this: 128 to 1000000
      --progress json     one JSON object per line on standard output instead of a progress bar
    A word that names nothing here, has no / in it and stands without an option is the ID of one of the agent's sessions.
    The agent makes the model, as a job of its own:
      detail=LEVEL        preview, reduced or medium; as the scan was asked for where it is not given
      output=LIST         what is wanted, commas between: model (default), poses, bounds, pointcloud
    exit status: 0 done, 1 failed, 2 wrong command line or input (pictures of which no model can be made, too), 5 not enough memory,
    130 cancelled; a cancelled or killed job goes on where it was when it is started again with the same words
    """

  /// Whether these arguments (those after `reconstruct`) are for this command and not a request to the agent: they name a
  /// folder that is there, or an option.
  static func handles(_ arguments: [String]) -> Bool {
    arguments.isEmpty
      || arguments.contains { $0.hasPrefix("-") || $0.contains("/") || access($0, F_OK) == 0 }
  }

  /// Why nothing can be made of a word that names nothing here, where no agent answers to know it as a session.
  static func neither(_ word: String, _ failure: ClientFailure) -> ClientFailure {
    let here = "there is no folder \(word) here, and no agent to know a session of that name"
    return ClientFailure(code: failure.code, message: "\(here): \(failure.message)")
  }

  private var input = ""
  private var cameras: String?
  private var output: String?
  private var detail = DetailLevel.reduced
  private var triangles: Int?
  private var textureSize: Int?
  private var name: String?
  private var unit: Double?
  private var fineMesh = false
  private var points = true
  private var threads: Int?
  private var memoryLimit: Int?
  private var style = ReconstructionStyle.bar

  /// Does what the arguments after `reconstruct` say and returns the exit status. `isJSON` where all that is printed has
  /// to be JSON (`twinrig --json`).
  static func run(_ arguments: [String], isJSON: Bool) async throws(ClientFailure) -> Int32 {
    var command = try ReconstructCommand(arguments)
    if isJSON { command.style = .json }
    return await command.perform()
  }

  /// Something is wrong with the command line.
  private static func misuse(_ message: String) -> ClientFailure {
    .usage("\(message); see twinrig reconstruct --help")
  }

  private init(_ arguments: [String]) throws(ClientFailure) {
    var rest = arguments[...]
    func value(_ option: String) throws(ClientFailure) -> String {
      guard let value = rest.popFirst() else { throw Self.misuse("\(option) needs a value") }
      return value
    }
    func path(_ option: String) throws(ClientFailure) -> String {
      let path = try value(option)
      if path.isEmpty { throw Self.misuse("\(option) is followed by an empty name") }
      return path
    }
    func number(_ option: String, _ range: ClosedRange<Int>) throws(ClientFailure) -> Int {
      let text = try value(option)
      guard let number = Int(text), range.contains(number) else {
        let bounds = "from \(range.lowerBound) to \(range.upperBound)"
        throw Self.misuse("\(option) is \(text); it must be a whole number \(bounds)")
      }
      return number
    }
    while let word = rest.popFirst() {
      switch word {
      case "--cameras": cameras = try path(word)
      case "--output": output = try path(word)
      case "--detail":
        let text = try value(word)
        guard let level = DetailLevel(rawValue: text) else {
          let levels = DetailLevel.allCases.map(\.rawValue)
          let hint = Spelling.question(about: text, among: levels).map { "\($0) " } ?? ""
          throw Self.misuse("--detail is \(text); \(hint)this machine offers \(levels.joined(separator: ", "))")
        }
        detail = level
      case "--triangles": triangles = try number(word, 100...1_000_000)
      case "--texture-size": textureSize = try number(word, 256...8192)
      case "--name": name = try value(word)
      case "--unit":
        let text = try value(word)
        guard let number = Double(text), ReconstructionOptions.unitsInMillimetres.contains(number) else {
          throw Self.misuse("--unit is \(text); it must be a number of millimetres from 1e-6 to 1e6")
        }
        unit = number
      case "--fine-mesh": fineMesh = true
      case "--no-points": points = false
      case "--threads": threads = try number(word, 1...256)
      case "--memory-limit": memoryLimit = try number(word, 128...1_000_000)
      case "--progress":
        let text = try value(word)
        guard ["json", "bar"].contains(text) else {
          throw Self.misuse("--progress is \(text); it must be json or bar")
        }
        style = text == "json" ? .events : .bar
      default:
        if word.hasPrefix("-") {
          throw Self.unknown(word)
        }
        if !input.isEmpty { throw Self.misuse("one input at a time: \(input) and \(word)") }
        input = word
      }
    }
    if input.isEmpty { throw Self.misuse("which session or folder of pictures?") }
    if unit != nil, cameras == nil {
      throw Self.misuse("--unit is for foreign cameras; what a rig has scanned is in millimetres")
    }
    while input.count > 1, input.hasSuffix("/") { input.removeLast() }
    if cameras == nil, access(input, F_OK) == 0, access(input + "/session.json", F_OK) != 0, errno == ENOENT {
      throw Self.misuse("\(input) is not a session (no session.json in it); pictures need --cameras FILE")
    }
  }

  /// Why an option is not taken; those of all commands stand before the command.
  private static func unknown(_ option: String) -> ClientFailure {
    if ["--json", "--socket"].contains(option) { return ClientOptions.misplaced(option, before: "reconstruct") }
    let options = Spelling.options(in: usage)
    return .usage(Spelling.unknownOption(option, among: options, see: "twinrig reconstruct --help"))
  }

  private func perform() async -> Int32 {
    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
    if let memoryLimit {
      let bytes = rlim_t(memoryLimit) << 20
      var limit = rlimit(rlim_cur: bytes, rlim_max: bytes)
      setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
    }
    let source: ReconstructionInput =
      cameras.map { .posedImages(folder: input, cameras: $0) } ?? .session(folder: input)
    let target = output ?? (cameras == nil ? input + "/result" : input + "-model")
    var options = ReconstructionOptions(
      detail: detail, triangles: triangles, textureSize: textureSize, name: name ?? defaultName(target),
      writesFineMesh: fineMesh, writesPointCloud: points, unitInMillimetres: unit)
    if let threads { options.threads = threads }
    // a fifth of what is allowed, and no more than serves
    let pictures = min(256, (memoryLimit ?? 4096) / 5) << 20
    let job = Reconstructor(source, output: target, options: options, pictureMemory: pictures)
    let face: any ReconstructionFace = style == .bar ? BarFace() : JSONFace(style: style)
    Interruption.install()
    let lastWords = LastWords(style: style)
    return await withCheckedContinuation { done in
      let isStarted = Console.start("reconstruct") {
        do throws(ReconstructionError) {
          _ = try job.run(cancellation: Interruption.cancellation) { event in
            lastWords.follow(event)
            face.show(event)
          }
          done.resume(returning: ExitCode.done)
        } catch {
          done.resume(returning: error.exitCode)
        }
      }
      if !isStarted {
        face.show(.failed(ReconstructionError(.outOfMemory, "not enough memory for a thread; allow more")))
        done.resume(returning: ExitCode.memory)
      }
    }
  }

  private func defaultName(_ target: String) -> String {
    let last = input.split(separator: "/").last.map(String.init) ?? "model"
    // "images" says nothing; the folder above mostly does
    if ["images", "."].contains(last) {
      return input.split(separator: "/").dropLast().last.map(String.init) ?? "model"
    }
    return last
  }
}
