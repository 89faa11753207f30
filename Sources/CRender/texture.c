// Mip-mapped pictures in linear light.
#include <stdlib.h>
#include "internal.h"

float cr_srgb_to_linear(float s) { return s <= 0.04045f ? s / 12.92f : powf((s + 0.055f) / 1.055f, 2.4f); }
float cr_linear_to_srgb(float l) {
  return l <= 0.0031308f ? 12.92f * l : 1.055f * powf(l, 1 / 2.4f) - 0.055f;
}

cr_texture *cr_texture_create(const uint8_t *rgb, int width, int height, float gloss) {
  if (width < 1 || height < 1 || width > 8192 || height > 8192) return NULL;
  cr_texture *t = calloc(1, sizeof *t);
  if (!t) return NULL;
  size_t total = 0;
  int w = width, h = height;
  while (t->levels < 14) {
    t->width[t->levels] = w;
    t->height[t->levels] = h;
    t->offset[t->levels] = total;
    total += (size_t)w * (size_t)h;
    t->levels++;
    if (w == 1 && h == 1) break;
    w = w > 1 ? w / 2 : 1;
    h = h > 1 ? h / 2 : 1;
  }
  t->texels = malloc(total * 4 * sizeof(uint16_t));
  if (!t->texels) {
    free(t);
    return NULL;
  }
  uint16_t linear[256];
  for (int i = 0; i < 256; i++) linear[i] = (uint16_t)lrintf(65535 * cr_srgb_to_linear((float)i / 255));
  const uint16_t shine = (uint16_t)lrintf(65535 * clampf(gloss, 0, 1));
  for (size_t i = 0; i < (size_t)width * (size_t)height; i++) {
    for (int c = 0; c < 3; c++) t->texels[4 * i + (size_t)c] = linear[rgb[3 * i + (size_t)c]];
    t->texels[4 * i + 3] = shine;
  }
  for (int k = 1; k < t->levels; k++) {
    const uint16_t *from = t->texels + 4 * t->offset[k - 1];
    uint16_t *to = t->texels + 4 * t->offset[k];
    const int fw = t->width[k - 1], fh = t->height[k - 1];
    for (int y = 0; y < t->height[k]; y++) {
      for (int x = 0; x < t->width[k]; x++) {
        const int x1 = 2 * x + 1 < fw ? 2 * x + 1 : fw - 1, y1 = 2 * y + 1 < fh ? 2 * y + 1 : fh - 1;
        for (int c = 0; c < 4; c++) {
          uint32_t s = (uint32_t)from[4 * (2 * y * fw + 2 * x) + c] + from[4 * (2 * y * fw + x1) + c] +
                       from[4 * (y1 * fw + 2 * x) + c] + from[4 * (y1 * fw + x1) + c];
          to[4 * (y * t->width[k] + x) + c] = (uint16_t)((s + 2) / 4);
        }
      }
    }
  }
  return t;
}

void cr_texture_free(cr_texture *texture) {
  if (!texture) return;
  free(texture->texels);
  free(texture);
}
