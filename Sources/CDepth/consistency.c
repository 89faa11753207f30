// Geometric consistency of depth maps: a point counts when other views, on their own, measured the same surface.
#include "CDepth.h"

void cdepth_check(const cdepth_view *view, const cdepth_source *sources, int32_t count, float tolerance,
                  uint8_t *agreeing, uint8_t *conflicting) {
  for (int32_t row = 0; row < view->rows; row++) {
    for (int32_t column = 0; column < view->columns; column++) {
      int64_t i = (int64_t)row * view->columns + column;
      agreeing[i] = conflicting[i] = 0;
      float w = view->planes[i].w;
      if (!view->mask[i] || !(w > 0)) continue;
      float x = (float)(view->x0 + column), y = (float)(view->y0 + row);
      for (int32_t s = 0; s < count; s++) {
        const cdepth_source *source = &sources[s];
        const float *m = source->m, *b = source->b;
        float q2 = m[6] * x + m[7] * y + m[8] + b[2] * w;
        if (!(q2 > 1e-6f)) continue;
        float u = (m[0] * x + m[1] * y + m[2] + b[0] * w) / q2, v = (m[3] * x + m[4] * y + m[5] + b[1] * w) / q2;
        float px = (u + 0.5f) * source->plane_scale - 0.5f - source->plane_x;
        float py = (v + 0.5f) * source->plane_scale - 0.5f - source->plane_y;
        if (!(px > -0.5f && py > -0.5f && px < source->plane_width - 0.5f && py < source->plane_height - 0.5f)) continue;
        int32_t c = (int32_t)(px + 0.5f), r = (int32_t)(py + 0.5f);
        cdepth_plane own = source->planes[(int64_t)r * source->plane_width + c];
        if (!(own.w > 0)) continue;
        float there = own.w + own.wx * (px - (float)c) + own.wy * (py - (float)r);
        // one unit of inverse depth in the source moves the point by so many pixels, seen from here
        float du = (b[0] - u * b[2]) / q2, dv = (b[1] - v * b[2]) / q2;
        float error = __builtin_sqrtf(du * du + dv * dv) * q2 * (there - w / q2);
        // a depth step of 1 % counts as agreement only for baselines that see it as less than the tolerance
        float relative = there * q2 / w - 1;
        if (__builtin_fabsf(error) < tolerance && __builtin_fabsf(relative) < 0.01f)
          agreeing[i]++;
        else if (error < -3 * tolerance)
          conflicting[i]++;
      }
    }
  }
}
