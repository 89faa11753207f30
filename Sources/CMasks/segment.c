#include <math.h>
#include <string.h>

#include "CMasks.h"

enum { unexplained = 255 };

static float quadratic(const float *p, float x, float y, float z) {
  return p[0] * x * x + p[3] * y * y + p[5] * z * z + 2 * (p[1] * x * y + p[2] * x * z + p[4] * y * z);
}

static float component_density(const cmasks_mixture *m, int c, const float *x) {
  return m->offset[c]
         - 0.5f * quadratic(m->precision[c], x[0] - m->mean[c][0], x[1] - m->mean[c][1], x[2] - m->mean[c][2]);
}

float cmasks_log_density(const cmasks_mixture *m, const float *x) {
  float best = -INFINITY, values[CMASKS_COMPONENTS];
  for (int c = 0; c < m->count; c++) {
    values[c] = component_density(m, c, x);
    if (values[c] > best) best = values[c];
  }
  float sum = 0;
  for (int c = 0; c < m->count; c++) sum += expf(values[c] - best);
  return best + logf(sum);
}

int cmasks_component(const cmasks_mixture *m, const float *x) {
  int best = -1;
  float nearest = 16;
  for (int c = 0; c < m->count; c++) {
    float d = quadratic(m->precision[c], x[0] - m->mean[c][0], x[1] - m->mean[c][1], x[2] - m->mean[c][2]);
    if (d < nearest) nearest = d, best = c;
  }
  return best;
}

void cmasks_keep(cmasks_mixture *m, uint32_t components) {
  int kept = 0;
  float weight = 0;
  for (int c = 0; c < m->count; c++) {
    if (!(components >> c & 1)) continue;
    weight += m->weight[c];
    m->weight[kept] = m->weight[c];
    m->offset[kept] = m->offset[c];
    memcpy(m->mean[kept], m->mean[c], sizeof m->mean[c]);
    memcpy(m->precision[kept], m->precision[c], sizeof m->precision[c]);
    kept++;
  }
  m->count = kept;
  for (int c = 0; c < kept; c++) {
    m->weight[c] /= weight;
    m->offset[c] -= logf(weight);
  }
}

/// Starts from the mean, then always takes the sample farthest from all chosen ones (T. Gonzalez, 1985). Lone outliers
/// that it picks do not last: components with few samples are dropped.
static int seed(const float *s, size_t n, int k, float centres[][3]) {
  double mean[3] = {0, 0, 0};
  for (size_t i = 0; i < n; i++)
    for (int a = 0; a < 3; a++) mean[a] += s[3 * i + a];
  for (int a = 0; a < 3; a++) centres[0][a] = (float)(mean[a] / (double)n);
  for (int c = 1; c < k; c++) {
    float farthest = 0;
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
      float nearest = INFINITY;
      for (int j = 0; j < c; j++) {
        float dx = s[3 * i] - centres[j][0], dy = s[3 * i + 1] - centres[j][1], dz = s[3 * i + 2] - centres[j][2];
        float d = dx * dx + dy * dy + dz * dz;
        if (d < nearest) nearest = d;
      }
      if (nearest > farthest) farthest = nearest, at = i;
    }
    if (farthest < 1) return c;
    memcpy(centres[c], s + 3 * at, 3 * sizeof(float));
  }
  return k;
}

/// Means, covariances and weights of the samples by label; drops components with too few samples.
static void estimate(const float *s, size_t n, const uint8_t *labels, float floor, cmasks_mixture *m) {
  double count[CMASKS_COMPONENTS] = {0}, sum[CMASKS_COMPONENTS][3] = {{0}}, square[CMASKS_COMPONENTS][6] = {{0}};
  for (size_t i = 0; i < n; i++) {
    const float *x = s + 3 * i;
    int c = labels[i];
    if (c == unexplained) continue;
    count[c]++;
    for (int a = 0; a < 3; a++) sum[c][a] += x[a];
    square[c][0] += x[0] * x[0], square[c][1] += x[0] * x[1], square[c][2] += x[0] * x[2];
    square[c][3] += x[1] * x[1], square[c][4] += x[1] * x[2], square[c][5] += x[2] * x[2];
  }
  int kept = 0;
  for (int c = 0; c < m->count; c++) {
    if (count[c] < 8 || count[c] < 0.002 * (double)n) continue;
    double mu[3], v[6];
    for (int a = 0; a < 3; a++) mu[a] = sum[c][a] / count[c];
    static const int first[6] = {0, 0, 0, 1, 1, 2}, second[6] = {0, 1, 2, 1, 2, 2};
    for (int e = 0; e < 6; e++) v[e] = square[c][e] / count[c] - mu[first[e]] * mu[second[e]];
    v[0] += floor, v[3] += floor, v[5] += floor;
    double c00 = v[3] * v[5] - v[4] * v[4], c01 = v[2] * v[4] - v[1] * v[5], c02 = v[1] * v[4] - v[2] * v[3];
    double det = v[0] * c00 + v[1] * c01 + v[2] * c02;
    if (!(det > 0)) continue;
    m->weight[kept] = (float)(count[c] / (double)n);
    for (int a = 0; a < 3; a++) m->mean[kept][a] = (float)mu[a];
    m->precision[kept][0] = (float)(c00 / det), m->precision[kept][1] = (float)(c01 / det);
    m->precision[kept][2] = (float)(c02 / det), m->precision[kept][3] = (float)((v[0] * v[5] - v[2] * v[2]) / det);
    m->precision[kept][4] = (float)((v[1] * v[2] - v[0] * v[4]) / det);
    m->precision[kept][5] = (float)((v[0] * v[3] - v[1] * v[1]) / det);
    m->offset[kept] = (float)(log(m->weight[kept]) - 0.5 * (3 * log(2 * M_PI) + log(det)));
    kept++;
  }
  m->count = kept;
}

void cmasks_fit(
  const float *samples, size_t count, int components, int iterations, float floor, uint8_t *labels,
  cmasks_mixture *out) {
  memset(out, 0, sizeof *out);
  if (count == 0) return;
  if (components > CMASKS_COMPONENTS) components = CMASKS_COMPONENTS;
  float centres[CMASKS_COMPONENTS][3];
  out->count = seed(samples, count, components, centres);
  for (size_t i = 0; i < count; i++) {
    float nearest = INFINITY;
    for (int c = 0; c < out->count; c++) {
      float dx = samples[3 * i] - centres[c][0], dy = samples[3 * i + 1] - centres[c][1],
            dz = samples[3 * i + 2] - centres[c][2];
      float d = dx * dx + dy * dy + dz * dz;
      if (d < nearest) nearest = d, labels[i] = (uint8_t)c;
    }
  }
  // hard assignment: as good as soft for well separated colours, and a third of the work
  for (int round = 0;; round++) {
    estimate(samples, count, labels, floor, out);
    if (round == iterations || out->count == 0) return;
    for (size_t i = 0; i < count; i++) {
      // a sample that no component explains must not stretch the nearest one
      float best = -20;
      labels[i] = unexplained;
      for (int c = 0; c < out->count; c++) {
        float d = component_density(out, c, samples + 3 * i);
        if (d > best) best = d, labels[i] = (uint8_t)c;
      }
    }
  }
}

static const float steps = (1 << CMASKS_TABLE_BITS) - 1;

float cmasks_root(uint8_t value) { return sqrtf(((float)value + 6) / 261) * steps; }

void cmasks_odds_table(
  const cmasks_mixture *front, const cmasks_mixture *back, float surprise, float limit, float *table) {
  const int n = 1 << CMASKS_TABLE_BITS;
  const float uniform = logf(surprise) - 3 * logf((float)n);
  for (int r = 0; r < n; r++)
    for (int g = 0; g < n; g++)
      for (int b = 0; b < n; b++) {
        float x[3] = {(float)r, (float)g, (float)b};
        float f = front->count ? cmasks_log_density(front, x) : -INFINITY;
        // log(exp(f) + exp(uniform)) without overflow
        float high = f > uniform ? f : uniform, low = f > uniform ? uniform : f;
        float odds = high + log1pf(expf(low - high)) - cmasks_log_density(back, x);
        table[(r * n + g) * n + b] = odds > limit ? limit : odds < -limit ? -limit : odds;
      }
}

void cmasks_lookup(const uint8_t *rgb, size_t count, const float *table, float *odds) {
  uint32_t place[256];
  for (int v = 0; v < 256; v++) place[v] = (uint32_t)(cmasks_root((uint8_t)v) + 0.5f);
  for (size_t i = 0; i < count; i++) {
    const uint8_t *p = rgb + 3 * i;
    odds[i] = table[(place[p[0]] << (2 * CMASKS_TABLE_BITS)) + (place[p[1]] << CMASKS_TABLE_BITS) + place[p[2]]];
  }
}

/// tanh(x) within 3e-3, without a call: the beliefs of the mean field need no more.
static inline float fast_tanh(float x) {
  x = x > 4.97f ? 4.97f : x < -4.97f ? -4.97f : x;
  float x2 = x * x;
  return x * (135135 + x2 * (17325 + x2 * (378 + x2))) / (135135 + x2 * (62370 + x2 * (3150 + x2 * 28)));
}

void cmasks_smooth(
  const float *odds, const uint8_t *rgb, int width, int height, float strength, float contrast, int iterations,
  float *bonds, float *other, float *belief) {
  const size_t count = (size_t)width * (size_t)height;
  float *right = bonds, *down = bonds + count;
  float root[256];
  for (int v = 0; v < 256; v++) root[v] = cmasks_root((uint8_t)v);
  const float k = 1 / (2 * contrast * contrast);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      size_t i = (size_t)y * (size_t)width + (size_t)x;
      const uint8_t *p = rgb + 3 * i;
      for (int side = 0; side < 2; side++) {
        float *bond = side ? down : right;
        if (side ? y + 1 == height : x + 1 == width) {
          bond[i] = 0;
          continue;
        }
        const uint8_t *q = side ? p + 3 * (size_t)width : p + 3;
        float a = root[p[0]] - root[q[0]], b = root[p[1]] - root[q[1]], c = root[p[2]] - root[q[2]];
        // 1/(1+d) falls like a Gaussian at first and never quite lets go
        bond[i] = strength / (1 + k * (a * a + b * b + c * c));
      }
      belief[i] = fast_tanh(odds[i] / 2);
    }
  float *from = belief, *to = other;
  for (int round = 0; round < 2 * iterations; round++) {  // an even number: the result ends in `belief`
    for (int y = 0; y < height; y++) {
      const size_t row = (size_t)y * (size_t)width;
      // beyond the frame there is no bond: the row itself with a bond of zero stands in
      const float *o = odds + row, *r = right + row, *d = down + row, *f = from + row;
      const float *u = y ? d - width : d, *above = y ? f - width : f, *below = y + 1 < height ? f + width : f;
      const float upper = y ? 1 : 0;
      float *restrict t = to + row;
      t[0] = fast_tanh((o[0] + d[0] * below[0] + upper * u[0] * above[0] + (width > 1 ? r[0] * f[1] : 0)) / 2);
      for (int x = 1; x < width - 1; x++)
        t[x] = fast_tanh(
          (o[x] + d[x] * below[x] + upper * u[x] * above[x] + r[x - 1] * f[x - 1] + r[x] * f[x + 1]) / 2);
      if (width > 1) {
        const int x = width - 1;
        t[x] = fast_tanh((o[x] + d[x] * below[x] + upper * u[x] * above[x] + r[x - 1] * f[x - 1]) / 2);
      }
    }
    float *swap = from;
    from = to, to = swap;
  }
}

int cmasks_regions(const uint8_t *mask, int width, int height, int32_t *labels, int32_t *stack) {
  const int count = width * height;
  for (int i = 0; i < count; i++) labels[i] = -1;
  int regions = 0;
  for (int start = 0; start < count; start++) {
    if (labels[start] >= 0) continue;
    const int is = mask[start] != 0;
    int top = 0;
    stack[top++] = start;
    labels[start] = regions;
    while (top > 0) {
      int i = stack[--top], x = i % width;
      int next[4] = {x > 0 ? i - 1 : -1, x + 1 < width ? i + 1 : -1, i - width, i + width < count ? i + width : -1};
      for (int n = 0; n < 4; n++) {
        int j = next[n];
        if (j < 0 || labels[j] >= 0 || (mask[j] != 0) != is) continue;
        labels[j] = regions;
        stack[top++] = j;
      }
    }
    regions++;
  }
  return regions;
}
