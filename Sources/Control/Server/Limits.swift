/// What a server puts up with. The defaults are the protocol's.
public struct ServerLimits: Sendable, Hashable {
  /// Clients at once.
  public var clients = 16
  /// How long an answer may take before `ERR TIMEOUT` goes out in its place.
  public var answerWithin: Duration = .milliseconds(180)
  /// The least time between two progress events to one client.
  public var progressEvery: Duration = .milliseconds(500)
  /// Requests of one client that may wait; beyond that the client is not read until some are answered.
  public var waitingRequests = 64
  /// Unsent bytes from which on progress is dropped.
  public var progressBacklog = 16 << 10
  /// Unsent bytes from which on every event is dropped, and answers make the client wait.
  public var eventBacklog = 64 << 10
  /// How long a client may take to read on after events were lost.
  public var overrunGrace: Duration = .seconds(5)
  /// The size of each client's send buffer in the kernel; nil leaves the system's.
  public var kernelBuffer: Int?
  /// How long answers under way may take when the server stops.
  public var stopGrace: Duration = .seconds(1)

  /// The protocol's limits.
  public init() {}
}
