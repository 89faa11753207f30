import Testing

/// The drivers of real devices, as far as they go without the devices: what blocks and what keeps time runs one after the
/// other.
@Suite(.serialized) struct LinuxRigTests {}
