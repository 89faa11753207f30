#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "CFeatures.h"

// Difference-of-Gaussians blobs (D. Lowe, IJCV 2004) with three scales an octave and no doubled first octave: the
// pictures of a rig are sharp at the level they are handed in.

enum { scales = 3, levels = scales + 3, border = 8 };
static const float first_sigma = 1.6f, camera_sigma = 0.5f, edge_ratio = 10;

static void blur(const float *source, int width, int height, float sigma, float *scratch, float *out) {
  int radius = (int)ceilf(3.5f * sigma);
  float kernel[64];
  float sum = 0;
  for (int i = 0; i <= radius; i++) {
    kernel[i] = expf(-0.5f * (float)(i * i) / (sigma * sigma));
    sum += i ? 2 * kernel[i] : kernel[i];
  }
  for (int i = 0; i <= radius; i++) kernel[i] /= sum;
  // columns first: rows of the picture as vectors
  for (int y = 0; y < height; y++) {
    float *restrict row = scratch + (size_t)y * (size_t)width;
    const float *middle = source + (size_t)y * (size_t)width;
    for (int x = 0; x < width; x++) row[x] = kernel[0] * middle[x];
    for (int i = 1; i <= radius; i++) {
      int up = y - i < 0 ? 0 : y - i, down = y + i >= height ? height - 1 : y + i;
      const float *a = source + (size_t)up * (size_t)width, *b = source + (size_t)down * (size_t)width;
      const float k = kernel[i];
      for (int x = 0; x < width; x++) row[x] += k * (a[x] + b[x]);
    }
  }
  for (int y = 0; y < height; y++) {
    const float *row = scratch + (size_t)y * (size_t)width;
    float *restrict to = out + (size_t)y * (size_t)width;
    int left = radius < width ? radius : width, right = width - radius > left ? width - radius : left;
    for (int x = left; x < right; x++) to[x] = kernel[0] * row[x];
    for (int i = 1; i <= radius; i++) {
      const float k = kernel[i];
      for (int x = left; x < right; x++) to[x] += k * (row[x - i] + row[x + i]);
    }
    for (int x = 0; x < width; x++) {
      if (x == left) x = right;
      if (x >= width) break;
      float value = kernel[0] * row[x];
      for (int i = 1; i <= radius; i++)
        value += kernel[i] * (row[x - i < 0 ? 0 : x - i] + row[x + i >= width ? width - 1 : x + i]);
      to[x] = value;
    }
  }
}

typedef struct {
  float x, y, sigma, response;  // in the first octave's pixels
  int octave, level;
} candidate;

typedef struct {
  candidate *items;
  size_t count, room;
} candidates;

static int append(candidates *list, candidate item) {
  if (list->count == list->room) {
    size_t room = list->room ? 2 * list->room : 4096;
    candidate *grown = realloc(list->items, room * sizeof *grown);
    if (!grown) return -1;
    list->items = grown;
    list->room = room;
  }
  list->items[list->count++] = item;
  return 0;
}

/// Fits a quadric to the 3x3x3 neighbourhood and moves to its extremum; false where it is none, too weak or on an edge.
static int refine(float *const dog[], int width, int height, int x, int y, int s, float threshold, float at[4]) {
  for (int round = 0; round < 5; round++) {
    const size_t w = (size_t)width, i = (size_t)y * w + (size_t)x;
    const float *a = dog[s - 1] + i, *b = dog[s] + i, *c = dog[s + 1] + i;
    float dx = (b[1] - b[-1]) / 2, dy = (b[w] - *(b - w)) / 2, ds = (c[0] - a[0]) / 2;
    float dxx = b[1] + b[-1] - 2 * b[0], dyy = b[w] + *(b - w) - 2 * b[0], dss = c[0] + a[0] - 2 * b[0];
    float dxy = (b[w + 1] - b[w - 1] - *(b - w + 1) + *(b - w - 1)) / 4;
    float dxs = (c[1] - c[-1] - a[1] + a[-1]) / 4, dys = (c[w] - *(c - w) - a[w] + *(a - w)) / 4;
    float m00 = dyy * dss - dys * dys, m01 = dxs * dys - dxy * dss, m02 = dxy * dys - dxs * dyy;
    float det = dxx * m00 + dxy * m01 + dxs * m02;
    if (fabsf(det) < 1e-20f) return 0;
    float m11 = dxx * dss - dxs * dxs, m12 = dxy * dxs - dxx * dys, m22 = dxx * dyy - dxy * dxy;
    float ox = -(m00 * dx + m01 * dy + m02 * ds) / det, oy = -(m01 * dx + m11 * dy + m12 * ds) / det,
          os = -(m02 * dx + m12 * dy + m22 * ds) / det;
    if (fabsf(ox) < 0.6f && fabsf(oy) < 0.6f && fabsf(os) < 0.6f) {
      float value = b[0] + 0.5f * (dx * ox + dy * oy + ds * os);
      float trace = dxx + dyy, determinant = dxx * dyy - dxy * dxy;
      if (fabsf(value) < threshold || determinant <= 0) return 0;
      if (trace * trace * edge_ratio >= (edge_ratio + 1) * (edge_ratio + 1) * determinant) return 0;
      at[0] = (float)x + ox, at[1] = (float)y + oy, at[2] = (float)s + os, at[3] = fabsf(value);
      return 1;
    }
    x += ox > 0.5f ? 1 : ox < -0.5f ? -1 : 0;
    y += oy > 0.5f ? 1 : oy < -0.5f ? -1 : 0;
    s += os > 0.5f ? 1 : os < -0.5f ? -1 : 0;
    if (s < 1 || s > scales || x < border || y < border || x >= width - border || y >= height - border) return 0;
  }
  return 0;
}

static int is_extremum(float *const dog[], size_t w, size_t i, int s) {
  const float v = dog[s][i];
  for (int n = 0; n < 3; n++) {
    const float *p = dog[s - 1 + n] + i;
    for (int r = -1; r <= 1; r++) {
      const float *q = p + (ptrdiff_t)w * r;
      for (int c = -1; c <= 1; c++) {
        if (n == 1 && r == 0 && c == 0) continue;
        if (v > 0 ? q[c] >= v : q[c] <= v) return 0;
      }
    }
  }
  return 1;
}

static int find(
  float *const dog[], const uint8_t *mask, int mask_width, int mask_height, int width, int height, int octave,
  float threshold, candidates *found) {
  const int step = 1 << octave;
  for (int s = 1; s <= scales; s++)
    for (int y = border; y < height - border; y++)
      for (int x = border; x < width - border; x++) {
        const size_t i = (size_t)y * (size_t)width + (size_t)x;
        const float v = dog[s][i];
        if (fabsf(v) < 0.8f * threshold) continue;
        if (v > 0 ? (dog[s][i + 1] >= v || dog[s][i - 1] >= v) : (dog[s][i + 1] <= v || dog[s][i - 1] <= v)) continue;
        if (!is_extremum(dog, (size_t)width, i, s)) continue;
        if (mask && x * step < mask_width && y * step < mask_height
            && !mask[(size_t)(y * step) * (size_t)mask_width + (size_t)(x * step)])
          continue;
        float at[4];
        if (!refine(dog, width, height, x, y, s, threshold, at)) continue;
        candidate c = {
          at[0] * (float)step, at[1] * (float)step, first_sigma * powf(2, at[2] / scales) * (float)step, at[3], octave,
          (int)lrintf(at[2])};
        if (c.level < 1) c.level = 1;
        if (c.level > scales) c.level = scales;
        if (append(found, c)) return -1;
      }
  return 0;
}

static int by_strength(const void *a, const void *b) {
  const candidate *p = a, *q = b;
  if (p->response != q->response) return p->response > q->response ? -1 : 1;
  if (p->y != q->y) return p->y < q->y ? -1 : 1;
  return p->x < q->x ? -1 : p->x > q->x;
}

static int by_place(const void *a, const void *b) {
  const cfeatures_feature *p = a, *q = b;
  if (p->y != q->y) return p->y < q->y ? -1 : 1;
  if (p->x != q->x) return p->x < q->x ? -1 : 1;
  return p->angle < q->angle ? -1 : p->angle > q->angle;
}

/// Keeps the strongest, at most `quota` in each part of the picture, so that one busy corner does not take all.
static void thin(candidates *list, int width, int height, int cells, int capacity) {
  qsort(list->items, list->count, sizeof *list->items, by_strength);
  if (list->count <= (size_t)capacity) return;
  // the quota that fills the capacity: raised until the capacity is reached
  int *used = calloc((size_t)(cells * cells), sizeof *used);
  if (!used) {
    list->count = (size_t)capacity;
    return;
  }
  int *cell = malloc(list->count * sizeof *cell), *rank = malloc(list->count * sizeof *rank);
  if (cell && rank) {
    for (size_t i = 0; i < list->count; i++) {
      int cx = (int)(list->items[i].x * (float)cells / (float)width), cy = (int)(list->items[i].y * (float)cells / (float)height);
      cx = cx < 0 ? 0 : cx >= cells ? cells - 1 : cx;
      cy = cy < 0 ? 0 : cy >= cells ? cells - 1 : cy;
      cell[i] = cy * cells + cx;
      rank[i] = used[cell[i]]++;
    }
    int quota = 1;
    for (;; quota++) {
      size_t kept = 0;
      for (int c = 0; c < cells * cells; c++) kept += (size_t)(used[c] < quota ? used[c] : quota);
      if (kept > (size_t)capacity) break;
    }
    quota--;
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
      if (rank[i] < quota) list->items[kept++] = list->items[i];
    list->count = kept;
  }
  free(cell);
  free(rank);
  free(used);
  if (list->count > (size_t)capacity) list->count = (size_t)capacity;
}

/// atan2 within 1e-4, without a call.
static inline float fast_atan2(float y, float x) {
  float ax = fabsf(x), ay = fabsf(y), high = ax > ay ? ax : ay, low = ax > ay ? ay : ax;
  float a = low / (high + 1e-20f), s = a * a;
  float r = ((-0.0464964749f * s + 0.15931422f) * s - 0.327622764f) * s * a + a;
  if (ay > ax) r = 1.57079637f - r;
  if (x < 0) r = 3.14159274f - r;
  return y < 0 ? -r : r;
}

static float sample(const float *p, int width, int height, float x, float y) {
  x = x < 0 ? 0 : x > (float)(width - 2) ? (float)(width - 2) : x;
  y = y < 0 ? 0 : y > (float)(height - 2) ? (float)(height - 2) : y;
  int ix = (int)x, iy = (int)y;
  float fx = x - (float)ix, fy = y - (float)iy;
  const float *q = p + (size_t)iy * (size_t)width + (size_t)ix;
  return (q[0] * (1 - fx) + q[1] * fx) * (1 - fy) + (q[width] * (1 - fx) + q[width + 1] * fx) * fy;
}

/// The dominant gradient directions around a place: up to two.
static int orientations(const float *p, int width, int height, float x, float y, float sigma, float out[2]) {
  enum { bins = 36 };
  float histogram[bins] = {0}, smooth[bins];
  const int radius = (int)lrintf(3 * 1.5f * sigma), cx = (int)lrintf(x), cy = (int)lrintf(y);
  const float k = -1 / (2 * 1.5f * 1.5f * sigma * sigma);
  for (int dy = -radius; dy <= radius; dy++)
    for (int dx = -radius; dx <= radius; dx++) {
      int px = cx + dx, py = cy + dy;
      if (px < 1 || py < 1 || px >= width - 1 || py >= height - 1 || dx * dx + dy * dy > radius * radius) continue;
      const float *q = p + (size_t)py * (size_t)width + (size_t)px;
      float gx = q[1] - q[-1], gy = q[width] - q[-width];
      float weight = expf(k * (float)(dx * dx + dy * dy)) * sqrtf(gx * gx + gy * gy);
      float bin = (fast_atan2(gy, gx) / 6.28318531f + 1) * bins;
      int b = (int)bin;
      float part = bin - (float)b;
      histogram[b % bins] += weight * (1 - part);
      histogram[(b + 1) % bins] += weight * part;
    }
  for (int round = 0; round < 2; round++) {
    for (int b = 0; b < bins; b++)
      smooth[b] = (histogram[(b + bins - 1) % bins] + 2 * histogram[b] + histogram[(b + 1) % bins]) / 4;
    memcpy(histogram, smooth, sizeof smooth);
  }
  int count = 0;
  float limit = 0;
  for (int turn = 0; turn < 2; turn++) {
    int best = -1;
    for (int b = 0; b < bins; b++) {
      float v = histogram[b], l = histogram[(b + bins - 1) % bins], r = histogram[(b + 1) % bins];
      if (v <= l || v < r || v < limit || v <= 0) continue;
      if (turn && b == (int)(out[0] / 6.28318531f * bins + 0.5f + bins) % bins) continue;
      if (best < 0 || v > histogram[best]) best = b;
    }
    if (best < 0) break;
    float l = histogram[(best + bins - 1) % bins], v = histogram[best], r = histogram[(best + 1) % bins];
    out[count++] = ((float)best + 0.5f * (l - r) / (l - 2 * v + r)) * 6.28318531f / bins;
    limit = 0.8f * v;
  }
  return count;
}

/// Gradient histograms over 4x4 parts and 8 directions of a turned grid of 16x16 samples, three quarters of sigma apart.
static void describe(
  const float *p, int width, int height, float x, float y, float sigma, float angle, uint8_t descriptor[128]) {
  enum { side = 18 };
  float patch[side * side];
  const float step = 0.75f * sigma, c = cosf(angle) * step, s = sinf(angle) * step;
  for (int v = 0; v < side; v++)
    for (int u = 0; u < side; u++) {
      float a = (float)u - 8.5f, b = (float)v - 8.5f;
      patch[v * side + u] = sample(p, width, height, x + c * a - s * b, y + s * a + c * b);
    }
  float bins[4][4][8];
  memset(bins, 0, sizeof bins);
  for (int v = 0; v < 16; v++)
    for (int u = 0; u < 16; u++) {
      const float *q = patch + (v + 1) * side + u + 1;
      float gx = q[1] - q[-1], gy = q[side] - q[-side];
      float a = (float)u - 7.5f, b = (float)v - 7.5f;
      float weight = expf(-(a * a + b * b) / 128) * sqrtf(gx * gx + gy * gy);
      float direction = (fast_atan2(gy, gx) / 6.28318531f + 1) * 8;
      float column = a / 4 + 1.5f, row = b / 4 + 1.5f;
      int d = (int)direction, k = (int)floorf(column), r = (int)floorf(row);
      float fd = direction - (float)d, fk = column - (float)k, fr = row - (float)r;
      for (int i = 0; i < 2; i++) {
        if (r + i < 0 || r + i > 3) continue;
        float wr = weight * (i ? fr : 1 - fr);
        for (int j = 0; j < 2; j++) {
          if (k + j < 0 || k + j > 3) continue;
          float w = wr * (j ? fk : 1 - fk);
          bins[r + i][k + j][d & 7] += w * (1 - fd);
          bins[r + i][k + j][(d + 1) & 7] += w * fd;
        }
      }
    }
  float *flat = &bins[0][0][0], sum = 1e-12f, norm = 1e-12f;
  for (int i = 0; i < 128; i++) norm += flat[i] * flat[i];
  const float clamp = 0.2f * sqrtf(norm);
  for (int i = 0; i < 128; i++) {
    if (flat[i] > clamp) flat[i] = clamp;
    sum += flat[i];
  }
  for (int i = 0; i < 128; i++) {
    float value = 512 * sqrtf(flat[i] / sum) + 0.5f;
    descriptor[i] = value > 255 ? 255 : (uint8_t)value;
  }
}

typedef struct {
  float *gaussians[8][levels];
  int width[8], height[8], octaves;
} pyramid;

static void release(pyramid *p) {
  for (int o = 0; o < p->octaves; o++)
    for (int l = 0; l < levels; l++) free(p->gaussians[o][l]);
}

/// Builds all octaves and finds the extrema in each; -1 without memory.
static int build(
  const uint16_t *luminance, const uint8_t *mask, int width, int height, float threshold, pyramid *p,
  candidates *found) {
  const size_t pixels = (size_t)width * (size_t)height;
  float *scratch = malloc(pixels * sizeof *scratch), *dog[levels - 1] = {0};
  int status = scratch ? 0 : -1;
  for (int l = 0; l < levels - 1 && !status; l++)
    if (!(dog[l] = malloc(pixels * sizeof *dog[l]))) status = -1;
  const float ratio = powf(2, 1.0f / scales);
  for (int o = 0, w = width, h = height; !status && o < 8 && w >= 32 && h >= 32; o++, w /= 2, h /= 2) {
    p->width[o] = w, p->height[o] = h, p->octaves = o + 1;
    const size_t size = (size_t)w * (size_t)h;
    for (int l = 0; l < levels; l++) p->gaussians[o][l] = malloc(size * sizeof(float));
    for (int l = 0; l < levels; l++)
      if (!p->gaussians[o][l]) status = -1;
    if (status) break;
    float *base = p->gaussians[o][0];
    if (o == 0) {
      float *raw = dog[0];
      for (size_t i = 0; i < pixels; i++) raw[i] = (float)luminance[i] / 65536;
      blur(raw, w, h, sqrtf(first_sigma * first_sigma - camera_sigma * camera_sigma), scratch, base);
    } else {
      const float *larger = p->gaussians[o - 1][scales];
      for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) base[(size_t)y * (size_t)w + (size_t)x] = larger[(size_t)(2 * y) * (size_t)p->width[o - 1] + (size_t)(2 * x)];
    }
    float sigma = first_sigma;
    for (int l = 1; l < levels; l++) {
      blur(p->gaussians[o][l - 1], w, h, sigma * sqrtf(ratio * ratio - 1), scratch, p->gaussians[o][l]);
      sigma *= ratio;
      const float *a = p->gaussians[o][l - 1], *b = p->gaussians[o][l];
      for (size_t i = 0; i < size; i++) dog[l - 1][i] = b[i] - a[i];
    }
    status = find(dog, mask, width, height, w, h, o, threshold, found);
  }
  free(scratch);
  for (int l = 0; l < levels - 1; l++) free(dog[l]);
  return status;
}

int cfeatures_detect(
  const uint16_t *luminance, const uint8_t *mask, int width, int height, float threshold, int cells,
  cfeatures_feature *features, int capacity) {
  pyramid p;
  memset(&p, 0, sizeof p);
  candidates found = {0};
  int count = build(luminance, mask, width, height, threshold, &p, &found);
  if (count == 0) {
    thin(&found, width, height, cells, capacity);
    for (size_t i = 0; i < found.count && count < capacity; i++) {
      const candidate *c = found.items + i;
      const float scale = 1 / (float)(1 << c->octave);
      const float *level = p.gaussians[c->octave][c->level];
      const int w = p.width[c->octave], h = p.height[c->octave];
      float angles[2];
      int turns = orientations(level, w, h, c->x * scale, c->y * scale, c->sigma * scale, angles);
      for (int t = 0; t < turns && count < capacity; t++) {
        cfeatures_feature *f = features + count++;
        f->x = c->x, f->y = c->y, f->sigma = c->sigma, f->angle = angles[t], f->response = c->response;
        describe(level, w, h, c->x * scale, c->y * scale, c->sigma * scale, angles[t], f->descriptor);
      }
    }
    qsort(features, (size_t)count, sizeof *features, by_place);
  }
  free(found.items);
  release(&p);
  return count;
}
