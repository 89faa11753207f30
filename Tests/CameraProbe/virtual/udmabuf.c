// Lets libcamera's virtual cameras run where the kernel has no /dev/udmabuf (a container): preloaded into the program, it
// stands in for that node with the memory file itself, which can be mapped and passed on just as well.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/udmabuf.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

static const char *actual(const char *path) { return strcmp(path, "/dev/udmabuf") == 0 ? "/dev/null" : path; }

static mode_t mode_of(int flags, va_list rest) {
  return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(rest, mode_t) : 0;
}

#define OPEN(name)                                                                \
  int name(const char *path, int flags, ...) {                                    \
    va_list rest;                                                                 \
    va_start(rest, flags);                                                        \
    const mode_t mode = mode_of(flags, rest);                                     \
    va_end(rest);                                                                 \
    int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, #name);                \
    return real(actual(path), flags, mode);                                       \
  }
#define OPENAT(name)                                                              \
  int name(int folder, const char *path, int flags, ...) {                        \
    va_list rest;                                                                 \
    va_start(rest, flags);                                                        \
    const mode_t mode = mode_of(flags, rest);                                     \
    va_end(rest);                                                                 \
    int (*real)(int, const char *, int, ...) = dlsym(RTLD_NEXT, #name);           \
    return real(folder, actual(path), flags, mode);                               \
  }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

int ioctl(int descriptor, unsigned long request, ...) {
  va_list rest;
  va_start(rest, request);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  if (request == UDMABUF_CREATE) {
    const struct udmabuf_create *wanted = argument;
    return fcntl(wanted->memfd, F_DUPFD_CLOEXEC, 0);
  }
  int (*real)(int, unsigned long, ...) = dlsym(RTLD_NEXT, "ioctl");
  return real(descriptor, request, argument);
}
