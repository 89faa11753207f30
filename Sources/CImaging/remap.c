#include "CImaging.h"

#include <string.h>

static inline uint8_t mix(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t x, uint32_t y) {
  uint32_t top = a * (256 - x) + b * x;
  uint32_t bottom = c * (256 - x) + d * x;
  return (uint8_t)((top * (256 - y) + bottom * y + 32768) >> 16);
}

void cimaging_remap(const uint8_t *source, int channels, int right, int below, const struct cimaging_place *places,
                    size_t count, uint8_t fill, uint8_t *restrict target) {
  if (channels == 1) {
    for (size_t i = 0; i < count; i++) {
      struct cimaging_place p = places[i];
      if (p.offset < 0) {
        target[i] = fill;
        continue;
      }
      const uint8_t *s = source + p.offset;
      target[i] = mix(s[0], s[right], s[below], s[below + right], p.x, p.y);
    }
    return;
  }
  size_t across = 3 * (size_t)right, down = 3 * (size_t)below;
  for (size_t i = 0; i < count; i++) {
    struct cimaging_place p = places[i];
    uint8_t *out = target + 3 * i;
    if (p.offset < 0) {
      memset(out, fill, 3);
      continue;
    }
    const uint8_t *a = source + 3 * (size_t)p.offset;
    const uint8_t *c = a + down;
    for (int k = 0; k < 3; k++) out[k] = mix(a[k], a[across + k], c[k], c[across + k], p.x, p.y);
  }
}
