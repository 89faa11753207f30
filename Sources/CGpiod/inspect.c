// Looking at chips and lines without changing anything on them.
#include "internal.h"
#include <errno.h>
#include <string.h>

static int copy(const char *text, char *to, size_t capacity) {
  if (strlen(text) >= capacity) return -ENAMETOOLONG;
  strcpy(to, text);
  return 0;
}

#if GPIO_VERSION == 2
int gpio_chip_label(const char *path, char *label, size_t capacity) {
  struct gpiod_chip *chip = gpiod_chip_open(path);
  if (!chip) return -errno;
  struct gpiod_chip_info *info = gpiod_chip_get_info(chip);
  const int result = info ? copy(gpiod_chip_info_get_label(info), label, capacity) : -errno;
  if (info) gpiod_chip_info_free(info);
  gpiod_chip_close(chip);
  return result;
}

// The settings of a request: the line's direction as it is.
static int as_it_is(struct gpiod_line_config *lines, unsigned offset) {
  struct gpiod_line_settings *settings = gpiod_line_settings_new();
  if (!settings) return -ENOMEM;
  const int failed = gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_AS_IS);
  const int result = failed || gpiod_line_config_add_line_settings(lines, &offset, 1, settings) ? -errno : 0;
  gpiod_line_settings_free(settings);
  return result;
}

int gpio_try_line(const char *path, const char *consumer, uint32_t offset) {
  struct gpiod_chip *chip = gpiod_chip_open(path);
  if (!chip) return -errno;
  struct gpiod_request_config *how = gpiod_request_config_new();
  struct gpiod_line_config *lines = gpiod_line_config_new();
  int result = how && lines ? as_it_is(lines, offset) : -ENOMEM;
  if (result == 0) {
    gpiod_request_config_set_consumer(how, consumer);
    struct gpiod_line_request *request = gpiod_chip_request_lines(chip, how, lines);
    result = request ? 0 : -errno;
    if (request) gpiod_line_request_release(request);
  }
  if (lines) gpiod_line_config_free(lines);
  if (how) gpiod_request_config_free(how);
  gpiod_chip_close(chip);
  return result;
}
#else
int gpio_chip_label(const char *path, char *label, size_t capacity) {
  struct gpiod_chip *chip = gpiod_chip_open(path);
  if (!chip) return -errno;
  const int result = copy(gpiod_chip_label(chip), label, capacity);
  gpiod_chip_close(chip);
  return result;
}

int gpio_try_line(const char *path, const char *consumer, uint32_t offset) {
  struct gpiod_chip *chip = gpiod_chip_open(path);
  if (!chip) return -errno;
  const struct gpiod_line_request_config config = {
      .consumer = consumer, .request_type = GPIOD_LINE_REQUEST_DIRECTION_AS_IS, .flags = 0};
  struct gpiod_line *line = gpiod_chip_get_line(chip, offset);
  const int result = line && gpiod_line_request(line, &config, 0) == 0 ? 0 : -errno;
  if (result == 0) gpiod_line_release(line);
  gpiod_chip_close(chip);
  return result;
}
#endif
