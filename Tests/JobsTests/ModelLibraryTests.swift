import Capture
import Session
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct ModelLibraryTests {
  private func library(_ body: (ModelLibrary, _ output: String) throws -> Void) throws {
    let folder = "\(FileManager.default.temporaryDirectory.path)/twinrig-models-\(UUID().uuidString.prefix(8))"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let output = "\(folder)/result"
    try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
    try "usdz".write(toFile: output + "/model.usdz", atomically: true, encoding: .utf8)
    try body(ModelLibrary(root: "\(folder)/models"), output)
  }

  @Test func modelsAreNumberedInOrderAndUnknownsAreNil() throws {
    try library { models, output in
      #expect(try models.models().isEmpty)
      for _ in 1...12 { _ = try models.add(from: output, name: "", session: nil) }
      #expect(try models.models().map(\.record.id) == (1...12).map { "m\($0)" })
      #expect(try models.model("m3").record.size == nil)
      #expect(try models.model("m3").record.name == "m3")
    }
  }

  @Test func whatPeopleSayIsChangedAndTakenBack() throws {
    try library { models, output in
      _ = try models.add(from: output, name: "vase", session: "20261130-0001")
      var change = ModelRecord.Change(
        description: "A \"blue\" vase", url: "https://example.org/v?a=1&b=2", price: "12 €")
      #expect(try models.change("m1", change).record.price == "12 €")
      change = ModelRecord.Change(name: "pot", price: "")
      _ = try models.change("m1", change)
      let record = try ModelLibrary(root: models.root).model("m1").record
      #expect(record.name == "pot" && record.price == nil && record.description == "A \"blue\" vase")
      #expect(record.url == "https://example.org/v?a=1&b=2" && record.session == "20261130-0001")
    }
  }

  @Test(arguments: ["", "m", "m0", "m01", "m999", "x1", "../m1", "m1/../m1", "m1234567890", "m-1"])
  func whatIsNoModelIsNotFound(id: String) throws {
    try library { models, output in
      _ = try models.add(from: output, name: "", session: nil)
      do throws(SessionError) {
        _ = try models.model(id)
        Issue.record("found \(id)")
      } catch {
        #expect(error.kind == .notFound)
      }
    }
  }

  @Test func anInterruptedAddAndADamagedRecordHideOnlyThemselves() throws {
    try library { models, output in
      for _ in 1...3 { _ = try models.add(from: output, name: "", session: nil) }
      // What a power cut in the middle of adding the fourth leaves.
      try FileManager.default.createDirectory(atPath: models.root + "/.m4.part", withIntermediateDirectories: true)
      try "{".write(toFile: models.root + "/m2/model.json", atomically: true, encoding: .utf8)
      #expect(try models.models().map(\.record.id) == ["m1", "m3"])
      let damaged = try models.survey().damaged
      #expect(damaged.map(\.id) == ["m2"] && damaged[0].error.path.hasSuffix("m2/model.json"))
      #expect(try models.add(from: output, name: "", session: nil).record.id == "m4")
      #expect(try models.model("m4").bytes == 4)
    }
  }

  @Test func aResultWithoutAModelIsRefusedAndLeavesNothing() throws {
    try library { models, output in
      try FileManager.default.removeItem(atPath: output + "/model.usdz")
      #expect(throws: SessionError.self) { try models.add(from: output, name: "", session: nil) }
      #expect(try models.models().isEmpty)
    }
  }
}
