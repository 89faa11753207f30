// Small vector arithmetic shared by the renderer's files.
#pragma once
#include <math.h>
#include <stdint.h>
#include <string.h>
#include "CRender.h"

typedef float v4 __attribute__((vector_size(16)));
typedef int32_t i4 __attribute__((vector_size(16)));
typedef struct { float x, y, z; } v3;

static inline v3 v3_of(const float *p) { return (v3){p[0], p[1], p[2]}; }
static inline v3 v3_add(v3 a, v3 b) { return (v3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline v3 v3_sub(v3 a, v3 b) { return (v3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline v3 v3_mul(v3 a, float s) { return (v3){a.x * s, a.y * s, a.z * s}; }
static inline float v3_dot(v3 a, v3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline v3 v3_cross(v3 a, v3 b) {
  return (v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline float v3_length(v3 a) { return sqrtf(v3_dot(a, a)); }
static inline v3 v3_unit(v3 a) {
  float l = v3_length(a);
  return l > 0 ? v3_mul(a, 1 / l) : a;
}
static inline v3 v3_mix(v3 a, v3 b, float t) { return v3_add(v3_mul(a, 1 - t), v3_mul(b, t)); }

static inline v3 pose_point(const cr_pose *p, v3 a) {
  const float *m = p->m;
  return (v3){m[0] * a.x + m[1] * a.y + m[2] * a.z + m[3], m[4] * a.x + m[5] * a.y + m[6] * a.z + m[7],
              m[8] * a.x + m[9] * a.y + m[10] * a.z + m[11]};
}
static inline v3 pose_turn(const cr_pose *p, v3 a) {
  const float *m = p->m;
  return (v3){m[0] * a.x + m[1] * a.y + m[2] * a.z, m[4] * a.x + m[5] * a.y + m[6] * a.z,
              m[8] * a.x + m[9] * a.y + m[10] * a.z};
}
// First b, then a.
static inline cr_pose pose_product(const cr_pose *a, const cr_pose *b) {
  cr_pose c;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 4; j++) {
      float s = j == 3 ? a->m[4 * i + 3] : 0;
      for (int k = 0; k < 3; k++) s += a->m[4 * i + k] * b->m[4 * k + j];
      c.m[4 * i + j] = s;
    }
  }
  return c;
}
static inline cr_pose pose_inverse(const cr_pose *a) {
  cr_pose c;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) c.m[4 * i + j] = a->m[4 * j + i];
    c.m[4 * i + 3] = -(a->m[i] * a->m[3] + a->m[4 + i] * a->m[7] + a->m[8 + i] * a->m[11]);
  }
  return c;
}

static inline float clampf(float x, float low, float high) { return x < low ? low : x > high ? high : x; }
static inline int clampi(int x, int low, int high) { return x < low ? low : x > high ? high : x; }
// Without SSE4.1 the library's floorf is a call.
static inline int floor_int(float x) {
  const int i = (int)x;
  return i - (x < (float)i);
}
// log2 to within 0.01: exponent and a parabola through the mantissa.
static inline float log2_roughly(float x) {
  int32_t bits;
  memcpy(&bits, &x, sizeof bits);
  const int32_t mantissa = (bits & 0x7fffff) | 0x3f800000;
  float m;
  memcpy(&m, &mantissa, sizeof m);
  return (float)((bits >> 23) - 127) + (-0.3333333f * m + 2) * m - 1.6666667f;
}
static inline float smooth(float low, float high, float x) {
  float t = clampf((x - low) / (high - low), 0, 1);
  return t * t * (3 - 2 * t);
}

static inline uint32_t hash32(uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}
static inline uint64_t hash64(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}
// Value noise over an integer lattice, -1…1.
float cr_noise3(v3 p, uint32_t seed);
// A sum of `octaves` of it, each twice as fine and half as strong.
float cr_fbm3(v3 p, int octaves, uint32_t seed);
// Whether a point of a line of text is inked: (u, v) in letter heights, v upwards from the base line. Letters are 5×7.
int cr_text_ink(const char *text, float u, float v);
float cr_text_width(const char *text);

float cr_srgb_to_linear(float s);
float cr_linear_to_srgb(float l);

// Depth-only rasterising: screen x, y and nearness d (larger is nearer) for each vertex; keeps the largest d.
void cr_depth_draw(const float *xyd, const uint32_t *triangles, uint32_t triangle_count, int size, float *nearest);
