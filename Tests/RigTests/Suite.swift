import Testing

/// All tests of chips and motion, one after the other: those on a stepped clock wait for its jumps in real time.
@Suite(.serialized) enum RigTests {}
