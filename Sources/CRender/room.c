// Surfaces of the room: what stands behind a turntable on somebody's bench.
#include "internal.h"

typedef struct { float u, v; uint32_t seed; v3 noise; } place;  // u, v in 0…1, v downwards

static v3 wood(place p) {
  // six boards along u
  const float board = floorf(p.v * 6), edge = fabsf(p.v * 6 - board - 0.5f);
  const uint32_t h = hash32((uint32_t)board * 977 + p.seed);
  const v3 q = {p.u * 3 + (float)(h & 255), p.v * 60, 0.5f};
  const float grain = sinf(9 * cr_fbm3((v3){q.x, q.y * 0.2f, 0}, 4, h) + p.v * 90);
  const float fine = cr_fbm3((v3){p.u * 40, p.v * 700, 3}, 3, h);
  const float tone = 0.9f + 0.12f * (float)(h >> 8 & 255) / 255 + 0.06f * grain + 0.13f * fine;
  const float groove = edge > 0.487f ? 0.45f : 1;
  return v3_mul((v3){0.60f, 0.45f, 0.31f}, tone * groove);
}

static v3 plaster(place p) {
  const float broad = cr_fbm3(v3_mul(p.noise, 3), 4, p.seed), fine = cr_fbm3(v3_mul(p.noise, 40), 3, p.seed + 9);
  const float stripe = p.u * 24 - floorf(p.u * 24), leaf = hypotf(stripe - 0.5f, 0.8f * (p.v * 24 - floorf(p.v * 24) - 0.5f));
  v3 c = {0.62f, 0.66f, 0.66f};
  if (leaf < 0.2f) c = (v3){0.50f, 0.58f, 0.60f};
  if (stripe < 0.05f) c = (v3){0.75f, 0.74f, 0.68f};
  return v3_mul(c, 1 + 0.12f * broad + 0.10f * fine);
}

// The backs of a row of books: one a sixteenth of the width.
static v3 books(place p) {
  const float n = floorf(p.u * 16), x = p.u * 16 - n;
  const uint32_t h = hash32((uint32_t)n * 6151 + p.seed);
  v3 c = {0.2f + 0.6f * (float)(h & 255) / 255, 0.2f + 0.5f * (float)(h >> 8 & 255) / 255,
          0.2f + 0.5f * (float)(h >> 16 & 255) / 255};
  if (x < 0.06f || x > 0.94f) c = v3_mul(c, 0.4f);
  const float bar = p.v * 9 - floorf(p.v * 9);
  if (h % 3 == 0 && bar < 0.2f) c = (v3){0.85f, 0.78f, 0.5f};
  static const char *const titles[] = {"STEREO", "NOISE", "TABLES", "LIGHT", "RIGS AND TOYS", "MIRRORS"};
  const char *title = titles[h % 6];
  if (cr_text_ink(title, (p.v - 0.15f) * 22, (x - 0.35f) * 3.2f)) c = (v3){0.93f, 0.9f, 0.82f};
  return v3_mul(c, 1 + 0.15f * cr_fbm3(v3_mul(p.noise, 60), 3, h));
}

// A board with a printed pattern.
static v3 poster(place p) {
  const float x = p.u * 10, y = p.v * 10;
  const uint32_t h = hash32((uint32_t)floorf(x) * 131 + (uint32_t)floorf(y) * 7919 + p.seed);
  v3 c = {0.3f + 0.6f * (float)(h & 255) / 255, 0.3f + 0.5f * (float)(h >> 8 & 255) / 255, 0.35f + 0.5f * (float)(h >> 16 & 255) / 255};
  const float r = hypotf(x - floorf(x) - 0.5f, y - floorf(y) - 0.5f);
  if (h % 2 && r < 0.34f) c = (v3){0.92f, 0.9f, 0.84f};
  if (fmaxf(fabsf(p.u - 0.5f), fabsf(p.v - 0.5f)) > 0.47f) c = (v3){0.2f, 0.18f, 0.16f};
  return v3_mul(c, 1 + 0.12f * cr_fbm3(v3_mul(p.noise, 50), 3, p.seed));
}

// Corrugated board with tape and a stamp.
static v3 carton(place p) {
  v3 c = {0.66f, 0.50f, 0.34f};
  if (fabsf(p.u - 0.5f) < 0.05f) c = (v3){0.75f, 0.66f, 0.46f};
  if (cr_text_ink("THIS SIDE", (p.u - 0.08f) * 11, (0.42f - p.v) * 11)) c = (v3){0.25f, 0.16f, 0.12f};
  if (cr_text_ink("CAMERA 2", (p.u - 0.52f) * 14, (0.85f - p.v) * 14)) c = (v3){0.55f, 0.12f, 0.1f};
  const float fibre = cr_fbm3((v3){p.u * 30, p.v * 200, 1}, 4, p.seed);
  return v3_mul(c, 1 + 0.16f * fibre + 0.1f * cr_fbm3(v3_mul(p.noise, 4), 3, p.seed + 3));
}

// The disc from above: rings, a degree scale at the rim, and scattered marks.
static v3 disc(place p) {
  const float x = 2 * p.u - 1, y = 2 * p.v - 1, r = hypotf(x, y);
  v3 c = {0.47f, 0.48f, 0.49f};
  const float degrees = (atan2f(y, x) * 57.29578f + 360) / 5, tick = fabsf(degrees - roundf(degrees)) * 5 * 0.01745f * r;
  const int whole = (int)roundf(degrees) % 6 == 0;
  if (r > (whole ? 0.88f : 0.93f) && r < 0.975f && tick < (whole ? 0.005f : 0.003f)) c = (v3){0.9f, 0.9f, 0.86f};
  if (fabsf(r - 0.975f) < 0.004f || fabsf(r - 0.86f) < 0.003f) c = (v3){0.85f, 0.85f, 0.8f};
  for (int k = 1; k < 4; k++) {
    if (fabsf(r - 0.21f * (float)k) < 0.0028f) c = (v3){0.28f, 0.29f, 0.30f};
  }
  if (r > 0.64f && r < 0.85f) {
    // scattered marks, no two places alike
    const float gx = x * 14, gy = y * 14;
    const uint32_t h = hash32((uint32_t)(int)(floorf(gx) + 50) * 421 + (uint32_t)(int)(floorf(gy) + 50) * 3571 + p.seed);
    const float dx = gx - floorf(gx) - 0.3f - 0.4f * (float)(h & 255) / 255;
    const float dy = gy - floorf(gy) - 0.3f - 0.4f * (float)(h >> 8 & 255) / 255;
    const float size = 0.12f + 0.14f * (float)(h >> 16 & 255) / 255;
    if (h % 3 && (h & 1 ? fmaxf(fabsf(dx), fabsf(dy)) : hypotf(dx, dy)) < size) {
      c = h & 2 ? (v3){0.16f, 0.17f, 0.2f} : (v3){0.87f, 0.86f, 0.8f};
    }
  }
  return v3_mul(c, 1 + 0.10f * cr_fbm3(v3_mul(p.noise, 90), 3, p.seed) + 0.06f * cr_fbm3(v3_mul(p.noise, 12), 3, p.seed + 1));
}

// The disc's edge: a dark band with a light scale.
static v3 rim(place p) {
  const float t = p.u * 72, tick = fabsf(t - roundf(t));
  if (p.v < 0.4f && tick < 0.08f) return (v3){0.85f, 0.85f, 0.8f};
  return v3_mul((v3){0.22f, 0.23f, 0.25f}, 1 + 0.2f * cr_fbm3(v3_mul(p.noise, 60), 2, p.seed));
}

void cr_room_texture(int kind, uint32_t seed, int size, int y0, int y1, uint8_t *rgb) {
  static v3 (*const surfaces[])(place) = {wood, plaster, books, poster, carton, disc, rim};
  const int count = (int)(sizeof surfaces / sizeof *surfaces);
  for (int y = y0; y < y1; y++) {
    for (int x = 0; x < size; x++) {
      const float u = ((float)x + 0.5f) / (float)size, v = ((float)y + 0.5f) / (float)size;
      const v3 c = surfaces[clampi(kind, 0, count - 1)]((place){u, v, seed, {u, v, (float)seed * 0.001f}});
      uint8_t *to = rgb + 3 * ((size_t)y * (size_t)size + (size_t)x);
      to[0] = (uint8_t)lrintf(255 * clampf(c.x, 0, 1));
      to[1] = (uint8_t)lrintf(255 * clampf(c.y, 0, 1));
      to[2] = (uint8_t)lrintf(255 * clampf(c.z, 0, 1));
    }
  }
}
