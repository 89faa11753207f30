import Board
import Foundation
import Testing

/// What doctor finds out about the state folder, its disk, the socket and the accounts.
@Suite struct StorageTests {
  @Test func aStateFolderThatIsMissingOrClosedIsTold() async throws {
    let computer = try FakeComputer()
    defer { computer.remove() }
    #expect(try await computer.finding("state folder").verdict == .ok)
    chmod("\(computer.folder)/state", 0o700)
    let closed = try await computer.finding("state folder")
    #expect(closed.verdict == .fault)
    #expect(closed.remedy == .command("chown -R twinrig: \(computer.folder)/state"))
    try FileManager.default.removeItem(atPath: "\(computer.folder)/state")
    let missing = try await computer.finding("state folder")
    #expect(missing.verdict == .warning)
    #expect(missing.remedy?.line == "install -d -o twinrig -g twinrig -m 0750 \(computer.folder)/state")
    try computer.write("", to: "state")
    #expect(try await computer.finding("state folder").verdict == .fault)
  }

  @Test func aReadOnlyFileSystemIsAFaultWhereTheFolderIsOnIt() async throws {
    let computer = try FakeComputer()
    defer { computer.remove() }
    try computer.write("/dev/a / ext4 ro 0 0\n/dev/b \(computer.folder) ext4 rw,noatime 0 0\n", to: "proc/self/mounts")
    #expect(try await computer.finding("file system").verdict == .ok)
    try computer.write("/dev/a / ext4 rw 0 0\n/dev/b \(computer.folder) ext4 ro,noatime 0 0\n", to: "proc/self/mounts")
    let finding = try await computer.finding("file system")
    #expect(finding.verdict == .fault)
    #expect(finding.remedy?.line.hasPrefix("mount -o remount,rw \(computer.folder)") == true)
  }

  @Test func aDiskWithoutRoomAboveItsFloorIsAFault() async throws {
    var computer = try FakeComputer()
    defer { computer.remove() }
    #expect(try await computer.finding("disk").what.contains("of which 500 stay free"))
    computer.configuration = "disk_floor_mb = 1000000"
    // a disk of a thousand gigabytes is no disk of a test
    let finding = try await computer.finding("disk")
    #expect(finding.verdict == .fault && finding.remedy?.place == "command", "\(finding)")
  }

  @Test func theSocketSaysWhoMayUseIt() async throws {
    var computer = try FakeComputer()
    defer { computer.remove() }
    let missing = try await computer.finding("socket")
    #expect(missing.verdict == .warning)
    #expect(missing.remedy == .command("systemctl enable --now twinrigd.socket"))
    try computer.write("", to: "s")
    #expect(try await computer.finding("socket").verdict == .fault)
    unlink("\(computer.folder)/s")
    let listener = try listen(at: "\(computer.folder)/s", mode: 0o660)
    defer { close(listener) }
    computer.caller = Account(name: "somebody", id: 5151, groups: [5151], groupNames: ["somebody"])
    let closed = try await computer.finding("socket")
    #expect(closed.verdict == .warning && closed.remedy?.line.hasPrefix("adduser somebody ") == true, "\(closed)")
    computer.caller = .current
    #expect(try await computer.finding("socket").verdict == .ok)
  }

  @Test func anAccountOutsideTheGroupsOfItsDevicesIsAFault() async throws {
    var computer = try FakeComputer()
    defer { computer.remove() }
    computer.board = "emulated"
    #expect(try await computer.finding("account").verdict == .ok)
    computer.agent?.groupNames = ["twinrig", "gpio"]
    let finding = try await computer.finding("account")
    #expect(finding.verdict == .fault)
    #expect(finding.remedy == .command("adduser twinrig i2c && systemctl restart twinrigd"))
    computer.agent = nil
    #expect(try await computer.finding("account").remedy == .command("systemd-sysusers"))
  }

  private func listen(at path: String, mode: mode_t) throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else { throw FakeComputer.Missing(subject: path) }
    chmod(path, mode)
    return descriptor
  }
}
