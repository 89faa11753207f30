// Which triangle covers each of a pixel's four samples. Edges are evaluated from end points in a canonical order, so
// that two triangles on either side of an edge get the very same number and neither cracks nor overlaps appear
// (J. Pineda, "A Parallel Algorithm for Polygon Rasterization", 1988).
#include "view.h"

typedef struct { float x, y, dx, dy; int flip; } edge;

static inline edge edge_of(const float *a, const float *b) {
  const int swap = a[0] > b[0] || (a[0] == b[0] && a[1] > b[1]);
  const float *low = swap ? b : a, *high = swap ? a : b;
  return (edge){low[0], low[1], high[0] - low[0], high[1] - low[1], swap};
}

// Samples on the inner side; those exactly on the edge belong to the triangle that does not flip it.
static inline i4 inside(const edge *e, v4 px, v4 py) {
  const v4 value = e->dx * (py - e->y) - e->dy * (px - e->x);
  return e->flip ? (i4)(value < 0) : (i4)(value >= 0);
}

static void draw(const float *a, const float *b, const float *c, int32_t id, float left, float top, int columns, int rows,
                 tile_cover *cover) {
  const float area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  if (area < 0) {
    const float *swap = b;
    b = c;
    c = swap;
  }
  const edge ab = edge_of(a, b), bc = edge_of(b, c), ca = edge_of(c, a);
  const float inverse = 1 / fabsf(area);
  const float d1 = b[2] - a[2], d2 = c[2] - a[2];
  const float gx = (d1 * (c[1] - a[1]) - d2 * (b[1] - a[1])) * inverse;
  const float gy = (d2 * (b[0] - a[0]) - d1 * (c[0] - a[0])) * inverse;
  const int x0 = clampi((int)ceilf(fminf(a[0], fminf(b[0], c[0])) - left - 0.4f), 0, columns);
  const int x1 = clampi((int)floorf(fmaxf(a[0], fmaxf(b[0], c[0])) - left + 0.4f) + 1, 0, columns);
  const int y0 = clampi((int)ceilf(fminf(a[1], fminf(b[1], c[1])) - top - 0.4f), 0, rows);
  const int y1 = clampi((int)floorf(fmaxf(a[1], fmaxf(b[1], c[1])) - top + 0.4f) + 1, 0, rows);
  const i4 ids = {id, id, id, id};
  for (int y = y0; y < y1; y++) {
    const v4 py = top + (float)y + sample_y;
    for (int x = x0; x < x1; x++) {
      const v4 px = left + (float)x + sample_x;
      i4 hit = inside(&ab, px, py) & inside(&bc, px, py) & inside(&ca, px, py);
      if (!(hit[0] | hit[1] | hit[2] | hit[3])) continue;
      const v4 near = a[2] + gx * (px - a[0]) + gy * (py - a[1]);
      v4 *kept = &cover->nearness[y * tile_side + x];
      i4 *owner = &cover->id[y * tile_side + x];
      hit &= (i4)(near > *kept);
      *kept = (v4)(((i4)near & hit) | ((i4)*kept & ~hit));
      *owner = (ids & hit) | (*owner & ~hit);
    }
  }
}

void cr_tile_raster(const cr_view *view, const cr_scene *scene, int tile, tile_cover *cover) {
  memset(cover, 0, sizeof *cover);
  const int x0 = tile % view->tiles_x * tile_side, y0 = tile / view->tiles_x * tile_side;
  const int columns = view->width - x0 < tile_side ? view->width - x0 : tile_side;
  const int rows = view->height - y0 < tile_side ? view->height - y0 : tile_side;
  int i = 0;
  for (uint32_t n = view->bin_start[tile]; n < view->bin_start[tile + 1]; n++) {
    const uint32_t id = view->bins[n];
    while (id >= view->triangle_base[i + 1]) i++;
    const uint32_t *k = scene->instances[i].mesh->triangles + 3 * (size_t)(id - view->triangle_base[i]);
    const float *screen = view->screen + 3 * (size_t)view->vertex_base[i];
    draw(screen + 3 * (size_t)k[0], screen + 3 * (size_t)k[1], screen + 3 * (size_t)k[2], (int32_t)id, (float)x0,
         (float)y0, columns, rows, cover);
  }
}

// One sample a pixel, depth only: shadow maps and openness.
void cr_depth_draw(const float *xyd, const uint32_t *triangles, uint32_t triangle_count, int size, float *nearest) {
  for (uint32_t t = 0; t < triangle_count; t++) {
    const uint32_t *k = triangles + 3 * (size_t)t;
    const float *a = xyd + 3 * (size_t)k[0], *b = xyd + 3 * (size_t)k[1], *c = xyd + 3 * (size_t)k[2];
    const float area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    if (area == 0) continue;
    const int x0 = clampi((int)ceilf(fminf(a[0], fminf(b[0], c[0]))), 0, size);
    const int x1 = clampi((int)floorf(fmaxf(a[0], fmaxf(b[0], c[0]))) + 1, 0, size);
    const int y0 = clampi((int)ceilf(fminf(a[1], fminf(b[1], c[1]))), 0, size);
    const int y1 = clampi((int)floorf(fmaxf(a[1], fmaxf(b[1], c[1]))) + 1, 0, size);
    const float inverse = 1 / area;
    const float e1x = (c[1] - a[1]) * inverse, e1y = -(c[0] - a[0]) * inverse;
    const float e2x = -(b[1] - a[1]) * inverse, e2y = (b[0] - a[0]) * inverse;
    for (int y = y0; y < y1; y++) {
      for (int x = x0; x < x1; x++) {
        const float px = (float)x - a[0], py = (float)y - a[1];
        const float u = e1x * px + e1y * py, v = e2x * px + e2y * py;
        if (u < -1e-4f || v < -1e-4f || u + v > 1.0001f) continue;
        const float d = a[2] + u * (b[2] - a[2]) + v * (c[2] - a[2]);
        float *kept = &nearest[(size_t)y * (size_t)size + (size_t)x];
        if (d > *kept) *kept = d;
      }
    }
  }
}
