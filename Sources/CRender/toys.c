// Shapes by signed distance, after I. Quilez's catalogue of exact distances ("distance functions", iquilezles.org).
#include "toys.h"

static float box(v3 p, v3 half, float round) {
  const v3 q = {fabsf(p.x) - half.x + round, fabsf(p.y) - half.y + round, fabsf(p.z) - half.z + round};
  const v3 out = {fmaxf(q.x, 0), fmaxf(q.y, 0), fmaxf(q.z, 0)};
  return v3_length(out) + fminf(fmaxf(q.x, fmaxf(q.y, q.z)), 0) - round;
}

// A rounded cylinder: `along` is the coordinate on its axis, `across` the distance from it.
static float drum(float along, float across, float half, float radius, float round) {
  const float a = across - radius + round, b = fabsf(along) - half + round;
  return fminf(fmaxf(a, b), 0) + hypotf(fmaxf(a, 0), fmaxf(b, 0)) - round;
}

static float smooth_min(float a, float b, float k) {
  const float h = fmaxf(k - fabsf(a - b), 0) / k;
  return fminf(a, b) - h * h * k * 0.25f;
}

static void join(solid *s, float d, enum part part, float fillet) {
  if (d < s->distance) s->part = part;
  s->distance = fillet > 0 ? smooth_min(s->distance, d, fillet) : fminf(s->distance, d);
}

static void cut(solid *s, float d, enum part part) {
  if (-d > s->distance) {
    s->distance = -d;
    s->part = part;
  }
}

// Front towards +x, wheels on y = 0, 140 × 86 × 54 mm.
static solid locomotive(v3 p) {
  solid s = {box(v3_sub(p, (v3){0, 17, 0}), (v3){58, 6.5f, 17}, 2), part_chassis};
  join(&s, drum(p.x - 17, hypotf(p.y - 43, p.z), 29, 19, 2), part_boiler, 2);
  join(&s, drum(p.x - 44, hypotf(p.y - 43, p.z), 7, 21, 2.5f), part_smokebox, 1);
  join(&s, drum(p.y - 66, hypotf(p.x - 38, p.z), 14, 6.5f, 1), part_chimney, 3);
  join(&s, drum(p.y - 79, hypotf(p.x - 38, p.z), 6, 6.5f + 0.5f * fmaxf(p.y - 73, 0), 1.5f) * 0.85f, part_chimney, 1);
  cut(&s, drum(p.y - 84, hypotf(p.x - 38, p.z), 14, 5, 1), part_inside);
  join(&s, v3_length(v3_sub(p, (v3){10, 61, 0})) - 9, part_dome, 4);
  join(&s, box(v3_sub(p, (v3){-33, 48, 0}), (v3){21, 29, 23}, 2), part_cabin, 1);
  cut(&s, box(v3_sub(p, (v3){-52, 50, 0}), (v3){28, 20, 15}, 3), part_inside);
  cut(&s, box(v3_sub(p, (v3){-36, 60, 0}), (v3){10, 9, 40}, 3), part_inside);
  join(&s, box(v3_sub(p, (v3){-33, 78.5f, 0}), (v3){26, 3.6f, 27}, 2.5f), part_roof, 1);
  for (int i = 0; i < 3; i++) {
    const float x = p.x - (-38 + 35 * (float)i), y = p.y - 12, r = hypotf(x, y);
    join(&s, drum(fabsf(p.z) - 20.5f, r, 4, 12, 1.2f), part_wheel, 0);
    join(&s, drum(fabsf(p.z) - 24, r, 3, 3.6f, 1), part_hub, 1);
  }
  join(&s, box(v3_sub(p, (v3){-3, 12, 26}), (v3){39, 2.4f, 2.2f}, 1), part_rod, 0.8f);
  const float c = 0.8660254f, t = 0.5f;
  const v3 q = {p.x - 60, p.y - 11, p.z};
  join(&s, box((v3){c * q.x + t * q.y, -t * q.x + c * q.y, q.z}, (v3){3.5f, 9.5f, 19}, 1.5f), part_catcher, 1.5f);
  join(&s, hypotf(hypotf(p.x + 64, p.z) - 7.5f, p.y - 17) - 2.6f, part_hook, 2);
  join(&s, drum(p.x - 47, hypotf(p.y - 66, p.z), 5.5f, 5.5f, 1.2f), part_lamp, 2.5f);
  join(&s, box(v3_sub(p, (v3){12, 32, 17}), (v3){17, 9, 8}, 2.5f), part_tank, 1.5f);
  join(&s, drum(p.y - 30, hypotf(p.x - 2, p.z + 20), 6.5f, 6, 2), part_dome, 2);
  return s;
}

static float ellipsoid(v3 p, v3 r) {
  const v3 a = {p.x / r.x, p.y / r.y, p.z / r.z}, b = {a.x / r.x, a.y / r.y, a.z / r.z};
  const float k0 = v3_length(a), k1 = v3_length(b);
  return k1 > 1e-9f ? k0 * (k0 - 1) / k1 : -fminf(r.x, fminf(r.y, r.z));
}

// A jug with a lip at +x and a handle at -x, 110 mm high.
static solid jug(v3 p) {
  const float r = hypotf(p.x, p.z);
  float body = ellipsoid(v3_sub(p, (v3){0, 40, 0}), (v3){41, 42, 41});
  body = smooth_min(body, drum(p.y - 82, r, 28, 20 + 0.012f * (p.y - 78) * (p.y - 78), 2) * 0.9f, 16);
  body = smooth_min(body, v3_length(v3_sub(p, (v3){19, 103, 0})) - 9, 14);
  body = fmaxf(body, -p.y);
  solid s = {body, part_clay};
  const float ring = hypotf(hypotf(p.x + 38, (p.y - 66) * 0.86f) - 22, p.z) - 5.2f;
  join(&s, fmaxf(ring, p.x + 20), part_clay, 7);
  float hollow = ellipsoid(v3_sub(p, (v3){0, 42, 0}), (v3){35, 37, 35});
  hollow = smooth_min(hollow, drum(p.y - 90, r, 30, 15 + 0.012f * (p.y - 78) * (p.y - 78), 1), 12);
  cut(&s, hollow, part_clay);
  cut(&s, v3_length(v3_sub(p, (v3){18, 108, 0})) - 6, part_clay);
  return s;
}

// A solid of revolution, 150 mm high.
static solid vase(v3 p) {
  const float r = hypotf(p.x, p.z), t = p.y / 150;
  const float outline = 24 + 26 * sinf(3.1f * t + 0.25f) * sinf(3.1f * t + 0.25f) * (1 - 0.45f * t) +
                        9 * smooth(0.82f, 1, t);
  float d = (r - outline) * 0.72f;
  d = fmaxf(d, fmaxf(-p.y, p.y - 150));
  solid s = {d, part_vase};
  cut(&s, fmaxf((r - outline + 6) * 0.72f, 60 - p.y), part_inside);
  return s;
}

solid cr_toy_solid(int kind, v3 p) { return kind == toy_locomotive ? locomotive(p) : kind == toy_jug ? jug(p) : vase(p); }

void cr_toy_bounds(int kind, v3 *low, v3 *high) {
  static const v3 bounds[3][2] = {
      {{-78, -4, -34}, {74, 92, 34}}, {{-70, -4, -46}, {48, 118, 46}}, {{-56, -4, -56}, {56, 154, 56}}};
  *low = bounds[kind][0];
  *high = bounds[kind][1];
}
