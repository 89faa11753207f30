#include <errno.h>
#include <sys/statvfs.h>

#include "CLinuxDisk.h"

int64_t twinrig_free_bytes(const char *path) {
  struct statvfs status;
  while (statvfs(path, &status) != 0)
    if (errno != EINTR) return -(int64_t)errno;
  return (int64_t)status.f_bavail * (int64_t)status.f_frsize;
}
