// Finding chips: the same with both versions but for the name of a label.
#include "internal.h"
#include <errno.h>
#include <glob.h>
#include <string.h>

static int copy(const char *text, char *to, size_t capacity) {
  if (strlen(text) >= capacity) return -ENAMETOOLONG;
  strcpy(to, text);
  return 0;
}

int gpio_find_chip(const char *label, char *path, size_t capacity) {
  glob_t nodes;
  if (glob("/dev/gpiochip*", 0, NULL, &nodes) != 0) return -ENODEV;
  int result = -ENODEV;
  for (size_t i = 0; i < nodes.gl_pathc; i++) {
    struct gpiod_chip *chip = gpiod_chip_open(nodes.gl_pathv[i]);
    if (!chip) {
      if (result == -ENODEV && (errno == EACCES || errno == EPERM)) {
        const int refusal = -errno;
        result = copy(nodes.gl_pathv[i], path, capacity) ? -ENODEV : refusal;
      }
      continue;
    }
    const int matches = gpio_has_label(chip, label);
    gpiod_chip_close(chip);
    if (matches) {
      result = copy(nodes.gl_pathv[i], path, capacity);
      break;
    }
  }
  globfree(&nodes);
  return result;
}
