#include "CImaging.h"

#include <string.h>

static void halve_gray(const uint8_t *upper, const uint8_t *lower, int columns, uint8_t *out) {
  for (int x = 0; x < columns; x++)
    out[x] = (uint8_t)((upper[2 * x] + upper[2 * x + 1] + lower[2 * x] + lower[2 * x + 1] + 2) >> 2);
}

static void halve_rgb(const uint8_t *upper, const uint8_t *lower, int columns, uint8_t *out) {
  for (int x = 0; x < columns; x++)
    for (int c = 0; c < 3; c++)
      out[3 * x + c] = (uint8_t)((upper[6 * x + c] + upper[6 * x + 3 + c] + lower[6 * x + c] + lower[6 * x + 3 + c] + 2) >> 2);
}

void cimaging_halve(const uint8_t *source, int width, int height, int channels, uint8_t *target) {
  size_t stride = (size_t)width * (size_t)channels;
  int columns = width / 2;
  for (int y = 0; y < height / 2; y++) {
    const uint8_t *upper = source + 2 * (size_t)y * stride;
    uint8_t *out = target + (size_t)y * (size_t)columns * (size_t)channels;
    if (channels == 1)
      halve_gray(upper, upper + stride, columns, out);
    else
      halve_rgb(upper, upper + stride, columns, out);
  }
}

void cimaging_halve16(const uint16_t *source, int width, int height, uint16_t *target) {
  int columns = width / 2;
  for (int y = 0; y < height / 2; y++) {
    const uint16_t *upper = source + 2 * (size_t)y * (size_t)width;
    const uint16_t *lower = upper + width;
    uint16_t *out = target + (size_t)y * (size_t)columns;
    for (int x = 0; x < columns; x++)
      out[x] = (uint16_t)(((uint32_t)upper[2 * x] + upper[2 * x + 1] + lower[2 * x] + lower[2 * x + 1] + 2) >> 2);
  }
}

static uint8_t byte(float value) { return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value + 0.5f); }

// Rows first: adding whole rows vectorises, and leaves one row for the awkward step across columns.
void cimaging_resample(const uint8_t *source, int width, int channels, const struct cimaging_taps *columns,
                       const float *column_weights, int target_width, const struct cimaging_taps *rows,
                       const float *row_weights, int first_row, int last_row, float *restrict row, uint8_t *target) {
  size_t stride = (size_t)width * (size_t)channels;
  for (int y = first_row; y < last_row; y++) {
    memset(row, 0, stride * sizeof *row);
    for (int j = 0; j < rows[y].count; j++) {
      const uint8_t *from = source + (size_t)(rows[y].start + j) * stride;
      float weight = row_weights[rows[y].first_weight + j];
      for (size_t x = 0; x < stride; x++) row[x] += weight * (float)from[x];
    }
    uint8_t *out = target + (size_t)y * (size_t)target_width * (size_t)channels;
    for (int x = 0; x < target_width; x++) {
      const float *w = column_weights + columns[x].first_weight;
      const float *from = row + (size_t)columns[x].start * (size_t)channels;
      if (channels == 1) {
        float sum = 0;
        for (int i = 0; i < columns[x].count; i++) sum += w[i] * from[i];
        out[x] = byte(sum);
      } else {
        float r = 0, g = 0, b = 0;
        for (int i = 0; i < columns[x].count; i++) {
          r += w[i] * from[3 * i];
          g += w[i] * from[3 * i + 1];
          b += w[i] * from[3 * i + 2];
        }
        out[3 * x] = byte(r);
        out[3 * x + 1] = byte(g);
        out[3 * x + 2] = byte(b);
      }
    }
  }
}
