#define _GNU_SOURCE
#include "CLinuxProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct start {
  char name[16];
  void (*run)(void *);
  void *context;
};

static void *run_thread(void *argument) {
  struct start start = *(struct start *)argument;
  free(argument);
  pthread_setname_np(pthread_self(), start.name);
  start.run(start.context);
  return NULL;
}

int linux_thread_start(const char *name, void (*run)(void *), void *context) {
  struct start *start = calloc(1, sizeof *start);
  if (!start) return -ENOMEM;
  strncpy(start->name, name, sizeof start->name - 1);
  start->run = run;
  start->context = context;
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  int failed = pthread_create(&thread, &attributes, run_thread, start);
  pthread_attr_destroy(&attributes);
  if (failed) free(start);
  return -failed;
}

double linux_seconds_since_boot(void) {
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int64_t linux_monotonic_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// A mask would not do: libdispatch parks the main thread in sigsuspend with an empty one.
static int signal_pipe[2] = {-1, -1};

static void pass_signal_on(int number) {
  int saved = errno;
  unsigned char byte = (unsigned char)number;
  while (write(signal_pipe[1], &byte, 1) < 0 && errno == EINTR) {
  }
  errno = saved;
}

int linux_signals_take_over(void) {
  if (pipe2(signal_pipe, O_CLOEXEC) != 0) return -errno;
  fcntl(signal_pipe[1], F_SETFL, O_NONBLOCK);  // a handler must not wait; one signal of each kind is enough
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_flags = SA_RESTART;
  action.sa_handler = pass_signal_on;
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGHUP, &action, NULL);
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, NULL);
  sigaction(SIGXFSZ, &action, NULL);  // a file at its size limit is an error of that write, not our end
  return 0;
}

int linux_signals_wait(void) {
  unsigned char number = 0;
  ssize_t count = linux_read(signal_pipe[0], &number, 1);
  return count < 0 ? (int)count : count == 0 ? -EPIPE : number;
}

// Goes last for the disk, and is the first to be killed when memory runs out. Where that is not to be had, it runs all the
// same. Async-signal-safe.
static void become_expendable(void) {
  int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (score >= 0) {
    ssize_t ignored = write(score, "1000", 4);
    (void)ignored;
    close(score);
  }
  enum { who_process = 1, class_idle = 3, class_shift = 13 };  // linux/ioprio.h; glibc has no wrapper
  syscall(SYS_ioprio_set, who_process, 0, class_idle << class_shift);
}

// Runs between fork and exec, where only async-signal-safe calls are allowed. Never returns.
static void become_child(const char *path, char *const argv[], const linux_child_options *options, pid_t parent,
                         int output, int errors, int report) {
  struct sigaction plain;
  memset(&plain, 0, sizeof plain);
  plain.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; number++) sigaction(number, &plain, NULL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  int nothing = open("/dev/null", O_RDONLY);
  if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(output, 1) < 0 || dup2(errors, 2) < 0) goto failed;
  if (options->parent_death_signal) {
    if (prctl(PR_SET_PDEATHSIG, options->parent_death_signal) != 0) goto failed;
    if (getppid() != parent) _exit(126);  // the parent died before the line above took effect
  }
  // a terminal's Ctrl-C is for the program in front, which ends its children in order
  setpgid(0, 0);
  if (options->niceness) setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + options->niceness);
  if (options->is_expendable) become_expendable();
  if (options->memory_limit) {
    struct rlimit limit = {options->memory_limit, options->memory_limit};
    if (setrlimit(RLIMIT_DATA, &limit) != 0) goto failed;
  }
  execv(path, argv);
failed:;
  int number = errno;
  while (write(report, &number, sizeof number) < 0 && errno == EINTR) {
  }
  _exit(127);
}

static void close_pair(int pair[2]) {
  close(pair[0]);
  close(pair[1]);
}

int linux_spawn(const char *path, char *const argv[], const linux_child_options *options, int *output, int *errors) {
  int out[2], err[2], report[2];
  if (pipe2(out, O_CLOEXEC) != 0) return -errno;
  if (pipe2(err, O_CLOEXEC) != 0) {
    int failed = -errno;
    close_pair(out);
    return failed;
  }
  if (pipe2(report, O_CLOEXEC) != 0) {
    int failed = -errno;
    close_pair(out);
    close_pair(err);
    return failed;
  }
  pid_t parent = getpid();
  pid_t child = fork();
  if (child == 0) become_child(path, argv, options, parent, out[1], err[1], report[1]);
  int failed = child < 0 ? errno : 0;
  close(out[1]);
  close(err[1]);
  close(report[1]);
  if (!failed) {
    // Nothing comes when exec closed the pipe; an errno comes when it failed.
    ssize_t got;
    do {
      got = read(report[0], &failed, sizeof failed);
    } while (got < 0 && errno == EINTR);
    if (got != (ssize_t)sizeof failed) failed = 0;
    if (failed) linux_wait_child(child);
  }
  close(report[0]);
  if (failed) {
    close(out[0]);
    close(err[0]);
    return -failed;
  }
  *output = out[0];
  *errors = err[0];
  return child;
}

int linux_wait_child_ended(int pid) {
  siginfo_t info;
  int result;
  do {
    result = waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
  } while (result != 0 && errno == EINTR);
  return result == 0 ? 0 : -errno;
}

int linux_wait_child(int pid) {
  int status;
  pid_t ended;
  do {
    ended = waitpid(pid, &status, 0);
  } while (ended < 0 && errno == EINTR);
  if (ended < 0) return -errno;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int linux_kill(int pid, int signal) { return kill(pid, signal) == 0 ? 0 : -errno; }

ssize_t linux_read(int descriptor, void *bytes, size_t capacity) {
  ssize_t count;
  do {
    count = read(descriptor, bytes, capacity);
  } while (count < 0 && errno == EINTR);
  return count < 0 ? -errno : count;
}

const char *linux_error_text(int number) {
  const char *text = strerrordesc_np(number);  // unlike strerror, it is the same for every thread
  return text ? text : "unknown error";
}
