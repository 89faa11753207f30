// Distance from a mask's outline by the 3-4 chamfer metric (Borgefors, "Distance transformations in digital images", 1986).
#include "CDepth.h"

// Beyond what is asked for, and far from overflow.
#define FAR 1000

static inline int16_t nearer(int16_t a, int b) { return a < b ? a : (int16_t)b; }

// The distance, in thirds of a pixel, of every pixel from the nearest one whose mask is (not) 0.
static void chamfer(const uint8_t *mask, int32_t width, int32_t height, int from_object, int16_t *d) {
  for (int32_t y = 0; y < height; y++) {
    int16_t *row = d + (int64_t)y * width, *above = row - width;
    const uint8_t *in = mask + (int64_t)y * width;
    for (int32_t x = 0; x < width; x++) {
      int16_t best = (in[x] != 0) == from_object ? 0 : FAR;
      if (x > 0) best = nearer(best, row[x - 1] + 3);
      if (y > 0) {
        best = nearer(best, above[x] + 3);
        if (x > 0) best = nearer(best, above[x - 1] + 4);
        if (x + 1 < width) best = nearer(best, above[x + 1] + 4);
      }
      row[x] = best;
    }
  }
  for (int32_t y = height - 1; y >= 0; y--) {
    int16_t *row = d + (int64_t)y * width, *below = row + width;
    for (int32_t x = width - 1; x >= 0; x--) {
      int16_t best = row[x];
      if (x + 1 < width) best = nearer(best, row[x + 1] + 3);
      if (y + 1 < height) {
        best = nearer(best, below[x] + 3);
        if (x > 0) best = nearer(best, below[x - 1] + 4);
        if (x + 1 < width) best = nearer(best, below[x + 1] + 4);
      }
      row[x] = best;
    }
  }
}

void cdepth_outline(const uint8_t *mask, int32_t width, int32_t height, int16_t *scratch, int8_t *distance) {
  int64_t count = (int64_t)width * height;
  int16_t *outside = scratch, *inside = scratch + count;
  chamfer(mask, width, height, 1, outside);
  chamfer(mask, width, height, 0, inside);
  for (int64_t i = 0; i < count; i++) {
    // thirds to quarters of a pixel, less the half pixel from a centre to the outline
    int quarters = outside[i] > 0 ? outside[i] * 4 / 3 - 2 : 2 - inside[i] * 4 / 3;
    distance[i] = (int8_t)(quarters > 124 ? 124 : quarters < -124 ? -124 : quarters);
  }
}
