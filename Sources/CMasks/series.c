#include <string.h>

#include "CMasks.h"

// Statistics over a series of pictures from one place.

/// Series up to this long are sorted: they are mostly nearly equal. Longer ones are counted.
enum { longest_sorted = 48 };

static uint8_t median_sorted(const uint8_t *const *pictures, int picture_count, size_t i) {
  uint8_t values[longest_sorted];
  for (int k = 0; k < picture_count; k++) {
    const uint8_t v = pictures[k][i];
    int at = k;
    for (; at > 0 && values[at - 1] > v; at--) values[at] = values[at - 1];
    values[at] = v;
  }
  return values[picture_count / 2];
}

static uint8_t median_counted(const uint8_t *const *pictures, int picture_count, size_t i) {
  int seen[256] = {0};
  for (int k = 0; k < picture_count; k++) seen[pictures[k][i]]++;
  int value = 0;
  for (int up_to = seen[0]; up_to <= picture_count / 2; up_to += seen[value]) value++;
  return (uint8_t)value;
}

void cmasks_median(const uint8_t *const *pictures, int picture_count, size_t count, uint8_t *out) {
  for (size_t i = 0; i < count; i++)
    out[i] = picture_count <= longest_sorted ? median_sorted(pictures, picture_count, i)
                                             : median_counted(pictures, picture_count, i);
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
  const uint8_t *const *pictures, int picture_count, const uint8_t *middle, size_t count, int tolerance, uint16_t *out) {
  memset(out, 0, count * sizeof *out);
  for (int k = 0; k < picture_count; k++)
    for (size_t i = 0; i < count; i++) {
      const int d = (int)pictures[k][3 * i + 1] - (int)middle[3 * i + 1];
      out[i] = (uint16_t)(out[i] + (d <= tolerance && d >= -tolerance));
    }
}
