#define _GNU_SOURCE
#include "CLinuxLastWords.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

// Everything a signal handler needs is made beforehand: in it, memory is the very thing that is lacking, and only
// async-signal-safe calls are allowed.
enum { CAPACITY = 1001, SIGNALS = 3 };
struct words {
  char output[CAPACITY], errors[CAPACITY];
};
static struct words words[2];
static _Atomic(struct words *) current = &words[0];
static int exit_code;
static const int numbers[SIGNALS] = {SIGABRT, SIGSEGV, SIGBUS};
static struct sigaction previous[SIGNALS];

void linux_last_words_set(const char *output, const char *errors) {
  struct words *other = atomic_load(&current) == &words[0] ? &words[1] : &words[0];
  strncpy(other->output, output, CAPACITY - 1);
  strncpy(other->errors, errors, CAPACITY - 1);
  atomic_store(&current, other);
}

// The pages of the address space and of private data, the two that can be limited (fields 1 and 6 of statm).
static int pages_in_use(uint64_t *space, uint64_t *data) {
  int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[256];
  ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  if (count <= 0) return 0;
  uint64_t fields[6] = {0};
  int field = 0;
  for (ssize_t i = 0; i < count && field < 6; i++) {
    if (text[i] >= '0' && text[i] <= '9') {
      fields[field] = fields[field] * 10 + (uint64_t)(text[i] - '0');
    } else {
      field++;
    }
  }
  *space = fields[0];
  *data = fields[5];
  return 1;
}

// Whether a limit is near; then how much of it is used, in bytes.
static int is_short_of_memory(uint64_t *used, uint64_t *allowed) {
  uint64_t space, data;
  if (!pages_in_use(&space, &data)) return 0;
  const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  const struct {
    int resource;
    uint64_t used;
  } limits[2] = {{RLIMIT_AS, space * page}, {RLIMIT_DATA, data * page}};
  for (int i = 0; i < 2; i++) {
    struct rlimit limit;
    if (getrlimit(limits[i].resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) continue;
    if (limits[i].used <= limit.rlim_cur / 2) continue;  // one request is seldom half of everything
    *used = limits[i].used;
    *allowed = limit.rlim_cur;
    return 1;
  }
  return 0;
}

static size_t put_number(char *out, uint64_t number) {
  char digits[20];
  size_t count = 0;
  do {
    digits[count++] = (char)('0' + number % 10);
    number /= 10;
  } while (number);
  for (size_t i = 0; i < count; i++) out[i] = digits[count - 1 - i];
  return count;
}

static void say(int descriptor, const char *text, uint64_t used, uint64_t allowed) {
  char line[CAPACITY + 40];
  size_t length = 0;
  for (; *text && length < sizeof line - 20; text++) {
    if (text[0] == '%' && (text[1] == 'u' || text[1] == 'l')) {
      length += put_number(line + length, (text[1] == 'u' ? used : allowed) >> 20);
      text++;
    } else {
      line[length++] = *text;
    }
  }
  size_t done = 0;
  while (done < length) {
    ssize_t count = write(descriptor, line + done, length - done);
    if (count > 0) {
      done += (size_t)count;
    } else if (errno != EINTR) {
      return;
    }
  }
}

static void fall(int number, siginfo_t *info, void *context) {
  (void)context;
  uint64_t used, allowed;
  if (is_short_of_memory(&used, &allowed)) {
    const struct words *last = atomic_load(&current);
    say(STDERR_FILENO, last->errors, used, allowed);
    say(STDOUT_FILENO, last->output, used, allowed);
    _exit(exit_code);
  }
  for (int i = 0; i < SIGNALS; i++)
    if (numbers[i] == number) sigaction(number, &previous[i], NULL);
  // a fault happens again by itself when the handler returns; a signal that was sent has to be sent again
  if (info->si_code <= 0) raise(number);
}

void linux_last_words_install(int code) {
  exit_code = code;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = fall;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < SIGNALS; i++) sigaction(numbers[i], &action, &previous[i]);
}
