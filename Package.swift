// swift-tools-version: 6.0
// The layers, bottom to top, and why each exists: docs/architecture.md. Imports go down only.
import Foundation
import PackageDescription

/// Where the headers of another machine lie when it is built for that one (tools/cross); empty for this machine.
let sysroot = ProcessInfo.processInfo.environment["TWINRIG_SYSROOT"] ?? ""

/// Debian 12 has Embree 3, Debian 13 has Embree 4; the shim compiles against either.
let embree =
  ["/usr/include", "/usr/local/include"].contains {
    FileManager.default.fileExists(atPath: sysroot + $0 + "/embree4/rtcore.h")
  }
  ? "embree4" : "embree3"

let warnings: [SwiftSetting] = [.enableUpcomingFeature("ExistentialAny")]

/// C kernels and shims are optimised in debug builds too: an unoptimised kernel makes the tests useless.
let optimised: [CSetting] = [.unsafeFlags(["-O3", "-Wall", "-Wextra", "-Werror"])]
/// Eigen has its headers in a folder of their own; Ceres includes them without it.
let optimisedCXX: [CXXSetting] = [
  .unsafeFlags(["-O2", "-Wall", "-Wextra", "-isystem", sysroot + "/usr/include/eigen3"])
]

func shim(_ name: String, links: [String] = []) -> Target {
  .target(
    name: name, cSettings: optimised, cxxSettings: optimisedCXX,
    linkerSettings: links.map { .linkedLibrary($0) })
}

/// libcamera's headers stand in a folder of their own.
let libcameraCXX: [CXXSetting] = [
  .unsafeFlags(["-O2", "-Wall", "-Wextra", "-Werror", "-isystem", sysroot + "/usr/include/libcamera"])
]

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: warnings)
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(name: name, dependencies: dependencies, swiftSettings: warnings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies, swiftSettings: warnings)
}

let package = Package(
  name: "twinrig",
  products: [
    .executable(name: "twinrigd", targets: ["twinrigd"]),
    .executable(name: "twinrig", targets: ["twinrig"]),
    .executable(name: "twinrig-bench", targets: ["twinrig-bench"])
  ],
  targets: [
    // shims: the only places that see a C or C++ library
    shim("CLinux"),
    shim("CJPEG", links: ["jpeg"]),
    shim("CPNG", links: ["png"]),
    shim("CHEIF", links: ["heif"]),
    shim("CRender"),
    shim("CTOML"),
    shim("CSolver", links: ["ceres", "glog"]),
    shim("CMesh", links: ["meshoptimizer", embree]),
    shim("CGpiod", links: ["gpiod"]),
    shim("CI2C", links: ["i2c"]),
    .target(
      name: "CCamera", cxxSettings: libcameraCXX,
      linkerSettings: [.linkedLibrary("camera"), .linkedLibrary("camera-base")]),
    // kernels
    shim("CDepth"),
    shim("CFeatures"),
    shim("CMasks"),
    // pixels, bytes, codecs
    shim("CImaging"),
    module("Imaging", ["CImaging"]),
    module("Files"),
    module("Spelling"),
    module("Media", ["Files"]),
    module("Codecs", ["Imaging", "Media", "CJPEG", "CPNG", "CHEIF"]),
    // nouns
    module("Rig", ["Imaging"]),
    module("Threads", ["CLinux"]),
    module("Journal", ["CLinux"]),
    module("Session", ["Imaging", "Files", "CLinux"]),
    module("Configuration", ["Rig", "Imaging", "Files", "Spelling", "CTOML"]),
    // engines
    module("SimulatedRig", ["Rig", "Imaging", "Files", "Codecs", "Media", "CRender"]),
    module("LinuxRig", ["Rig", "Imaging", "Threads", "CLinux", "CGpiod", "CI2C", "CCamera"]),
    module(
      "Reconstruction",
      [
        "Imaging", "Files", "Codecs", "Media", "Session", "CDepth", "CMasks", "CFeatures", "CSolver", "CMesh", "CLinux"
      ]),
    // what this board has, as configured
    module("Board", ["Configuration", "Rig", "SimulatedRig", "LinuxRig", "Imaging", "CLinux"]),
    // jobs
    module("Capture", ["Rig", "Imaging", "Files", "Codecs", "Media", "Session", "Threads", "CLinux"]),
    module("Control", ["Threads", "Spelling", "CLinux"]),
    // programs
    program(
      "twinrigd",
      [
        "Board", "Capture", "Configuration", "Control", "Journal", "Rig", "Session", "Imaging", "Threads", "Spelling",
        "CLinux"
      ]),
    program("twinrig", ["Board", "Configuration", "Control", "Files", "Reconstruction", "Spelling", "CLinux"]),
    program(
      "twinrig-bench",
      ["Imaging", "Codecs", "Media", "Reconstruction", "CMesh", "Session", "SimulatedRig", "Rig", "Spelling"]),
    // tests
    // what every device driver promises, as functions over the protocols of Rig
    .target(
      name: "RigContract", dependencies: ["Rig", "Imaging"], path: "Tests/RigContract", swiftSettings: warnings),
    // what several test targets need
    .target(
      name: "TestSupport", dependencies: ["Codecs", "Imaging"], path: "Tests/TestSupport",
      swiftSettings: warnings),
    tests("SimulatedRigTests", ["SimulatedRig", "RigContract", "Rig", "Imaging", "Codecs", "Media"]),
    tests("LinuxRigTests", ["LinuxRig", "RigContract", "Rig", "Imaging", "CLinux"]),
    tests("RigTests", ["Rig", "RigContract", "SimulatedRig", "Imaging"]),
    tests(
      "BoardTests", ["Board", "Capture", "LinuxRig", "SimulatedRig", "Session", "Configuration", "Rig", "Imaging"]),
    tests("FilesTests", ["Files"]),
    tests("JournalTests", ["Journal", "CLinux"]),
    tests("SessionTests", ["Session", "Imaging"]),
    tests(
      "CaptureTests",
      ["Capture", "Rig", "Session", "SimulatedRig", "Imaging", "Codecs", "Media", "scan-child", "TestSupport"]),
    .executableTarget(
      name: "scan-child", dependencies: ["Capture", "Rig", "Session", "SimulatedRig", "Imaging"],
      path: "Tests/ScanChild", swiftSettings: warnings),
    // for boards, real and emulated: tries the cameras that are there
    .executableTarget(
      name: "camera-probe", dependencies: ["LinuxRig", "RigContract", "Rig", "Imaging"], path: "Tests/CameraProbe",
      exclude: ["virtual"],
      swiftSettings: warnings),
    // likewise everything else that a configuration names
    .executableTarget(
      name: "rig-probe", dependencies: ["Board", "Configuration", "RigContract", "Rig", "Imaging"],
      path: "Tests/RigProbe",
      swiftSettings: warnings),
    tests("ImagingTests", ["Imaging", "TestSupport"]),
    tests("MediaTests", ["Media", "TestSupport"]),
    tests("BenchTests", ["twinrig-bench", "Media"]),
    tests("ConfigurationTests", ["Configuration", "Imaging"]),
    tests("CodecsTests", ["Codecs", "Imaging", "Media", "TestSupport"]),
    tests("DepthTests", ["Reconstruction", "CDepth", "Imaging", "Media", "TestSupport"]),
    tests("MasksTests", ["Reconstruction", "CMasks", "Codecs", "Imaging"]),
    tests("JobsTests", ["Capture", "Session"]),
    tests("AgentTests", ["Control", "CLinux", "twinrigd", "twinrig", "TestSupport"]),
    tests("ControlTests", ["Control", "CLinux", "TestSupport"]),
    tests(
      "PosesTests", ["Reconstruction", "Session", "SimulatedRig", "Rig", "Codecs", "Imaging", "CSolver"]),
    tests("ReconstructionInputTests", ["Reconstruction", "Codecs", "Imaging", "Session"]),
    tests("ModelTests", ["Reconstruction", "Codecs", "Media", "Imaging", "TestSupport"]),
    tests("EndToEndTests", ["TestSupport", "twinrig", "twinrigd", "twinrig-bench"])
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)

// TWINRIG_ONLY=NAME,NAME…: these tests, and nothing that they do not need. For builds that cost much, as sanitizers'.
if let only = ProcessInfo.processInfo.environment["TWINRIG_ONLY"], !only.isEmpty {
  var open = only.split(separator: ",").map(String.init)
  var needed: Set<String> = []
  while let name = open.popLast() {
    guard needed.insert(name).inserted, let target = package.targets.first(where: { $0.name == name }) else { continue }
    open += target.dependencies.compactMap { dependency in
      if case .byNameItem(let name, _) = dependency { name } else { nil }
    }
  }
  package.targets.removeAll { !needed.contains($0.name) }
  package.products = []
}
