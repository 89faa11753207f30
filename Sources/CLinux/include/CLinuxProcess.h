// Threads with names, signals as data, child processes. Every function returns a negative errno on failure.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Starts a detached thread that shows up in /proc and in a debugger as `name` (at most 15 bytes).
int linux_thread_start(const char *name, void (*run)(void *context), void *context);

/// Seconds since the system was booted, sleep included (CLOCK_BOOTTIME).
double linux_seconds_since_boot(void);
/// Nanoseconds on a clock that never jumps (CLOCK_MONOTONIC).
int64_t linux_monotonic_nanoseconds(void);

/// Turns SIGTERM, SIGINT and SIGHUP from ends of the process into data, and ignores SIGPIPE. Call it first in main, once.
int linux_signals_take_over(void);
/// Waits for one of those signals; the calling thread sleeps until it comes.
int linux_signals_wait(void);

/// How a child process is to be run.
typedef struct {
  /// Added to its niceness.
  int32_t niceness;
  /// Most bytes of private memory it may have (RLIMIT_DATA); 0 is no limit.
  uint64_t memory_limit;
  /// Whether it goes last for the disk (the class "idle" of ioprio_set) and first when memory runs out (oom_score_adj 1000).
  uint8_t is_expendable;
  /// The signal it gets when the thread that spawned it is gone (PR_SET_PDEATHSIG); 0 is none.
  int32_t parent_death_signal;
} linux_child_options;

/// Runs `path` with `argv` (ends with NULL) in this environment. Standard input is /dev/null, standard output and error
/// are pipes whose reading ends come back (blocking, closed on exec). Returns the process id; failure to execute is
/// reported here, not by the child. The caller's thread must outlive the child when a death signal is asked for.
int linux_spawn(const char *path, char *const argv[], const linux_child_options *options, int *output, int *errors);
/// Waits until a child has ended but leaves it as a zombie, so that its id is still its own.
int linux_wait_child_ended(int pid);
/// Takes a child's end: its exit code, or 128 + the signal that ended it. Waits for it where need be.
int linux_wait_child(int pid);
/// kill(2).
int linux_kill(int pid, int signal);
/// Reads what is there, blocking until there is something; 0 at the end.
ssize_t linux_read(int descriptor, void *bytes, size_t capacity);
/// The text of an error number. The pointer stays valid for ever.
const char *linux_error_text(int number);
