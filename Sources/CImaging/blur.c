#include "CImaging.h"

#include <string.h>

void cimaging_widen(const uint8_t *source, size_t count, float *restrict target) {
  for (size_t i = 0; i < count; i++) target[i] = (float)source[i];
}

void cimaging_narrow(const float *source, size_t count, uint8_t *restrict target) {
  for (size_t i = 0; i < count; i++) {
    float v = source[i] + 0.5f;
    v = v < 0 ? 0 : v;
    v = v > 255 ? 255 : v;
    target[i] = (uint8_t)(int)v;
  }
}

void cimaging_blur_row(const float *source, int width, int channels, const float *kernel, int radius,
                       float *restrict padded, float *restrict target) {
  size_t n = (size_t)width * (size_t)channels;
  size_t edge = (size_t)radius * (size_t)channels;
  memcpy(padded + edge, source, n * sizeof *source);
  for (size_t i = 0; i < edge; i++) {
    padded[i] = source[i % (size_t)channels];
    padded[edge + n + i] = source[n - (size_t)channels + i % (size_t)channels];
  }
  for (size_t i = 0; i < n; i++) target[i] = kernel[0] * padded[edge + i];
  for (int k = 1; k <= radius; k++) {
    const float *before = padded + edge - (size_t)k * (size_t)channels;
    const float *after = padded + edge + (size_t)k * (size_t)channels;
    for (size_t i = 0; i < n; i++) target[i] += kernel[k] * (before[i] + after[i]);
  }
}

void cimaging_blur_column(const float *const *rows, int count, const float *kernel, int radius, float *restrict target) {
  const float *middle = rows[radius];
  for (int i = 0; i < count; i++) target[i] = kernel[0] * middle[i];
  for (int k = 1; k <= radius; k++) {
    const float *above = rows[radius - k];
    const float *below = rows[radius + k];
    for (int i = 0; i < count; i++) target[i] += kernel[k] * (above[i] + below[i]);
  }
}
