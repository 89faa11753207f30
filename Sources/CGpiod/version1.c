// libgpiod 1: lines of different directions cannot be in one bulk, so each is requested by itself.
#include "internal.h"
#if GPIO_VERSION == 1
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct gpio_request {
  struct gpiod_chip *chip;
  size_t count;
  struct gpiod_line *lines[];
};

int gpio_debounces(void) { return 0; }

int gpio_has_label(struct gpiod_chip *chip, const char *label) { return strcmp(gpiod_chip_label(chip), label) == 0; }

static int flags(const gpio_line *line) {
  int flags = line->active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0;
  switch (line->bias) {
    case GPIO_BIAS_NONE: return flags | GPIOD_LINE_REQUEST_FLAG_BIAS_DISABLE;
    case GPIO_BIAS_PULL_UP: return flags | GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP;
    case GPIO_BIAS_PULL_DOWN: return flags | GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_DOWN;
    default: return flags;
  }
}

static int request_line(struct gpiod_line *line, const gpio_line *wanted, const char *consumer) {
  const struct gpiod_line_request_config config = {
      .consumer = consumer,
      .request_type = wanted->is_output       ? GPIOD_LINE_REQUEST_DIRECTION_OUTPUT
                      : wanted->reports_edges ? GPIOD_LINE_REQUEST_EVENT_BOTH_EDGES
                                              : GPIOD_LINE_REQUEST_DIRECTION_INPUT,
      .flags = flags(wanted)};
  return gpiod_line_request(line, &config, wanted->is_active) ? -errno : 0;
}

int gpio_request_lines(
    const char *path, const char *consumer, const gpio_line *lines, size_t count, gpio_request **request) {
  gpio_request *made = calloc(1, sizeof *made + count * sizeof made->lines[0]);
  if (!made) return -ENOMEM;
  int result = 0;
  made->chip = gpiod_chip_open(path);
  if (!made->chip) result = -errno;
  for (size_t i = 0; i < count && result == 0; i++) {
    struct gpiod_line *line = gpiod_chip_get_line(made->chip, lines[i].offset);
    result = line ? request_line(line, &lines[i], consumer) : -errno;
    if (result == 0) made->lines[made->count++] = line;
  }
  if (result != 0) {
    gpio_release(made);
    return result;
  }
  *request = made;
  return 0;
}

void gpio_release(gpio_request *request) {
  if (!request) return;
  for (size_t i = 0; i < request->count; i++) gpiod_line_release(request->lines[i]);
  if (request->chip) gpiod_chip_close(request->chip);
  free(request);
}

int gpio_set(gpio_request *request, size_t index, int is_active) {
  return gpiod_line_set_value(request->lines[index], is_active) ? -errno : 0;
}

int gpio_get(gpio_request *request, size_t index) {
  const int value = gpiod_line_get_value(request->lines[index]);
  return value < 0 ? -errno : value;
}

int gpio_edge_descriptor(gpio_request *request) {
  const int descriptor = request->count == 1 ? gpiod_line_event_get_fd(request->lines[0]) : -1;
  return descriptor < 0 ? -EINVAL : descriptor;
}

int gpio_read_edges(gpio_request *request, gpio_edge *edges, size_t capacity) {
  struct gpiod_line_event events[16];
  const int count = gpiod_line_event_read_multiple(request->lines[0], events, capacity < 16 ? (unsigned)capacity : 16);
  if (count < 0) return -errno;
  for (int i = 0; i < count; i++) {
    edges[i].time = (int64_t)events[i].ts.tv_sec * 1000000000 + events[i].ts.tv_nsec;
    // rising is towards active: the kernel looks at what the line means
    edges[i].is_active = events[i].event_type == GPIOD_LINE_EVENT_RISING_EDGE;
  }
  return count;
}

int gpio_line_user(const char *path, uint32_t offset, char *consumer, size_t capacity) {
  struct gpiod_chip *chip = gpiod_chip_open(path);
  if (!chip) return -errno;
  struct gpiod_line *line = gpiod_chip_get_line(chip, offset);
  const int result = !line ? -errno : gpiod_line_is_used(line);
  if (result == 1) {
    const char *name = gpiod_line_consumer(line);
    strncpy(consumer, name ? name : "", capacity - 1);
    consumer[capacity - 1] = 0;
  }
  gpiod_chip_close(chip);
  return result;
}
#endif
