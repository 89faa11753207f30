// Local stream sockets. Every function returns a negative errno on failure and never raises SIGPIPE.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Who is at the other end of a local socket (SO_PEERCRED).
typedef struct {
  int32_t pid;
  uint32_t uid;
  uint32_t gid;
} linux_peer;

/// Creates a non-blocking listening socket at `path` with exactly `mode`; the path must be free.
/// The node never exists with wider rights than `mode`.
int linux_socket_listen(const char *path, uint32_t mode, int backlog);
/// Connects to `path`; the descriptor blocks.
int linux_socket_connect(const char *path);
/// Accepts one waiting client as a non-blocking descriptor.
int linux_socket_accept(int listener);
/// 1 when `descriptor` is a listening local stream socket, 0 when it is something else.
int linux_socket_is_listening(int descriptor);
/// Makes a descriptor non-blocking and closed on exec.
int linux_set_nonblocking(int descriptor);
/// Removes `path` if it is a socket.
int linux_remove_socket(const char *path);
/// Removes `path` if it is still the very node that the listener `descriptor` was bound to, not a successor's.
void linux_remove_listener(int descriptor, const char *path);
/// How many descriptors systemd passed to this process from 3 on (LISTEN_PID, LISTEN_FDS); removes the variables.
int linux_inherited_descriptors(void);
/// Fills in the credentials of the peer.
int linux_socket_peer(int descriptor, linux_peer *peer);
/// Sends without blocking; returns the number of bytes taken, -EAGAIN when there is no room.
ssize_t linux_socket_send(int descriptor, const void *bytes, size_t count);
/// Sends everything, blocking.
int linux_socket_send_all(int descriptor, const void *bytes, size_t count);
/// Receives what is there; 0 at the end of the stream.
ssize_t linux_socket_receive(int descriptor, void *bytes, size_t capacity);
/// Says that nothing more will be sent.
int linux_socket_finish_sending(int descriptor);
/// Wakes every reader and writer of the socket, also in other threads.
int linux_socket_shut_down(int descriptor);
/// Gives a file to a group by name; -ENOENT when there is no such group.
int linux_give_to_group(const char *path, const char *group);
/// Sends one datagram to the local socket `address`, where a leading `@` means the abstract namespace.
int linux_send_datagram(const char *address, const void *bytes, size_t count);

/// What to wait for and what came of it, as poll(2) has it.
typedef struct {
  int32_t descriptor;
  int16_t wanted;
  int16_t got;
} linux_poll_entry;
enum { LINUX_POLL_IN = 1, LINUX_POLL_OUT = 4, LINUX_POLL_ERROR = 8, LINUX_POLL_HANGUP = 16 };
/// poll(2); `milliseconds` < 0 waits for ever. A signal counts as "nothing happened".
int linux_poll(linux_poll_entry *entries, size_t count, int milliseconds);
/// An event descriptor for waking a thread that polls.
int linux_waker_create(void);
/// Makes the waker readable.
void linux_waker_wake(int waker);
/// Makes the waker unreadable again.
void linux_waker_clear(int waker);
/// Closes a descriptor.
void linux_close(int descriptor);
/// Sets the size of the kernel's send buffer.
void linux_socket_set_buffer(int descriptor, int size);
/// Makes a local datagram socket at `path`, for receiving.
int linux_datagram_receiver(const char *path);
