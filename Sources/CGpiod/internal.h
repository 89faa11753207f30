#pragma once
#include "CGpiod.h"
#include <gpiod.h>

/// Only libgpiod 1 has bulks of lines.
#ifdef GPIOD_LINE_BULK_MAX_LINES
#define GPIO_VERSION 1
#else
#define GPIO_VERSION 2
#endif

/// Whether a chip has a label.
int gpio_has_label(struct gpiod_chip *chip, const char *label);
