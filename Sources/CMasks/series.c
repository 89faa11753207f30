#include <string.h>

#include "CMasks.h"

// Statistics over a series of pictures from one place.

void cmasks_median(const uint8_t *const *pictures, int picture_count, size_t count, uint8_t *out) {
  uint8_t values[255];
  if (picture_count > 255) picture_count = 255;
  const int middle = picture_count / 2;
  for (size_t i = 0; i < count; i++) {
    // insertion: series are short, and mostly nearly equal
    for (int k = 0; k < picture_count; k++) {
      const uint8_t v = pictures[k][i];
      int at = k;
      for (; at > 0 && values[at - 1] > v; at--) values[at] = values[at - 1];
      values[at] = v;
    }
    out[i] = values[middle];
  }
}

void cmasks_range(const uint16_t *const *pictures, int picture_count, size_t count, uint16_t *out) {
  for (size_t i = 0; i < count; i++) {
    uint16_t least = UINT16_MAX, second_least = UINT16_MAX, most = 0, second_most = 0;
    for (int k = 0; k < picture_count; k++) {
      const uint16_t v = pictures[k][i];
      if (v < least) {
        second_least = least, least = v;
      } else if (v < second_least) {
        second_least = v;
      }
      if (v > most) {
        second_most = most, most = v;
      } else if (v > second_most) {
        second_most = v;
      }
    }
    out[i] = second_most > second_least ? (uint16_t)(second_most - second_least) : 0;
  }
}

void cmasks_agreement(
  const uint8_t *const *pictures, int picture_count, const uint8_t *middle, size_t count, int tolerance, uint8_t *out) {
  memset(out, 0, count);
  if (picture_count > 255) picture_count = 255;
  for (int k = 0; k < picture_count; k++)
    for (size_t i = 0; i < count; i++) {
      const int d = (int)pictures[k][3 * i + 1] - (int)middle[3 * i + 1];
      out[i] = (uint8_t)(out[i] + (d <= tolerance && d >= -tolerance));
    }
}
