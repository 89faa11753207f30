// libgpiod 2: one request with all that is wanted of its lines.
#include "internal.h"
#if GPIO_VERSION == 2
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { edges_at_once = 16 };

struct gpio_request {
  struct gpiod_line_request *lines;
  struct gpiod_edge_event_buffer *events;
  size_t count;
  unsigned offsets[];
};

int gpio_debounces(void) { return 1; }

int gpio_has_label(struct gpiod_chip *chip, const char *label) {
  struct gpiod_chip_info *info = gpiod_chip_get_info(chip);
  const int matches = info && strcmp(gpiod_chip_info_get_label(info), label) == 0;
  if (info) gpiod_chip_info_free(info);
  return matches;
}

static enum gpiod_line_bias bias(uint8_t bias) {
  switch (bias) {
    case GPIO_BIAS_NONE: return GPIOD_LINE_BIAS_DISABLED;
    case GPIO_BIAS_PULL_UP: return GPIOD_LINE_BIAS_PULL_UP;
    case GPIO_BIAS_PULL_DOWN: return GPIOD_LINE_BIAS_PULL_DOWN;
    default: return GPIOD_LINE_BIAS_AS_IS;
  }
}

static int add(struct gpiod_line_config *config, const gpio_line *line) {
  struct gpiod_line_settings *settings = gpiod_line_settings_new();
  if (!settings) return -ENOMEM;
  int failed = gpiod_line_settings_set_direction(
      settings, line->is_output ? GPIOD_LINE_DIRECTION_OUTPUT : GPIOD_LINE_DIRECTION_INPUT);
  failed |= gpiod_line_settings_set_bias(settings, bias(line->bias));
  gpiod_line_settings_set_active_low(settings, line->active_low);
  if (line->is_output) {
    failed |= gpiod_line_settings_set_output_value(
        settings, line->is_active ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE);
  } else if (line->reports_edges) {
    failed |= gpiod_line_settings_set_edge_detection(settings, GPIOD_LINE_EDGE_BOTH);
    failed |= gpiod_line_settings_set_event_clock(settings, GPIOD_LINE_CLOCK_MONOTONIC);
    gpiod_line_settings_set_debounce_period_us(settings, line->debounce_us);
  }
  unsigned offset = line->offset;
  const int result = failed ? -EINVAL : gpiod_line_config_add_line_settings(config, &offset, 1, settings) ? -errno : 0;
  gpiod_line_settings_free(settings);
  return result;
}

static int request_of(
    struct gpiod_chip *chip, struct gpiod_line_config *config, const char *consumer,
    struct gpiod_line_request **request) {
  struct gpiod_request_config *how = gpiod_request_config_new();
  if (!how) return -ENOMEM;
  gpiod_request_config_set_consumer(how, consumer);
  *request = gpiod_chip_request_lines(chip, how, config);
  const int result = *request ? 0 : -errno;
  gpiod_request_config_free(how);
  return result;
}

int gpio_request_lines(
    const char *path, const char *consumer, const gpio_line *lines, size_t count, gpio_request **request) {
  gpio_request *made = calloc(1, sizeof *made + count * sizeof made->offsets[0]);
  struct gpiod_line_config *config = gpiod_line_config_new();
  struct gpiod_chip *chip = gpiod_chip_open(path);
  int result = !chip ? -errno : !made || !config ? -ENOMEM : 0;
  for (size_t i = 0; i < count && result == 0; i++) {
    made->offsets[made->count++] = lines[i].offset;
    result = add(config, &lines[i]);
  }
  if (result == 0) result = request_of(chip, config, consumer, &made->lines);
  if (result == 0 && count == 1 && lines[0].reports_edges) {
    made->events = gpiod_edge_event_buffer_new(edges_at_once);
    if (!made->events) result = -ENOMEM;
  }
  if (config) gpiod_line_config_free(config);
  if (chip) gpiod_chip_close(chip);
  if (result != 0) {
    gpio_release(made);
    return result;
  }
  *request = made;
  return 0;
}

void gpio_release(gpio_request *request) {
  if (!request) return;
  if (request->events) gpiod_edge_event_buffer_free(request->events);
  if (request->lines) gpiod_line_request_release(request->lines);
  free(request);
}

int gpio_set(gpio_request *request, size_t index, int is_active) {
  const enum gpiod_line_value value = is_active ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE;
  return gpiod_line_request_set_value(request->lines, request->offsets[index], value) ? -errno : 0;
}

int gpio_get(gpio_request *request, size_t index) {
  const enum gpiod_line_value value = gpiod_line_request_get_value(request->lines, request->offsets[index]);
  return value == GPIOD_LINE_VALUE_ERROR ? -errno : value == GPIOD_LINE_VALUE_ACTIVE;
}

int gpio_edge_descriptor(gpio_request *request) {
  return request->events ? gpiod_line_request_get_fd(request->lines) : -EINVAL;
}

int gpio_read_edges(gpio_request *request, gpio_edge *edges, size_t capacity) {
  const size_t wanted = capacity < edges_at_once ? capacity : edges_at_once;
  const int count = gpiod_line_request_read_edge_events(request->lines, request->events, wanted);
  if (count < 0) return -errno;
  for (int i = 0; i < count; i++) {
    struct gpiod_edge_event *event = gpiod_edge_event_buffer_get_event(request->events, (unsigned long)i);
    edges[i].time = (int64_t)gpiod_edge_event_get_timestamp_ns(event);
    // rising is towards active: the kernel looks at what the line means
    edges[i].is_active = gpiod_edge_event_get_event_type(event) == GPIOD_EDGE_EVENT_RISING_EDGE;
  }
  return count;
}

int gpio_line_user(const char *path, uint32_t offset, char *consumer, size_t capacity) {
  struct gpiod_chip *chip = gpiod_chip_open(path);
  if (!chip) return -errno;
  struct gpiod_line_info *info = gpiod_chip_get_line_info(chip, offset);
  const int result = !info ? -errno : gpiod_line_info_is_used(info);
  if (result == 1) {
    const char *name = gpiod_line_info_get_consumer(info);
    strncpy(consumer, name ? name : "", capacity - 1);
    consumer[capacity - 1] = 0;
  }
  if (info) gpiod_line_info_free(info);
  gpiod_chip_close(chip);
  return result;
}
#endif
