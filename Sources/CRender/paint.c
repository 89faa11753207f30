// The paint of the built-in objects: flat colours with bands, letters and rivets, under brush marks, grain and chips.
#include "toys.h"

static v4 colour(float r, float g, float b, float gloss) { return (v4){r, g, b, gloss}; }

static int band(float x, float centre, float half) { return fabsf(x - centre) < half; }

// Text on a vertical face: readable from its side. (x, y) is the lower left corner.
static int label(const char *text, v3 p, v3 n, float x, float y, float height) {
  const float side = n.z > 0 ? 1 : -1;
  return cr_text_ink(text, side * (p.x - x) / height, (p.y - y) / height);
}

static v4 wheel(v3 p) {
  const float x = p.x - (-38 + 35 * floorf((p.x + 38 + 17.5f) / 35)), y = p.y - 12, r = hypotf(x, y);
  if (r > 10) return colour(0.16f, 0.16f, 0.18f, 0.2f);
  const float turn = atan2f(y, x) * 1.2732395f + (p.z > 0 ? 0.2f : 0.6f);
  const float arc = fabsf(turn - floorf(turn) - 0.5f) * r;
  if (arc < 1.1f || r < 4.6f || r > 8.9f) return colour(0.84f, 0.62f, 0.14f, 0.3f);
  return colour(0.45f, 0.08f, 0.07f, 0.2f);
}

static v4 cabin(v3 p, v3 n) {
  const v4 red = colour(0.66f, 0.13f, 0.10f, 0.3f), cream = colour(0.93f, 0.86f, 0.68f, 0.2f);
  const v4 gold = colour(0.88f, 0.68f, 0.22f, 0.35f);
  if (fabsf(n.z) > 0.7f) {
    const float wx = fabsf(p.x + 36) - 10, wy = fabsf(p.y - 60) - 9, frame = fmaxf(wx, wy);
    if (frame > 0.8f && frame < 3) return cream;
    const float ex = fabsf(p.x + 33) - 18.6f, ey = fabsf(p.y - 48) - 26.2f, edge = fmaxf(ex, ey);
    if (edge > -0.6f && edge < 0.6f) return gold;
    if (n.z > 0 ? label("N.7", p, n, -48, 31, 13) : label("036", p, n, -19, 31, 13)) return gold;
    const float plank = p.x / 6 - floorf(p.x / 6);
    if (p.y < 48 && plank < 0.07f) return colour(0.36f, 0.06f, 0.05f, 0.2f);
  } else if (fabsf(n.x) > 0.7f) {
    if (band(hypotf(p.y - 62, fabsf(p.z) - 13), 4.5f, 1.1f)) return cream;
    if (band(p.y, 26, 1.2f)) return gold;
  }
  return red;
}

static v4 chassis(v3 p, v3 n) {
  const v4 navy = colour(0.12f, 0.17f, 0.30f, 0.2f), brass = colour(0.80f, 0.60f, 0.20f, 0.4f);
  if (n.y < -0.7f) {
    // the label of the works: seen only when the toy is turned over
    const v4 paper = colour(0.90f, 0.87f, 0.76f, 0.05f), ink = colour(0.20f, 0.13f, 0.10f, 0.05f);
    if (fabsf(p.x + 3) < 44 && fabsf(p.z) < 14) {
      if (fabsf(p.x + 3) > 42.6f || fabsf(p.z) > 12.6f) return colour(0.62f, 0.18f, 0.12f, 0.05f);
      if (cr_text_ink("TWINRIG", (p.x + 38) / 9.5f, (p.z - 1) / 9.5f)) return ink;
      if (cr_text_ink("TOY WORKS *2026*", (p.x + 38) / 4.6f, (p.z + 8) / 4.6f)) return ink;
      if (hypotf(p.x - 31, p.z - 4) < 6) {
        const float turn = atan2f(p.z - 4, p.x - 31) * 1.9098593f;
        return turn - floorf(turn) < 0.5f ? colour(0.1f, 0.4f, 0.45f, 0.1f) : colour(0.9f, 0.55f, 0.15f, 0.1f);
      }
      return paper;
    }
    const float screw = hypotf(fabsf(p.x) - 52, fabsf(p.z) - 10);
    if (screw < 3) return fabsf(p.x + p.z - floorf((p.x + p.z) / 3) * 3 - 1.5f) < 0.5f ? navy : brass;
    const float grain = sinf(p.z * 1.3f + 3 * cr_fbm3((v3){p.x * 0.03f, 0, p.z * 0.2f}, 3, 5));
    return colour(0.62f + 0.1f * grain, 0.44f + 0.08f * grain, 0.26f + 0.05f * grain, 0.05f);
  }
  if (fabsf(n.z) > 0.7f || fabsf(n.x) > 0.7f) {
    const float along = fabsf(n.z) > 0.7f ? p.x : p.z;
    if (hypotf(along - 7 * floorf(along / 7) - 3.5f, p.y - 21) < 1.1f) return brass;
    if (band(p.y, 17.6f, 0.7f)) return colour(0.85f, 0.25f, 0.15f, 0.3f);
  }
  return navy;
}

static v4 boiler(v3 p) {
  const v4 gold = colour(0.88f, 0.68f, 0.22f, 0.45f);
  if (band(p.x, -6, 1.3f) || band(p.x, 30, 1.3f)) return gold;
  if (band(p.x, -8.6f, 0.45f) || band(p.x, -3.4f, 0.45f) || band(p.x, 27.4f, 0.45f) || band(p.x, 32.6f, 0.45f)) {
    return colour(0.85f, 0.2f, 0.12f, 0.4f);
  }
  const float around = atan2f(p.z, p.y - 43) * 19;
  const float u = (p.x - 12) / 5, v = around / 5 - 0.5f;
  const int cu = (int)floorf(u), cv = (int)floorf(v);
  if (hash32((uint32_t)(cu * 71 + cv * 131 + 900)) % 4 == 0) {
    const float r = hypotf(u - floorf(u) - 0.5f, v - floorf(v) - 0.5f);
    if (r < 0.26f) return r < 0.12f ? colour(0.95f, 0.85f, 0.4f, 0.3f) : colour(0.9f, 0.9f, 0.84f, 0.3f);
  }
  return colour(0.08f, 0.36f, 0.22f, 0.4f);
}

static v4 locomotive(v3 p, v3 n) {
  switch (cr_toy_solid(toy_locomotive, p).part) {
    case part_chassis: return chassis(p, n);
    case part_boiler: return boiler(p);
    case part_smokebox:
      if (n.x > 0.7f) {
        const float r = hypotf(p.y - 43, p.z), turn = atan2f(p.y - 43, p.z);
        if (band(r, 17.5f, 1.2f)) {
          return colour(0.85f, 0.65f, 0.2f, 0.4f);
        }
        if (r < 14 && r > 3) {
          const int wedge = (int)floorf((turn + 3.2f) * 2.2281692f);  // fourteen to a turn
          return wedge & 1 ? colour(0.82f, 0.22f, 0.14f, 0.3f) : colour(0.93f, 0.88f, 0.72f, 0.3f);
        }
        return colour(0.14f, 0.14f, 0.16f, 0.3f);
      }
      return band(p.x, 44, 1.6f) ? colour(0.55f, 0.57f, 0.6f, 0.5f) : colour(0.17f, 0.17f, 0.19f, 0.3f);
    case part_chimney: return band(p.y, 73, 2) ? colour(0.86f, 0.66f, 0.22f, 0.5f) : colour(0.15f, 0.15f, 0.17f, 0.3f);
    case part_dome: return colour(0.84f, 0.63f, 0.2f, 0.6f);
    case part_cabin: return cabin(p, n);
    case part_inside: return colour(0.52f, 0.38f, 0.24f, 0.05f);
    case part_roof: {
      const float seam = p.x / 8.5f - floorf(p.x / 8.5f);
      if (n.y > 0.5f && seam < 0.06f) return colour(0.3f, 0.33f, 0.34f, 0.1f);
      if (n.y > 0.8f && cr_text_ink("*2*", (p.x + 50) / 14, (7 - p.z) / 14)) return colour(0.66f, 0.13f, 0.10f, 0.1f);
      return n.y > 0.3f ? colour(0.56f, 0.62f, 0.62f, 0.15f) : colour(0.85f, 0.80f, 0.66f, 0.1f);
    }
    case part_wheel: return wheel(p);
    case part_hub: return colour(0.75f, 0.75f, 0.78f, 0.6f);
    case part_rod: return band(p.x - 7 * floorf(p.x / 7), 3.5f, 0.5f) ? colour(0.3f, 0.3f, 0.33f, 0.4f)
                                                                      : colour(0.68f, 0.69f, 0.72f, 0.5f);
    case part_catcher: {
      const float stripe = (p.z + p.y) / 8;
      return stripe - floorf(stripe) < 0.5f ? colour(0.85f, 0.18f, 0.12f, 0.3f) : colour(0.93f, 0.92f, 0.88f, 0.3f);
    }
    case part_hook: return colour(0.35f, 0.36f, 0.4f, 0.4f);
    case part_lamp: return n.x > 0.6f ? colour(0.98f, 0.95f, 0.75f, 0.6f) : colour(0.80f, 0.6f, 0.2f, 0.5f);
    case part_tank:
      if (n.z > 0.6f) {
        if (label("RIG", p, n, 1.5f, 28, 8)) return colour(0.96f, 0.9f, 0.7f, 0.2f);
        if (fmaxf(fabsf(p.x - 12) - 14, fabsf(p.y - 32) - 6.4f) > -0.4f) return colour(0.9f, 0.7f, 0.25f, 0.3f);
      }
      return colour(0.10f, 0.30f, 0.50f, 0.35f);
    default: return colour(0.5f, 0.5f, 0.5f, 0);
  }
}

// Brush marks, grain and small chips: nothing that is made is one colour.
static v4 weathered(v4 c, v3 p, float amount) {
  const float broad = cr_fbm3(v3_mul(p, 0.11f), 3, 11), fine = cr_fbm3(v3_mul(p, 0.8f), 2, 23);
  const float shade = 1 + amount * (0.5f * broad + 0.55f * fine);
  v4 out = {c[0] * shade, c[1] * shade, c[2] * shade, c[3]};
  const float chip = cr_noise3(v3_mul(p, 0.42f), 37) + 0.35f * fine;
  if (chip > 0.78f) {
    const v4 wood = {0.78f, 0.62f, 0.42f, 0};
    out += amount * 2.2f * smooth(0.78f, 0.84f, chip) * (wood - out) * (v4){1, 1, 1, 1};
  }
  const float speck = cr_noise3(v3_mul(p, 1.1f), 53);
  if (speck > 0.7f) {
    const float dark = 1 - amount * 1.2f * smooth(0.7f, 0.8f, speck);
    out = (v4){out[0] * dark, out[1] * dark, out[2] * dark, out[3]};
  }
  return out;
}

// Every 30° and every 50 mm the same.
static v4 vase(v3 p) {
  const v4 glaze = colour(0.90f, 0.88f, 0.82f, 0.5f), blue = colour(0.12f, 0.20f, 0.50f, 0.5f);
  const float turn = (atan2f(p.z, p.x) + 3.14159265f) * 1.9098593f, u = 2 * fabsf(turn - floorf(turn) - 0.5f);
  const float t = p.y / 50, v = 2 * fabsf(t - floorf(t) - 0.5f);
  if (v > 0.94f || band(v, 0.86f, 0.02f)) return blue;
  const float petal = hypotf(u, 1.4f * v - 0.5f);
  return band(petal, 0.62f, 0.07f) || petal < 0.2f ? blue : glaze;
}

v4 cr_toy_colour(int kind, v3 p, v3 n) {
  if (kind == toy_locomotive) return weathered(locomotive(p, n), p, 0.42f);
  if (kind == toy_jug) {
    const float shade = 1 + 0.03f * cr_fbm3(v3_mul(p, 0.04f), 2, 7);
    return colour(0.80f * shade, 0.76f * shade, 0.69f * shade, 0.25f);
  }
  return vase(p);
}
