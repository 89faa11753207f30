// Solids to quads by naive surface nets (S. Gibson, "Constrained elastic surface nets", 1998): one vertex a cell, drawn
// onto the surface by Newton's steps.
#include <stdlib.h>
#include "toys.h"

typedef struct {
  int nx, ny, nz, kind;
  float cell;
  v3 low;
  float *values;
  uint32_t *vertex;  // of each cell, or UINT32_MAX
} net;

static v3 gradient(int kind, v3 p) {
  const float h = 0.05f;
  const v3 g = {cr_toy_solid(kind, (v3){p.x + h, p.y, p.z}).distance - cr_toy_solid(kind, (v3){p.x - h, p.y, p.z}).distance,
                cr_toy_solid(kind, (v3){p.x, p.y + h, p.z}).distance - cr_toy_solid(kind, (v3){p.x, p.y - h, p.z}).distance,
                cr_toy_solid(kind, (v3){p.x, p.y, p.z + h}).distance - cr_toy_solid(kind, (v3){p.x, p.y, p.z - h}).distance};
  return v3_mul(g, 1 / (2 * h));
}

static size_t cell_index(const net *n, int x, int y, int z) {
  return ((size_t)z * (size_t)n->ny + (size_t)y) * (size_t)n->nx + (size_t)x;
}
static float value(const net *n, int x, int y, int z) { return n->values[cell_index(n, x, y, z)]; }

// The mean of the places where the surface crosses the cell's edges.
static int crossing(const net *n, int x, int y, int z, v3 *out) {
  float corner[8];
  int inside = 0;
  for (int c = 0; c < 8; c++) {
    corner[c] = value(n, x + (c & 1), y + (c >> 1 & 1), z + (c >> 2));
    inside |= (corner[c] < 0) << c;
  }
  if (inside == 0 || inside == 255) return 0;
  v3 sum = {0, 0, 0};
  int count = 0;
  for (int a = 0; a < 8; a++) {
    for (int axis = 0; axis < 3; axis++) {
      const int b = a | 1 << axis;
      if (b == a || (corner[a] < 0) == (corner[b] < 0)) continue;
      const float t = corner[a] / (corner[a] - corner[b]);
      v3 p = {(float)(a & 1), (float)(a >> 1 & 1), (float)(a >> 2)};
      (axis == 0 ? &p.x : axis == 1 ? &p.y : &p.z)[0] += t;
      sum = v3_add(sum, p);
      count++;
    }
  }
  *out = v3_mul(sum, 1 / (float)count);
  return 1;
}

static uint32_t place_vertices(net *n, float *positions, float *normals) {
  uint32_t count = 0;
  for (int z = 0; z + 1 < n->nz; z++) {
    for (int y = 0; y + 1 < n->ny; y++) {
      for (int x = 0; x + 1 < n->nx; x++) {
        v3 local;
        uint32_t *slot = &n->vertex[cell_index(n, x, y, z)];
        *slot = UINT32_MAX;
        if (!crossing(n, x, y, z, &local)) continue;
        *slot = count++;
        if (!positions) continue;
        const v3 middle = v3_add(n->low, v3_mul(v3_add(local, (v3){(float)x, (float)y, (float)z}), n->cell));
        v3 p = middle, g = {0, 1, 0};
        for (int i = 0; i < 3; i++) {
          g = gradient(n->kind, p);
          const float g2 = fmaxf(v3_dot(g, g), 0.1f);
          p = v3_sub(p, v3_mul(g, cr_toy_solid(n->kind, p).distance / g2));
        }
        // stay in the cell's neighbourhood where a crease misleads the gradient
        const v3 drift = v3_sub(p, middle);
        const float length = v3_length(drift), limit = 0.6f * n->cell;
        if (length > limit) p = v3_add(middle, v3_mul(drift, limit / length));
        const v3 unit = v3_unit(g);
        memcpy(positions + 3 * (size_t)(count - 1), &p, sizeof p);
        memcpy(normals + 3 * (size_t)(count - 1), &unit, sizeof unit);
      }
    }
  }
  return count;
}

// A quad for every grid edge whose ends differ in sign. Writes corners when `quads` is not NULL.
static uint32_t connect(const net *n, uint32_t *quads) {
  uint32_t count = 0;
  static const int step[3][2][3] = {{{0, 1, 0}, {0, 0, 1}}, {{0, 0, 1}, {1, 0, 0}}, {{1, 0, 0}, {0, 1, 0}}};
  for (int z = 1; z + 1 < n->nz; z++) {
    for (int y = 1; y + 1 < n->ny; y++) {
      for (int x = 1; x + 1 < n->nx; x++) {
        const int in = value(n, x, y, z) < 0;
        for (int axis = 0; axis < 3; axis++) {
          if (in == (value(n, x + (axis == 0), y + (axis == 1), z + (axis == 2)) < 0)) continue;
          if (quads) {
            const int *u = step[axis][0], *v = step[axis][1];
            const uint32_t a = n->vertex[cell_index(n, x - u[0] - v[0], y - u[1] - v[1], z - u[2] - v[2])];
            const uint32_t b = n->vertex[cell_index(n, x - v[0], y - v[1], z - v[2])];
            const uint32_t c = n->vertex[cell_index(n, x, y, z)];
            const uint32_t d = n->vertex[cell_index(n, x - u[0], y - u[1], z - u[2])];
            const uint32_t q[4] = {a, in ? b : d, c, in ? d : b};
            memcpy(quads + 4 * (size_t)count, q, sizeof q);
          }
          count++;
        }
      }
    }
  }
  return count;
}

cr_mesh *cr_toy_create(int kind, float cell) {
  if (kind < 0 || kind > 2 || !(cell >= 0.5f && cell <= 10)) return NULL;
  v3 low, high;
  cr_toy_bounds(kind, &low, &high);
  // an uneven origin keeps flat faces off the grid's planes
  low = v3_sub(low, (v3){0.37f * cell, 0.41f * cell, 0.43f * cell});
  net n = {(int)((high.x - low.x) / cell) + 2, (int)((high.y - low.y) / cell) + 2, (int)((high.z - low.z) / cell) + 2,
           kind, cell, low, NULL, NULL};
  const size_t total = (size_t)n.nx * (size_t)n.ny * (size_t)n.nz;
  n.values = malloc(total * sizeof(float));
  n.vertex = malloc(total * sizeof(uint32_t));
  uint32_t *quads = NULL;
  cr_mesh *mesh = NULL;
  if (n.values && n.vertex) {
    for (size_t i = 0; i < total; i++) {
      const v3 p = {low.x + cell * (float)(i % (size_t)n.nx), low.y + cell * (float)(i / (size_t)n.nx % (size_t)n.ny),
                    low.z + cell * (float)(i / ((size_t)n.nx * (size_t)n.ny))};
      n.values[i] = cr_toy_solid(kind, p).distance;
    }
    const uint32_t vertices = place_vertices(&n, NULL, NULL), count = connect(&n, NULL);
    quads = malloc((size_t)count * 4 * sizeof(uint32_t));
    if (quads) mesh = cr_mesh_create(vertices, 2 * count, 0, 1);
    if (mesh) {
      place_vertices(&n, mesh->positions, mesh->normals);
      connect(&n, quads);
      for (uint32_t q = 0; q < count; q++) {
        const uint32_t *k = quads + 4 * (size_t)q;
        const uint32_t halves[6] = {k[0], k[1], k[2], k[0], k[2], k[3]};
        memcpy(mesh->triangles + 6 * (size_t)q, halves, sizeof halves);
      }
      mesh->closed = 1;
      cr_mesh_finish(mesh, 0);
    }
  }
  free(n.values);
  free(n.vertex);
  free(quads);
  return mesh;
}

static void store(uint16_t *to, v4 c) {
  for (int i = 0; i < 4; i++) to[i] = (uint16_t)lrintf(65535 * clampf(c[i], 0, 1));
}

// Half a level: corner samples of the next one, smoothed along the tile's borders by border samples only, so that
// neighbours agree.
static void halve(const uint16_t *from, int cells, uint16_t *to) {
  const int side = cells + 1, half = cells / 2 + 1;
  for (int y = 0; y < half; y++) {
    for (int x = 0; x < half; x++) {
      const int sx = 2 * x, sy = 2 * y;
      const int reach_x = sx > 0 && sx < cells, reach_y = sy > 0 && sy < cells;
      v4 sum = {0, 0, 0, 0};
      float weight = 0;
      for (int j = -reach_y; j <= reach_y; j++) {
        for (int i = -reach_x; i <= reach_x; i++) {
          const float w = (i ? 0.5f : 1) * (j ? 0.5f : 1);
          const uint16_t *p = from + 4 * ((sy + j) * side + sx + i);
          sum += w * (v4){(float)p[0], (float)p[1], (float)p[2], (float)p[3]};
          weight += w;
        }
      }
      for (int c = 0; c < 4; c++) to[4 * (y * half + x) + c] = (uint16_t)lrintf(sum[c] / weight);
    }
  }
}

void cr_toy_paint(cr_mesh *mesh, int kind, uint32_t q0, uint32_t q1) {
  for (uint32_t q = q0; q < q1; q++) {
    const uint32_t *k = mesh->triangles + 6 * (size_t)q;
    const uint32_t corner[4] = {k[0], k[1], k[2], k[5]};
    v3 p[4], n[4];
    for (int c = 0; c < 4; c++) {
      p[c] = v3_of(mesh->positions + 3 * (size_t)corner[c]);
      n[c] = v3_of(mesh->normals + 3 * (size_t)corner[c]);
    }
    uint16_t *tile = mesh->tiles + (size_t)q * 4 * CR_TILE_TEXELS;
    for (int j = 0; j <= 8; j++) {
      for (int i = 0; i <= 8; i++) {
        const float s = (float)i / 8, t = (float)j / 8;
        // the same two flat halves that are drawn
        const float w[4] = {s >= t ? 1 - s : 1 - t, s >= t ? s - t : 0, s >= t ? t : s, s >= t ? 0 : t - s};
        v3 at = {0, 0, 0}, normal = {0, 0, 0};
        for (int c = 0; c < 4; c++) {
          at = v3_add(at, v3_mul(p[c], w[c]));
          normal = v3_add(normal, v3_mul(n[c], w[c]));
        }
        v4 colour = cr_toy_colour(kind, at, normal);
        for (int c = 0; c < 3; c++) colour[c] = cr_srgb_to_linear(clampf(colour[c], 0, 1));
        store(tile + 4 * (j * 9 + i), colour);
      }
    }
    halve(tile, 8, tile + 4 * 81);
    halve(tile + 4 * 81, 4, tile + 4 * 106);
    halve(tile + 4 * 106, 2, tile + 4 * 115);
  }
}
