#include <math.h>
#include <string.h>

#include "CMasks.h"

// Volume carving by silhouettes (A. Laurentini, "The Visual Hull Concept", PAMI 1994), with votes instead of verdicts.

void cmasks_integral(const uint8_t *mask, int width, int height, uint32_t *table) {
  const size_t stride = (size_t)width + 1;
  memset(table, 0, stride * sizeof *table);
  for (int y = 0; y < height; y++) {
    const uint8_t *row = mask + (size_t)y * (size_t)width;
    const uint32_t *above = table + (size_t)y * stride;
    uint32_t *out = table + (size_t)(y + 1) * stride;
    uint32_t sum = 0;
    out[0] = 0;
    for (int x = 0; x < width; x++) {
      sum += row[x] != 0;
      out[x + 1] = above[x + 1] + sum;
    }
  }
}

void cmasks_vote(
  const cmasks_camera *camera, const uint32_t *table, const cmasks_grid *grid, int z0, int z1, const uint8_t *active,
  uint8_t *against, uint8_t *seen) {
  const double(*p)[4] = camera->p;
  const int width = camera->width, height = camera->height;
  const size_t stride = (size_t)width + 1;
  // half the diagonal of a cell: the radius of the ball around it
  const double reach = 0.5 * sqrt(3) * grid->cell * camera->focal;
  for (int z = z0; z < z1; z++)
    for (int y = 0; y < grid->ny; y++) {
      size_t i = ((size_t)z * (size_t)grid->ny + (size_t)y) * (size_t)grid->nx;
      double Y = grid->origin[1] + grid->cell * (y + 0.5), Z = grid->origin[2] + grid->cell * (z + 0.5);
      double X0 = grid->origin[0] + grid->cell * 0.5;
      double a = p[0][0] * X0 + p[0][1] * Y + p[0][2] * Z + p[0][3];
      double b = p[1][0] * X0 + p[1][1] * Y + p[1][2] * Z + p[1][3];
      double c = p[2][0] * X0 + p[2][1] * Y + p[2][2] * Z + p[2][3];
      const double da = p[0][0] * grid->cell, db = p[1][0] * grid->cell, dc = p[2][0] * grid->cell;
      for (int x = 0; x < grid->nx; x++, i++, a += da, b += db, c += dc) {
        if (!active[i] || c <= grid->cell) continue;
        double u = a / c, v = b / c, r = reach / c;
        if (!(u >= 0 && v >= 0 && u <= width - 1 && v <= height - 1)) continue;
        if (seen[i] < 255) seen[i]++;
        int left = (int)floor(u - r), right = (int)ceil(u + r) + 1, top = (int)floor(v - r),
            bottom = (int)ceil(v + r) + 1;
        if (left < 0 || top < 0 || right > width || bottom > height) continue;
        const uint32_t *upper = table + (size_t)top * stride, *lower = table + (size_t)bottom * stride;
        if (lower[right] - lower[left] - upper[right] + upper[left] == 0 && against[i] < 255) against[i]++;
      }
    }
}

void cmasks_draw(const cmasks_camera *camera, const cmasks_grid *grid, const uint8_t *occupied, uint8_t *picture) {
  const double(*p)[4] = camera->p;
  const int width = camera->width, height = camera->height, nx = grid->nx, ny = grid->ny, nz = grid->nz;
  const double reach = 0.5 * sqrt(3) * grid->cell * camera->focal;
  const size_t sy = (size_t)nx, sz = (size_t)nx * (size_t)ny;
  for (int z = 0; z < nz; z++)
    for (int y = 0; y < ny; y++)
      for (int x = 0; x < nx; x++) {
        size_t i = (size_t)z * sz + (size_t)y * sy + (size_t)x;
        if (!occupied[i]) continue;
        if (x && x + 1 < nx && y && y + 1 < ny && z && z + 1 < nz && occupied[i - 1] && occupied[i + 1]
            && occupied[i - sy] && occupied[i + sy] && occupied[i - sz] && occupied[i + sz])
          continue;
        double X = grid->origin[0] + grid->cell * (x + 0.5), Y = grid->origin[1] + grid->cell * (y + 0.5),
               Z = grid->origin[2] + grid->cell * (z + 0.5);
        double c = p[2][0] * X + p[2][1] * Y + p[2][2] * Z + p[2][3];
        if (c <= grid->cell) continue;
        double u = (p[0][0] * X + p[0][1] * Y + p[0][2] * Z + p[0][3]) / c;
        double v = (p[1][0] * X + p[1][1] * Y + p[1][2] * Z + p[1][3]) / c, r = reach / c;
        if (!(u > -r && v > -r && u < width + r && v < height + r)) continue;
        int left = (int)floor(u - r), right = (int)ceil(u + r), top = (int)floor(v - r), bottom = (int)ceil(v + r);
        if (left < 0) left = 0;
        if (top < 0) top = 0;
        if (right > width - 1) right = width - 1;
        if (bottom > height - 1) bottom = height - 1;
        if (left > right) continue;
        for (int row = top; row <= bottom; row++)
          memset(picture + (size_t)row * (size_t)width + left, 255, (size_t)(right - left + 1));
      }
}
