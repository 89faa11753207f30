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
      --cameras FILE      a Middlebury par.txt, or the folder of a COLMAP text model
      --output DIR        where results go (SESSION/result, or IMAGES-model beside the pictures)
      --detail LEVEL      preview, reduced (default) or medium
      --triangles N       triangles at most, instead of the level's
      --texture-size N    edge length of the maps, instead of the level's
      --name NAME         the model's name inside the files
      --unit MM           millimetres in one unit of foreign cameras, 1e-6 to 1e6
      --fine-mesh         also write the surface before simplification, fine.ply
      --no-points         do not write points.ply
      --threads N         threads to use (all processors)
      --memory-limit MB   end rather than use more memory than this
      --progress json     one JSON object per line on standard output instead of a progress bar
    exit status: 0 done, 1 failed, 2 wrong command line or input (too few usable pictures, too), 5 not enough memory,
    130 cancelled; a cancelled or killed job goes on where it was when it is started again with the same words
    """

  /// Whether these arguments (those after `reconstruct`) are for this command and not a request to the agent: they name a
  /// folder that is there, or an option.
  static func handles(_ arguments: [String]) -> Bool {
    arguments.isEmpty
      || arguments.contains { $0.hasPrefix("--") || $0.contains("/") || access($0, F_OK) == 0 }
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
  private var isJSON = false

  /// Something is wrong with the command line.
  private struct Misuse: Error { var message: String }

  /// Does what the arguments after `reconstruct` say and returns the exit status.
  static func run(_ arguments: [String]) async -> Int32 {
    do {
      let command = try ReconstructCommand(arguments)
      return await command.perform()
    } catch {
      Terminal.complain("twinrig reconstruct: " + ((error as? Misuse)?.message ?? "\(error)"))
      Terminal.complain(lines: usage)
      return ExitCode.usage
    }
  }

  private init(_ arguments: [String]) throws {
    var rest = arguments[...]
    func value(_ option: String) throws -> String {
      guard let value = rest.popFirst() else { throw Misuse(message: "\(option) needs a value") }
      return value
    }
    func number(_ option: String, _ range: ClosedRange<Int>) throws -> Int {
      let text = try value(option)
      guard let number = Int(text), range.contains(number) else {
        throw Misuse(
          message: "\(option) is \(text); it must be a whole number from \(range.lowerBound) to \(range.upperBound)")
      }
      return number
    }
    while let word = rest.popFirst() {
      switch word {
      case "--cameras": cameras = try value(word)
      case "--output": output = try value(word)
      case "--detail":
        let text = try value(word)
        guard let level = DetailLevel(rawValue: text) else {
          let levels = DetailLevel.allCases.map(\.rawValue)
          let hint = Spelling.question(about: text, among: levels).map { "\($0) " } ?? ""
          throw Misuse(message: "--detail is \(text); \(hint)this machine offers \(levels.joined(separator: ", "))")
        }
        detail = level
      case "--triangles": triangles = try number(word, 100...1_000_000)
      case "--texture-size": textureSize = try number(word, 256...8192)
      case "--name": name = try value(word)
      case "--unit":
        let text = try value(word)
        guard let number = Double(text), ReconstructionOptions.unitsInMillimetres.contains(number) else {
          throw Misuse(message: "--unit is \(text); it must be a number of millimetres from 1e-6 to 1e6")
        }
        unit = number
      case "--fine-mesh": fineMesh = true
      case "--no-points": points = false
      case "--threads": threads = try number(word, 1...256)
      case "--memory-limit": memoryLimit = try number(word, 128...1_000_000)
      case "--progress":
        let text = try value(word)
        guard ["json", "bar"].contains(text) else {
          throw Misuse(message: "--progress is \(text); it must be json or bar")
        }
        isJSON = text == "json"
      default:
        if word.hasPrefix("-") {
          let options = Spelling.options(in: Self.usage)
          throw Misuse(message: Spelling.unknownOption(word, among: options, see: "twinrig reconstruct --help"))
        }
        if !input.isEmpty { throw Misuse(message: "one input at a time: \(input) and \(word)") }
        input = word
      }
    }
    if input.isEmpty { throw Misuse(message: "which session or folder of pictures?") }
    if unit != nil, cameras == nil {
      throw Misuse(message: "--unit is for foreign cameras; what a rig has scanned is in millimetres")
    }
    while input.count > 1, input.hasSuffix("/") { input.removeLast() }
    if cameras == nil, access(input, F_OK) == 0, access(input + "/session.json", F_OK) != 0 {
      throw Misuse(message: "\(input) is not a session (no session.json in it); pictures need --cameras FILE")
    }
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
    let face: any ReconstructionFace = isJSON ? JSONFace() : BarFace()
    Interruption.install()
    let lastWords = LastWords(isJSON: isJSON)
    return await withCheckedContinuation { done in
      let isStarted = Console.start("reconstruct") {
        do throws(ReconstructionError) {
          _ = try job.run(cancellation: Interruption.cancellation) { event in
            lastWords.follow(event)
            face.show(event)
          }
          done.resume(returning: ExitCode.done)
        } catch {
          done.resume(returning: Self.exitCode(error))
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

  private static func exitCode(_ error: ReconstructionError) -> Int32 {
    switch error.kind {
    case .cancelled: ExitCode.cancelled
    case .invalidInput, .insufficientViews: ExitCode.usage
    case .outOfMemory: ExitCode.memory
    default: ExitCode.failed
    }
  }
}
