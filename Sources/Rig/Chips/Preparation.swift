/// What has to be done once before a chip can be used, however many ask for it at the same moment: the first one's
/// work is everybody's, and where it fails, all who waited hear of it and the next one tries anew.
actor Preparation {
  private var work: Task<Result<Void, DeviceError>, Never>?

  /// Does the work unless it is done or under way, and suspends until it is done. Throws what the work throws.
  func run(_ body: @escaping @Sendable () async throws(DeviceError) -> Void) async throws(DeviceError) {
    let task = work ?? Task { await Self.result(of: body) }
    work = task
    let result = await task.value
    if case .failure(let error) = result {
      if work == task { work = nil }
      throw error
    }
  }

  /// The work has to be done again.
  func forget() { work = nil }

  private static func result(
    of body: @Sendable () async throws(DeviceError) -> Void
  ) async -> Result<Void, DeviceError> {
    do throws(DeviceError) {
      try await body()
      return .success(())
    } catch {
      return .failure(error)
    }
  }
}
