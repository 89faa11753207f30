// Smoothing of scalar fields on a grid. Total variation by the primal-dual method of Chambolle & Pock, "A first-order
// primal-dual algorithm for convex problems", 2011; as a surface it is the one of least area that the data allow.
#include "CDepth.h"

// A rational function would not do: the projection needs the true length.
static inline float length3(float x, float y, float z) { return __builtin_sqrtf(x * x + y * y + z * z); }

void cdepth_tv_dual(const cdepth_grid *grid, const float *u, float *p, float sigma, int32_t z0, int32_t z1) {
  int64_t nx = grid->nx, slice = nx * grid->ny, all = slice * grid->nz;
  float *px = p, *py = p + all, *pz = p + 2 * all;
  for (int64_t k = z0; k < z1; k++) {
    for (int64_t j = 0; j < grid->ny; j++) {
      int64_t row = k * slice + j * nx;
      int64_t up = j + 1 < grid->ny ? nx : 0, deep = k + 1 < grid->nz ? slice : 0;
      for (int64_t i = 0; i < nx; i++) {
        int64_t at = row + i, right = i + 1 < nx;
        float x = px[at] + sigma * (u[at + right] - u[at]);
        float y = py[at] + sigma * (u[at + up] - u[at]);
        float z = pz[at] + sigma * (u[at + deep] - u[at]);
        float size = length3(x, y, z);
        float scale = size > 1 ? 1 / size : 1;
        px[at] = x * scale;
        py[at] = y * scale;
        pz[at] = z * scale;
      }
    }
  }
}

void cdepth_tv_primal(const cdepth_grid *grid, const float *p, const float *target, const float *pull, float tau,
                      float *u, float *over, int32_t z0, int32_t z1) {
  int64_t nx = grid->nx, slice = nx * grid->ny, all = slice * grid->nz;
  const float *px = p, *py = p + all, *pz = p + 2 * all;
  for (int64_t k = z0; k < z1; k++) {
    for (int64_t j = 0; j < grid->ny; j++) {
      int64_t row = k * slice + j * nx;
      for (int64_t i = 0; i < nx; i++) {
        int64_t at = row + i;
        float old = u[at], new;
        if (pull[at] == __builtin_inff()) {
          new = target[at];
        } else {
          float divergence = px[at] + py[at] + pz[at];
          if (i > 0) divergence -= px[at - 1];
          if (j > 0) divergence -= py[at - nx];
          if (k > 0) divergence -= pz[at - slice];
          new = (old + tau * (divergence + pull[at] * target[at])) / (1 + tau * pull[at]);
        }
        u[at] = new;
        over[at] = 2 * new - old;
      }
    }
  }
}

void cdepth_relax(const cdepth_grid *grid, const float *in, const float *target, const float *pull,
                  const uint8_t *active, float stiffness, float *out, int32_t z0, int32_t z1) {
  int64_t nx = grid->nx, slice = nx * grid->ny;
  for (int64_t k = z0; k < z1; k++) {
    for (int64_t j = 0; j < grid->ny; j++) {
      int64_t row = k * slice + j * nx;
      int inner = k > 0 && j > 0 && k + 1 < grid->nz && j + 1 < grid->ny;
      for (int64_t i = 0; i < nx; i++) {
        int64_t at = row + i;
        if (!active[at] || !inner || i == 0 || i + 1 == nx) {
          out[at] = in[at];
          continue;
        }
        float mean = (in[at - 1] + in[at + 1] + in[at - nx] + in[at + nx] + in[at - slice] + in[at + slice]) * (1 / 6.0f);
        out[at] = (pull[at] * target[at] + stiffness * mean) / (pull[at] + stiffness);
      }
    }
  }
}
