#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "CFeatures.h"

static inline int squared_distance(const uint8_t *a, const uint8_t *b) {
  int sum = 0;
  for (int i = 0; i < CFEATURES_DESCRIPTOR; i++) {
    int d = (int)a[i] - (int)b[i];
    sum += d * d;
  }
  return sum;
}

/// Features sorted into square cells.
typedef struct {
  int columns, rows, size;
  int32_t *start, *items;
} grid;

static int make_grid(const cfeatures_feature *f, int count, int width, int height, int size, grid *g) {
  g->size = size;
  g->columns = (width + size - 1) / size;
  g->rows = (height + size - 1) / size;
  const size_t cells = (size_t)g->columns * (size_t)g->rows;
  g->start = calloc(cells + 1, sizeof *g->start);
  g->items = malloc((size_t)(count > 0 ? count : 1) * sizeof *g->items);
  int32_t *cell = malloc((size_t)(count > 0 ? count : 1) * sizeof *cell);
  if (!g->start || !g->items || !cell) {
    free(cell);
    return -1;
  }
  for (int i = 0; i < count; i++) {
    int x = (int)f[i].x / size, y = (int)f[i].y / size;
    x = x < 0 ? 0 : x >= g->columns ? g->columns - 1 : x;
    y = y < 0 ? 0 : y >= g->rows ? g->rows - 1 : y;
    cell[i] = y * g->columns + x;
    g->start[cell[i] + 1]++;
  }
  for (size_t c = 0; c < cells; c++) g->start[c + 1] += g->start[c];
  int32_t *next = malloc((cells > 0 ? cells : 1) * sizeof *next);
  if (!next) {
    free(cell);
    return -1;
  }
  memcpy(next, g->start, cells * sizeof *next);
  for (int i = 0; i < count; i++) g->items[next[cell[i]]++] = i;
  free(next);
  free(cell);
  return 0;
}

/// The pixel there of a feature here at a depth; false behind the camera.
static int transfer(const cfeatures_guide *g, const double ray[3], double depth, double out[2]) {
  const double *r = g->rotation, *t = g->translation;
  double x = depth * (r[0] * ray[0] + r[1] * ray[1] + r[2] * ray[2]) + t[0];
  double y = depth * (r[3] * ray[0] + r[4] * ray[1] + r[5] * ray[2]) + t[1];
  double z = depth * (r[6] * ray[0] + r[7] * ray[1] + r[8] * ray[2]) + t[2];
  if (z <= 1e-9 * depth) return 0;
  out[0] = g->there[0] * x / z + g->there[2];
  out[1] = g->there[1] * y / z + g->there[3];
  return 1;
}

static double segment_distance(const double a[2], const double b[2], double x, double y) {
  double dx = b[0] - a[0], dy = b[1] - a[1], length = dx * dx + dy * dy;
  double t = length > 0 ? ((x - a[0]) * dx + (y - a[1]) * dy) / length : 0;
  t = t < 0 ? 0 : t > 1 ? 1 : t;
  double ex = x - a[0] - t * dx, ey = y - a[1] - t * dy;
  return sqrt(ex * ex + ey * ey);
}

int cfeatures_match_guided(
  const cfeatures_feature *here, const float *nearest, const float *farthest, int count_here,
  const cfeatures_feature *there, int count_there, int width_there, int height_there, const cfeatures_guide *guide,
  int limit, float ratio, int32_t *best, int32_t *distance) {
  grid g = {0};
  if (make_grid(there, count_there, width_there, height_there, 16, &g)) {
    free(g.start);
    free(g.items);
    return -1;
  }
  const double band = guide->band, half = 0.5 * g.size * sqrt(2);
  for (int i = 0; i < count_here; i++) {
    best[i] = -1;
    distance[i] = limit;
    if (!(farthest[i] > 0)) continue;
    double ray[3] = {
      ((double)here[i].x - guide->here[2]) / guide->here[0], ((double)here[i].y - guide->here[3]) / guide->here[1], 1};
    double a[2], b[2];
    if (!transfer(guide, ray, nearest[i], a) || !transfer(guide, ray, farthest[i], b)) continue;
    double low_x = fmin(a[0], b[0]) - band, high_x = fmax(a[0], b[0]) + band;
    double low_y = fmin(a[1], b[1]) - band, high_y = fmax(a[1], b[1]) + band;
    if (high_x < 0 || high_y < 0 || low_x > width_there || low_y > height_there) continue;
    int c0 = low_x < 0 ? 0 : (int)low_x / g.size, c1 = (int)fmin(high_x, width_there - 1) / g.size;
    int r0 = low_y < 0 ? 0 : (int)low_y / g.size, r1 = (int)fmin(high_y, height_there - 1) / g.size;
    int first = limit + 1, second = 1 << 30, at = -1;
    float at_x = 0, at_y = 0;
    for (int r = r0; r <= r1; r++)
      for (int c = c0; c <= c1; c++) {
        if (segment_distance(a, b, (c + 0.5) * g.size, (r + 0.5) * g.size) > band + half) continue;
        const int cell = r * g.columns + c;
        for (int32_t k = g.start[cell]; k < g.start[cell + 1]; k++) {
          const cfeatures_feature *f = there + g.items[k];
          if (segment_distance(a, b, f->x, f->y) > band) continue;
          int d = squared_distance(here[i].descriptor, f->descriptor);
          int same = at >= 0 && fabsf(f->x - at_x) + fabsf(f->y - at_y) < 3;
          if (d < first) {
            if (!same && at >= 0) second = first;
            first = d, at = g.items[k], at_x = f->x, at_y = f->y;
          } else if (!same && d < second) {
            second = d;
          }
        }
      }
    if (at >= 0 && first <= limit && (float)first <= ratio * ratio * (float)second) {
      best[i] = at;
      distance[i] = first;
    }
  }
  free(g.start);
  free(g.items);
  return 0;
}

void cfeatures_match_all(
  const uint8_t *here, int count_here, const uint8_t *there, int count_there, int k, int32_t *best, int32_t *distance) {
  if (k > 4) k = 4;
  for (int i = 0; i < count_here; i++) {
    int32_t *b = best + (size_t)i * (size_t)k, *d = distance + (size_t)i * (size_t)k;
    for (int n = 0; n < k; n++) b[n] = -1, d[n] = 1 << 30;
    const uint8_t *mine = here + (size_t)i * CFEATURES_DESCRIPTOR;
    for (int j = 0; j < count_there; j++) {
      int s = squared_distance(mine, there + (size_t)j * CFEATURES_DESCRIPTOR);
      if (s >= d[k - 1]) continue;
      int n = k - 1;
      for (; n > 0 && d[n - 1] > s; n--) d[n] = d[n - 1], b[n] = b[n - 1];
      d[n] = s;
      b[n] = j;
    }
  }
}

// Sub-pixel alignment

enum { most_radius = 12, most_patch = (2 * most_radius + 1) * (2 * most_radius + 1) };

static float at(const uint16_t *p, int width, float x, float y) {
  int ix = (int)x, iy = (int)y;
  float fx = x - (float)ix, fy = y - (float)iy;
  const uint16_t *q = p + (size_t)iy * (size_t)width + (size_t)ix;
  return ((float)q[0] * (1 - fx) + (float)q[1] * fx) * (1 - fy)
         + ((float)q[width] * (1 - fx) + (float)q[width + 1] * fx) * fy;
}

/// One place. The template is the patch here; the picture there is sampled through the warp; the update is a shift.
static int align_one(
  const uint16_t *here, int wh, int hh, const uint16_t *there, int wt, int ht, const float from[2],
  const float w[4], int radius, float reach, float least, float xy[2]) {
  const int side = 2 * radius + 1, n = side * side;
  float patch[most_patch], gx[most_patch], gy[most_patch];
  const float margin = (float)radius + 2;
  if (from[0] < margin || from[1] < margin || from[0] > (float)wh - 1 - margin || from[1] > (float)hh - 1 - margin)
    return 0;
  double sum = 0, square = 0;
  float hxx = 0, hxy = 0, hyy = 0, mx = 0, my = 0;
  for (int v = 0, i = 0; v < side; v++)
    for (int u = 0; u < side; u++, i++) {
      float x = from[0] + (float)(u - radius), y = from[1] + (float)(v - radius);
      patch[i] = at(here, wh, x, y);
      // gradient in this picture's directions
      float dx = 0.5f * (at(here, wh, x + 1, y) - at(here, wh, x - 1, y));
      float dy = 0.5f * (at(here, wh, x, y + 1) - at(here, wh, x, y - 1));
      gx[i] = dx, gy[i] = dy;
      mx += dx, my += dy;
      sum += patch[i];
      square += (double)patch[i] * patch[i];
    }
  const float mean = (float)(sum / n);
  double variance = square - sum * sum / n;
  if (variance < n * 4e4) return 0;  // flat: less than a grey level of contrast
  mx /= (float)n, my /= (float)n;
  for (int i = 0; i < n; i++) {
    gx[i] -= mx, gy[i] -= my;
    patch[i] -= mean;
    hxx += gx[i] * gx[i], hxy += gx[i] * gy[i], hyy += gy[i] * gy[i];
  }
  const float det = hxx * hyy - hxy * hxy;
  if (det < 1e-3f * hxx * hyy || det <= 0) return 0;
  const float start[2] = {xy[0], xy[1]};
  const float extent = (fabsf(w[0]) + fabsf(w[1]) > fabsf(w[2]) + fabsf(w[3]) ? fabsf(w[0]) + fabsf(w[1])
                                                                                 : fabsf(w[2]) + fabsf(w[3]))
                         * (float)radius + 1;
  for (int round = 0; round < 12; round++) {
    if (!(xy[0] > extent && xy[1] > extent && xy[0] < (float)wt - 2 - extent && xy[1] < (float)ht - 2 - extent)) return 0;
    float seen[most_patch];
    double total = 0, squares = 0, product = 0;
    for (int v = 0, i = 0; v < side; v++)
      for (int u = 0; u < side; u++, i++) {
        float a = (float)(u - radius), b = (float)(v - radius);
        seen[i] = at(there, wt, xy[0] + w[0] * a + w[1] * b, xy[1] + w[2] * a + w[3] * b);
        total += seen[i];
      }
    const float middle = (float)(total / n);
    for (int i = 0; i < n; i++) {
      seen[i] -= middle;
      squares += (double)seen[i] * seen[i];
      product += (double)seen[i] * patch[i];
    }
    if (squares < n * 4e4 || product <= 0) return 0;
    const float gain = (float)(product / squares);
    float ex = 0, ey = 0;
    for (int i = 0; i < n; i++) {
      float e = gain * seen[i] - patch[i];
      ex += gx[i] * e, ey += gy[i] * e;
    }
    // the shift in this picture's pixels that undoes the difference, and the same there
    float sx = (hyy * ex - hxy * ey) / det, sy = (hxx * ey - hxy * ex) / det;
    float dx = w[0] * sx + w[1] * sy, dy = w[2] * sx + w[3] * sy;
    xy[0] -= dx, xy[1] -= dy;
    float ox = xy[0] - start[0], oy = xy[1] - start[1];
    if (!(ox * ox + oy * oy <= reach * reach)) return 0;
    if (dx * dx + dy * dy < 1e-4f) return product / sqrt(variance * squares) >= least;
  }
  return 0;
}

void cfeatures_align(
  const uint16_t *here, int width_here, int height_here, const uint16_t *there, int width_there, int height_there,
  int count, const float *from, const float *warp, int radius, float reach, float least, float *xy, uint8_t *ok) {
  if (radius > most_radius) radius = most_radius;
  for (int i = 0; i < count; i++)
    ok[i] = (uint8_t)align_one(
      here, width_here, height_here, there, width_there, height_there, from + 2 * i, warp + 4 * i, radius, reach,
      least, xy + 2 * i);
}
