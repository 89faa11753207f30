#define _GNU_SOURCE
#include "CLinuxRealTime.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

int64_t linux_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void linux_sleep_until(int64_t nanoseconds) {
  const struct timespec until = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {}
}

int linux_run_in_real_time(int priority) {
  const struct sched_param parameters = {.sched_priority = priority};
  return -pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters);
}
