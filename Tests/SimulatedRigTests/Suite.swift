import Testing

/// All tests of the simulated rig, one after the other: each world draws on all processors by itself.
@Suite(.serialized) enum SimulatedRigTests {}
