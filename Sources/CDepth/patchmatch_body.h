// The PatchMatch kernel, included once for each instruction set (SUFFIX names the functions). Barnes et al.,
// "PatchMatch", 2009; slanted support windows: Bleyer et al., "PatchMatch Stereo", 2011; bilateral NCC and
// best-k aggregation as in Schönberger et al., "Pixelwise View Selection", 2016; geometric consistency: Xu & Tao,
// "Multi-Scale Geometric Consistency Guided Multi-View Stereo", 2019.

typedef float f8 __attribute__((vector_size(32)));
typedef int32_t i8 __attribute__((vector_size(32)));

#define INLINE static inline __attribute__((always_inline))

// A hexagonal lattice of step 2 within a radius of about 5: no direction is favoured and it fills three vectors of 8.
static const f8 offset_x[3] = {{-5, -3, -1, 1, 3, 5, -4, -2}, {0, 2, 4, -4, -2, 0, 2, 4}, {-3, -1, 1, 3, -3, -1, 1, 3}};
static const f8 offset_y[3] = {{0, 0, 0, 0, 0, 0, -2, -2}, {-2, -2, -2, 2, 2, 2, 2, 2}, {-4, -4, -4, -4, 4, 4, 4, 4}};
#define REACH_X 5
#define REACH_Y 4

typedef struct {
  f8 weight[3];   // sum 1
  f8 centred[3];  // weight * (value - mean)
  float mean, variance;
} patch;

INLINE float sum8(const f8 *v) {
  const float *s = (const float *)v;
  return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
}

// Macros, as functions that take or return vectors would need one calling convention for all instruction sets.
#define splat(x) ((f8){0} + (x))

// For the bilateral weight a rational fall-off of nearly the shape of exp(-x): (1 + x/4)^-4.
INLINE void fall_off(f8 *x) {
  f8 y = 1.0f / (1.0f + 0.25f * *x);
  y = y * y;
  *x = y * y;
}

INLINE void load_patch(const cdepth_view *view, const cdepth_parameters *parameters, int32_t x, int32_t y, patch *out) {
  f8 value[3], weight[3];
  const uint16_t *centre = view->pixels + (int64_t)y * view->width + x;
  int inside = x >= REACH_X && y >= REACH_Y && x < view->width - REACH_X && y < view->height - REACH_Y;
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 8; i++) {
      int32_t dx = (int32_t)offset_x[k][i], dy = (int32_t)offset_y[k][i];
      if (!inside) {
        int32_t px = x + dx, py = y + dy;
        dx = (px < 0 ? 0 : px >= view->width ? view->width - 1 : px) - x;
        dy = (py < 0 ? 0 : py >= view->height ? view->height - 1 : py) - y;
      }
      value[k][i] = centre[dy * view->width + dx];
    }
  }
  f8 middle = splat(*centre), scale = splat(1 / (2 * parameters->color_sigma * parameters->color_sigma));
  f8 total = splat(0), mean = splat(0), square = splat(0);
  for (int k = 0; k < 3; k++) {
    f8 difference = value[k] - middle;
    f8 distance = offset_x[k] * offset_x[k] + offset_y[k] * offset_y[k];
    weight[k] = difference * difference * scale + distance * (1 / 40.0f);
    fall_off(&weight[k]);
    total += weight[k];
    value[k] = difference;
    mean += weight[k] * difference;
    square += weight[k] * difference * difference;
  }
  float norm = 1 / sum8(&total);
  float average = sum8(&mean) * norm;
  out->mean = average + *centre;
  out->variance = sum8(&square) * norm - average * average;
  if (out->variance < 0) out->variance = 0;
  for (int k = 0; k < 3; k++) {
    out->weight[k] = weight[k] * norm;
    out->centred[k] = out->weight[k] * (value[k] - average);
  }
}

#define UNSEEN 2.0f

INLINE uint32_t load_pair(const uint16_t *at) {
  uint32_t pair;
  __builtin_memcpy(&pair, at, 4);
  return pair;
}

// 1 - NCC of the patch around (x, y) on the plane with what the source sees there, plus the geometric term.
INLINE float match(const patch *patch, const cdepth_source *source, const cdepth_parameters *parameters, float x,
                   float y, cdepth_plane plane) {
  const float *m = source->m, *b = source->b;
  float q0 = m[0] * x + m[1] * y + m[2] + b[0] * plane.w;
  float q1 = m[3] * x + m[4] * y + m[5] + b[1] * plane.w;
  float q2 = m[6] * x + m[7] * y + m[8] + b[2] * plane.w;
  if (!(q2 > 1e-6f)) return UNSEEN;
  float scale = 1 / q2;
  float u = q0 * scale, v = q1 * scale;
  // the homography's derivative: a window is small enough for it
  float zx = m[6] + b[2] * plane.wx, zy = m[7] + b[2] * plane.wy;
  float a00 = (m[0] + b[0] * plane.wx - u * zx) * scale, a01 = (m[1] + b[0] * plane.wy - u * zy) * scale;
  float a10 = (m[3] + b[1] * plane.wx - v * zx) * scale, a11 = (m[4] + b[1] * plane.wy - v * zy) * scale;
  float reach_u = REACH_X * __builtin_fabsf(a00) + REACH_Y * __builtin_fabsf(a01);
  float reach_v = REACH_X * __builtin_fabsf(a10) + REACH_Y * __builtin_fabsf(a11);
  if (!(u - reach_u >= 0 && v - reach_v >= 0 && u + reach_u < source->width - 1.001f &&
        v + reach_v < source->height - 1.001f))
    return UNSEEN;
  float area = a00 * a11 - a01 * a10;
  if (!(area > 0.15f && reach_u < 16 && reach_v < 16)) return UNSEEN;

  f8 mean = splat(0), square = splat(0), cross = splat(0);
  for (int k = 0; k < 3; k++) {
    f8 sx = u + a00 * offset_x[k] + a01 * offset_y[k];
    f8 sy = v + a10 * offset_x[k] + a11 * offset_y[k];
    i8 ix = __builtin_convertvector(sx, i8), iy = __builtin_convertvector(sy, i8);
    f8 fx = sx - __builtin_convertvector(ix, f8), fy = sy - __builtin_convertvector(iy, f8);
    i8 index = iy * source->width + ix;
    i8 upper, lower;
    const uint16_t *below = source->pixels + source->width;
#ifdef GATHER
    upper = (i8)_mm256_i32gather_epi32((const int *)source->pixels, (__m256i)index, 2);
    lower = (i8)_mm256_i32gather_epi32((const int *)below, (__m256i)index, 2);
#else
    for (int i = 0; i < 8; i++) {
      upper[i] = (int32_t)load_pair(source->pixels + index[i]);
      lower[i] = (int32_t)load_pair(below + index[i]);
    }
#endif
    f8 ul = __builtin_convertvector(upper & 0xffff, f8), ll = __builtin_convertvector(lower & 0xffff, f8);
    f8 ur = __builtin_convertvector((upper >> 16) & 0xffff, f8);
    f8 lr = __builtin_convertvector((lower >> 16) & 0xffff, f8);
    f8 top = ul + fx * (ur - ul), bottom = ll + fx * (lr - ll);
    f8 value = top + fy * (bottom - top) - patch->mean;
    f8 weighted = patch->weight[k] * value;
    mean += weighted;
    square += weighted * value;
    cross += patch->centred[k] * value;
  }
  float average = sum8(&mean);
  float variance = sum8(&square) - average * average;
  float noise = parameters->noise_variance;
  float product = (patch->variance + noise) * ((variance > 0 ? variance : 0) + noise);
  float cost = 1 - sum8(&cross) / __builtin_sqrtf(product);

  if (parameters->geometric > 0 && source->planes) {
    // where the source's own surface says the point is, as pixels along the source's epipolar line
    float error = 3;
    float px = (u + 0.5f) * source->plane_scale - 0.5f - source->plane_x;
    float py = (v + 0.5f) * source->plane_scale - 0.5f - source->plane_y;
    int32_t column = (int32_t)(px + 0.5f), row = (int32_t)(py + 0.5f);
    if (px > -0.5f && py > -0.5f && column < source->plane_width && row < source->plane_height) {
      cdepth_plane own = source->planes[(int64_t)row * source->plane_width + column];
      if (own.w > 0) {
        float there = own.w + own.wx * (px - column) + own.wy * (py - row);
        float du = (b[0] - u * b[2]) * scale, dv = (b[1] - v * b[2]) * scale;
        float gain = __builtin_sqrtf(du * du + dv * dv) * q2;
        error = gain * __builtin_fabsf(there - plane.w * scale);
        if (!(error < 3)) error = 3;
      }
    }
    cost += parameters->geometric * error;
  }
  return cost;
}

// The mean of the `best` smallest costs; a source that does not see the patch counts as a bad match.
INLINE float aggregate(float *costs, int32_t count, int32_t best) {
  if (best > count) best = count;
  for (int32_t i = 0; i < best; i++) {
    int32_t least = i;
    for (int32_t j = i + 1; j < count; j++)
      if (costs[j] < costs[least]) least = j;
    float swap = costs[i];
    costs[i] = costs[least];
    costs[least] = swap;
  }
  float total = 0;
  for (int32_t i = 0; i < best; i++) total += costs[i];
  return best > 0 ? total / (float)best : UNSEEN;
}

// The aggregated cost with the pixel's chosen sources, or something at least `limit` as soon as it cannot be less.
INLINE float total_cost(const patch *patch, const cdepth_source *sources, int32_t count, uint8_t chosen,
                        const cdepth_parameters *parameters, float x, float y, cdepth_plane plane, float limit) {
  float sorted[CDEPTH_MAX_SOURCES];
  int32_t n = 0, left = __builtin_popcount(chosen & ((1U << count) - 1));
  int32_t best = parameters->best < left ? parameters->best : left;
  float scale = best > 0 ? 1 / (float)best : 0;
  for (int32_t s = 0; s < count; s++) {
    if (!(chosen >> s & 1)) continue;
    float cost = match(patch, &sources[s], parameters, x, y, plane);
    int32_t place = n++;
    for (; place > 0 && sorted[place - 1] > cost; place--) sorted[place] = sorted[place - 1];
    sorted[place] = cost;
    // at best all that are left cost nothing
    left--;
    float total = 0;
    for (int32_t k = 0; k < best - left; k++) total += sorted[k];
    if (total * scale >= limit) return limit;
    if (left == 0) return total * scale;
  }
  return UNSEEN;
}

// Whether the plane faces the camera: its normal is (fx wx, fy wy, w - wx (x - cx) - wy (y - cy)) up to sign.
INLINE int faces(const cdepth_view *view, const cdepth_parameters *parameters, float x, float y, cdepth_plane plane) {
  float rx = (x - view->cx) / view->fx, ry = (y - view->cy) / view->fy;
  float nx = view->fx * plane.wx, ny = view->fy * plane.wy;
  float nz = plane.w - plane.wx * (x - view->cx) - plane.wy * (y - view->cy);
  float along = plane.w;  // n · ray
  float lengths = (nx * nx + ny * ny + nz * nz) * (rx * rx + ry * ry + 1);
  return along > 0 && along * along >= parameters->max_slope_cosine * parameters->max_slope_cosine * lengths;
}

INLINE uint32_t scramble(uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= x >> 15;
  x *= 0x846ca68bU;
  return x ^ x >> 16;
}

// Uniform in -1 … 1.
INLINE float uniform(uint32_t *state) {
  *state = scramble(*state + 0x9e3779b9U);
  return (float)(int32_t)*state * (1 / 2147483648.0f);
}

void NAME(cdepth_evaluate)(const cdepth_view *view, const cdepth_source *sources, int32_t count,
                           const cdepth_parameters *parameters, int32_t keep) {
  for (int32_t row = 0; row < view->rows; row++) {
    for (int32_t column = 0; column < view->columns; column++) {
      int64_t i = (int64_t)row * view->columns + column;
      if (!view->mask[i] || view->nearest[i] <= 0) continue;
      patch patch;
      int32_t x = view->x0 + column, y = view->y0 + row;
      load_patch(view, parameters, x, y, &patch);
      float costs[CDEPTH_MAX_SOURCES], sorted[CDEPTH_MAX_SOURCES];
      for (int32_t s = 0; s < count; s++)
        sorted[s] = costs[s] = match(&patch, &sources[s], parameters, x, y, view->planes[i]);
      uint8_t chosen = 0;
      for (int32_t k = 0; k < keep && k < count; k++) {
        int32_t least = -1;
        for (int32_t s = 0; s < count; s++)
          if (!(chosen >> s & 1) && (least < 0 || costs[s] < costs[least])) least = s;
        chosen |= (uint8_t)(1 << least);
      }
      view->chosen[i] = chosen;
      view->cost[i] = aggregate(sorted, count, parameters->best);
    }
  }
}

void NAME(cdepth_sweep)(const cdepth_view *view, const cdepth_source *sources, int32_t count,
                        const cdepth_parameters *parameters, int32_t pass, int32_t trials, float range) {
  int32_t step = pass & 1 ? -1 : 1;
  int32_t columns = view->columns, rows = view->rows;
  for (int32_t line = 0; line < rows; line++) {
    int32_t row = step > 0 ? line : rows - 1 - line;
    for (int32_t place = 0; place < columns; place++) {
      int32_t column = step > 0 ? place : columns - 1 - place;
      int64_t i = (int64_t)row * columns + column;
      if (!view->mask[i] || view->nearest[i] <= 0) continue;
      int32_t x = view->x0 + column, y = view->y0 + row;
      patch patch;
      load_patch(view, parameters, x, y, &patch);
      uint8_t chosen = view->chosen[i];
      cdepth_plane best = view->planes[i];
      float cost = view->cost[i];
      float nearest = view->nearest[i], farthest = view->farthest[i];
#define TRY(plane)                                                                                         \
  do {                                                                                                     \
    if ((plane).w <= nearest && (plane).w >= farthest && faces(view, parameters, x, y, plane)) {           \
      float tried = total_cost(&patch, sources, count, chosen, parameters, (float)x, (float)y, plane, cost); \
      if (tried < cost) {                                                                                  \
        cost = tried;                                                                                      \
        best = plane;                                                                                      \
      }                                                                                                    \
    }                                                                                                      \
  } while (0)
      // from the neighbours visited just before, and from one further away that carries a plane over weak texture
      uint32_t random = scramble(parameters->seed ^ (uint32_t)i * 0x9e3779b9U ^ (uint32_t)pass * 0x85ebca6bU);
      int32_t far = 3 + (int32_t)(random & 7);
      const int32_t hops[3][2] = {{-step, 0}, {0, -step}, {random & 8 ? far : -far, -far * step}};
      for (int h = 0; h < 2 + parameters->leaps; h++) {
        int32_t c = column + hops[h][0], r = row + hops[h][1];
        if (c < 0 || r < 0 || c >= columns || r >= rows) continue;
        int64_t j = (int64_t)r * columns + c;
        if (!view->mask[j] || view->nearest[j] <= 0) continue;
        cdepth_plane other = view->planes[j];
        other.w -= other.wx * (float)hops[h][0] + other.wy * (float)hops[h][1];
        // nearly the same plane again is not worth a look
        if (__builtin_fabsf(other.w - best.w) < 2e-5f * best.w &&
            __builtin_fabsf(other.wx - best.wx) + __builtin_fabsf(other.wy - best.wy) < 2e-5f * best.w)
          continue;
        TRY(other);
      }
      // random changes, smaller each time
      float size = range;
      for (int32_t t = 0; t < trials; t++) {
        cdepth_plane other = best;
        if (t % 3 != 1) other.w *= 1 + size * uniform(&random);
        if (t % 3 != 0) {
          // slopes in units that make 1 a plane at 45°
          float unit = best.w / view->fx * (range > 0.01f ? 1.0f : range * 100);
          other.wx += unit * uniform(&random);
          other.wy += unit * uniform(&random);
        }
        size *= 0.5f;
        TRY(other);
      }
#undef TRY
      view->planes[i] = best;
      view->cost[i] = cost;
    }
  }
}

float NAME(cdepth_match)(const cdepth_view *view, const cdepth_source *source, const cdepth_parameters *parameters,
                         int32_t column, int32_t row, cdepth_plane plane) {
  patch patch;
  int32_t x = view->x0 + column, y = view->y0 + row;
  load_patch(view, parameters, x, y, &patch);
  return match(&patch, source, parameters, x, y, plane);
}
