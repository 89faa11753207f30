// GPIO lines through libgpiod, version 1 (Debian 12) or 2 (Debian 13): the same calls over either. Every function returns
// a negative errno on failure.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// What to do with one line. All of it is asked for at once: a pull-up that comes in a second request is lost on some chips.
typedef struct {
  uint32_t offset;
  uint8_t is_output;
  uint8_t active_low;
  uint8_t bias;           // gpio_bias
  uint8_t reports_edges;  // inputs only
  uint8_t is_active;      // an output's level from the first moment on
  uint32_t debounce_us;   // inputs only; 0: none. Ignored where gpio_debounces() is 0
} gpio_line;
enum gpio_bias { GPIO_BIAS_AS_IS, GPIO_BIAS_NONE, GPIO_BIAS_PULL_UP, GPIO_BIAS_PULL_DOWN };

/// A change of an input; the time is that of CLOCK_MONOTONIC, in nanoseconds.
typedef struct {
  int64_t time;
  uint8_t is_active;
} gpio_edge;

/// Lines of one chip that belong to this process until they are released.
typedef struct gpio_request gpio_request;

/// Whether lines are debounced by the kernel (libgpiod 2), or have to be by the caller.
int gpio_debounces(void);
/// Finds the chip with a label and writes its node's path. -ENODEV where there is none; -EACCES or -EPERM where there is
/// none among those that may be opened, with the path of one that may not.
int gpio_find_chip(const char *label, char *path, size_t capacity);
/// Requests lines of the chip at `path`. -EBUSY where somebody has one of them. Edges need a request of one line.
int gpio_request_lines(
    const char *path, const char *consumer, const gpio_line *lines, size_t count, gpio_request **request);
/// Gives the lines back.
void gpio_release(gpio_request *request);
/// Drives the output at `index` of the request.
int gpio_set(gpio_request *request, size_t index, int is_active);
/// The level of the line at `index` of the request: 1 active, 0 not.
int gpio_get(gpio_request *request, size_t index);
/// What to poll for edges.
int gpio_edge_descriptor(gpio_request *request);
/// Reads edges that have come; returns how many. Blocks where there is none: poll first.
int gpio_read_edges(gpio_request *request, gpio_edge *edges, size_t capacity);
/// Whether somebody uses a line: 1 and the consumer's name, or 0.
int gpio_line_user(const char *path, uint32_t offset, char *consumer, size_t capacity);
/// The label of the chip at `path`.
int gpio_chip_label(const char *path, char *label, size_t capacity);
/// Requests a line with the direction it has, and gives it back: nothing changes on it. -EBUSY where somebody has it.
int gpio_try_line(const char *path, const char *consumer, uint32_t offset);
