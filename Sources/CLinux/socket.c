#define _GNU_SOURCE
#include "CLinuxSocket.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static int make_address(const char *path, struct sockaddr_un *address, socklen_t *length) {
  size_t count = strlen(path);
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  if (count == 0) return -EINVAL;
  if (count >= sizeof address->sun_path) return -ENAMETOOLONG;
  memcpy(address->sun_path, path, count);
  *length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + count + 1);
  return 0;
}

int linux_socket_listen(const char *path, uint32_t mode, int backlog) {
  struct sockaddr_un address;
  socklen_t length;
  int failed = make_address(path, &address, &length);
  if (failed) return failed;
  int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return -errno;
  // Linux creates the node with the socket's own mode, less the umask: so it is never wider than asked for.
  if (fchmod(descriptor, mode) != 0 || bind(descriptor, (struct sockaddr *)&address, length) != 0) {
    failed = -errno;
    close(descriptor);
    return failed;
  }
  if (chmod(path, mode) != 0 || listen(descriptor, backlog) != 0) {
    failed = -errno;
    unlink(path);
    close(descriptor);
    return failed;
  }
  return descriptor;
}

int linux_socket_connect(const char *path) {
  struct sockaddr_un address;
  socklen_t length;
  int failed = make_address(path, &address, &length);
  if (failed) return failed;
  int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -errno;
  int result;
  do {
    result = connect(descriptor, (struct sockaddr *)&address, length);
  } while (result != 0 && errno == EINTR);
  if (result != 0) {
    failed = -errno;
    close(descriptor);
    return failed;
  }
  return descriptor;
}

int linux_socket_accept(int listener) {
  int descriptor;
  do {
    descriptor = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  } while (descriptor < 0 && (errno == EINTR || errno == ECONNABORTED));
  return descriptor < 0 ? -errno : descriptor;
}

static int socket_option(int descriptor, int option) {
  int value = 0;
  socklen_t size = sizeof value;
  return getsockopt(descriptor, SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
}

int linux_socket_is_listening(int descriptor) {
  return socket_option(descriptor, SO_DOMAIN) == AF_UNIX && socket_option(descriptor, SO_TYPE) == SOCK_STREAM &&
         socket_option(descriptor, SO_ACCEPTCONN) == 1;
}

int linux_set_nonblocking(int descriptor) {
  int flags = fcntl(descriptor, F_GETFL);
  if (flags < 0 || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) < 0 || fcntl(descriptor, F_SETFD, FD_CLOEXEC) < 0)
    return -errno;
  return 0;
}

int linux_remove_socket(const char *path) {
  struct stat node;
  if (lstat(path, &node) != 0) return errno == ENOENT ? 0 : -errno;
  if (!S_ISSOCK(node.st_mode)) return -ENOTSOCK;
  return unlink(path) == 0 ? 0 : -errno;
}

void linux_remove_listener(int descriptor, const char *path) {
  // Nobody accepts any more, so a connection that succeeds reaches a successor, whose node must stay.
  shutdown(descriptor, SHUT_RDWR);
  int probe = linux_socket_connect(path);
  if (probe >= 0)
    close(probe);
  else if (probe == -ECONNREFUSED)
    linux_remove_socket(path);
}

int linux_inherited_descriptors(void) {
  const char *process = getenv("LISTEN_PID"), *descriptors = getenv("LISTEN_FDS");
  int count = process && descriptors && atol(process) == (long)getpid() ? atoi(descriptors) : 0;
  unsetenv("LISTEN_PID");
  unsetenv("LISTEN_FDS");
  unsetenv("LISTEN_FDNAMES");
  return count < 0 ? 0 : count;
}

int linux_socket_peer(int descriptor, linux_peer *peer) {
  struct ucred credentials;
  socklen_t size = sizeof credentials;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return -errno;
  peer->pid = credentials.pid;
  peer->uid = credentials.uid;
  peer->gid = credentials.gid;
  return 0;
}

ssize_t linux_socket_send(int descriptor, const void *bytes, size_t count) {
  ssize_t sent;
  do {
    sent = send(descriptor, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (sent < 0 && errno == EINTR);
  return sent < 0 ? -errno : sent;
}

int linux_socket_send_all(int descriptor, const void *bytes, size_t count) {
  const char *rest = bytes;
  while (count > 0) {
    ssize_t sent = send(descriptor, rest, count, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return -errno;
    rest += sent;
    count -= (size_t)sent;
  }
  return 0;
}

ssize_t linux_socket_receive(int descriptor, void *bytes, size_t capacity) {
  ssize_t received;
  do {
    received = recv(descriptor, bytes, capacity, 0);
  } while (received < 0 && errno == EINTR);
  return received < 0 ? -errno : received;
}

int linux_socket_finish_sending(int descriptor) { return shutdown(descriptor, SHUT_WR) == 0 ? 0 : -errno; }

int linux_socket_shut_down(int descriptor) { return shutdown(descriptor, SHUT_RDWR) == 0 ? 0 : -errno; }

int linux_give_to_group(const char *path, const char *group) {
  size_t size = 16384;
  char *buffer = malloc(size);
  if (!buffer) return -ENOMEM;
  struct group entry, *found = NULL;
  int failed = getgrnam_r(group, &entry, buffer, size, &found);
  if (failed == 0 && !found) failed = ENOENT;
  if (failed == 0 && chown(path, (uid_t)-1, entry.gr_gid) != 0) failed = errno;
  free(buffer);
  return -failed;
}

int linux_send_datagram(const char *name, const void *bytes, size_t count) {
  struct sockaddr_un address;
  socklen_t length;
  int failed = make_address(name, &address, &length);
  if (failed) return failed;
  if (name[0] == '@') {
    address.sun_path[0] = 0;
    length -= 1;
  }
  int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -errno;
  ssize_t sent = sendto(descriptor, bytes, count, MSG_NOSIGNAL, (struct sockaddr *)&address, length);
  failed = sent < 0 ? -errno : 0;
  close(descriptor);
  return failed;
}

_Static_assert(POLLIN == LINUX_POLL_IN && POLLOUT == LINUX_POLL_OUT && POLLERR == LINUX_POLL_ERROR &&
                 POLLHUP == LINUX_POLL_HANGUP,
               "the poll flags of Linux");
_Static_assert(sizeof(struct pollfd) == sizeof(linux_poll_entry), "the layout of pollfd");

int linux_poll(linux_poll_entry *entries, size_t count, int milliseconds) {
  int ready = poll((struct pollfd *)entries, (nfds_t)count, milliseconds);
  if (ready >= 0) return ready;
  if (errno != EINTR) return -errno;
  for (size_t i = 0; i < count; i++) entries[i].got = 0;
  return 0;
}

int linux_waker_create(void) {
  int waker = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return waker < 0 ? -errno : waker;
}

void linux_waker_wake(int waker) {
  uint64_t one = 1;
  while (write(waker, &one, sizeof one) < 0 && errno == EINTR) {
  }
}

void linux_waker_clear(int waker) {
  uint64_t count;
  while (read(waker, &count, sizeof count) < 0 && errno == EINTR) {
  }
}

void linux_close(int descriptor) { close(descriptor); }

void linux_socket_set_buffer(int descriptor, int size) {
  setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
}

int linux_datagram_receiver(const char *path) {
  struct sockaddr_un address;
  socklen_t length;
  int failed = make_address(path, &address, &length);
  if (failed) return failed;
  int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -errno;
  if (bind(descriptor, (struct sockaddr *)&address, length) != 0) {
    failed = -errno;
    close(descriptor);
    return failed;
  }
  return descriptor;
}
