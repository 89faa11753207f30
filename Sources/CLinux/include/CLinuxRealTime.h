// Time to the microsecond, for motion.
#pragma once
#include <stdint.h>

/// CLOCK_MONOTONIC, in nanoseconds.
int64_t linux_now(void);
/// Sleeps until a moment of CLOCK_MONOTONIC.
void linux_sleep_until(int64_t nanoseconds);
/// Lets the calling thread run before all ordinary ones (SCHED_FIFO). Returns 0, or a negative errno where that is not
/// allowed (RLIMIT_RTPRIO).
int linux_run_in_real_time(int priority);
