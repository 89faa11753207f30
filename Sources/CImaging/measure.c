#include "CImaging.h"

#include <stdlib.h>
#include <string.h>

void cimaging_integral(const uint8_t *source, int width, int height, uint32_t *sums) {
  size_t stride = (size_t)width + 1;
  memset(sums, 0, stride * sizeof *sums);
  for (int y = 0; y < height; y++) {
    const uint8_t *from = source + (size_t)y * (size_t)width;
    const uint32_t *above = sums + (size_t)y * stride;
    uint32_t *here = sums + (size_t)(y + 1) * stride;
    uint32_t row = 0;
    here[0] = 0;
    for (int x = 0; x < width; x++) {
      row += from[x];
      here[x + 1] = above[x + 1] + row;
    }
  }
}

uint64_t cimaging_sobel_energy(const uint8_t *upper, const uint8_t *here, const uint8_t *lower, int count) {
  uint64_t total = 0;
  for (int from = 0; from < count;) {
    // 2 * 1020² times 1024 stays within 32 bits
    int to = count - from < 1024 ? count : from + 1024;
    uint32_t sum = 0;
    for (int i = from; i < to; i++) {
      int gx = upper[i + 1] - upper[i - 1] + 2 * (here[i + 1] - here[i - 1]) + lower[i + 1] - lower[i - 1];
      int gy = lower[i - 1] + 2 * lower[i] + lower[i + 1] - upper[i - 1] - 2 * upper[i] - upper[i + 1];
      sum += (uint32_t)(gx * gx + gy * gy);
    }
    total += sum;
    from = to;
  }
  return total;
}

uint32_t cimaging_noise_sum(const uint8_t *upper, const uint8_t *here, const uint8_t *lower, int count) {
  uint32_t sum = 0;
  for (int i = 0; i < count; i++) {
    int n = upper[i - 1] - 2 * upper[i] + upper[i + 1] - 2 * here[i - 1] + 4 * here[i] - 2 * here[i + 1] + lower[i - 1] -
            2 * lower[i] + lower[i + 1];
    sum += (uint32_t)abs(n);
  }
  return sum;
}

// Four tables, so that runs of equal pixels do not wait for each other's increment.
void cimaging_histogram(const uint8_t *source, const uint8_t *mask, size_t count, uint32_t counts[256]) {
  uint32_t tables[4][256];
  memset(tables, 0, sizeof tables);
  if (mask) {
    for (size_t i = 0; i < count; i++) tables[i & 3][source[i]] += mask[i] != 0;
  } else {
    for (size_t i = 0; i < count; i++) tables[i & 3][source[i]]++;
  }
  for (int i = 0; i < 256; i++) counts[i] += tables[0][i] + tables[1][i] + tables[2][i] + tables[3][i];
}

void cimaging_difference_histogram(const uint8_t *a, const uint8_t *b, size_t count, uint32_t counts[511]) {
  uint32_t tables[4][511];
  memset(tables, 0, sizeof tables);
  for (size_t i = 0; i < count; i++) tables[i & 3][255 + a[i] - b[i]]++;
  for (int i = 0; i < 511; i++) counts[i] += tables[0][i] + tables[1][i] + tables[2][i] + tables[3][i];
}
