// From a scene to triangles sorted into tiles.
#include <stdlib.h>
#include "view.h"

cr_view *cr_view_create(int width, int height) {
  if (width < 1 || height < 1 || width > 16384 || height > 16384) return NULL;
  cr_view *view = calloc(1, sizeof *view);
  if (!view) return NULL;
  view->width = width;
  view->height = height;
  view->tiles_x = (width + tile_side - 1) / tile_side;
  view->tiles_y = (height + tile_side - 1) / tile_side;
  view->bin_start = calloc((size_t)view->tiles_x * (size_t)view->tiles_y + 2, sizeof(uint32_t));
  if (!view->bin_start) {
    free(view);
    return NULL;
  }
  return view;
}

void cr_view_free(cr_view *view) {
  if (!view) return;
  free(view->bin_start);
  free(view->bins);
  free(view->screen);
  free(view->camera);
  free(view);
}

int cr_view_tile_count(const cr_view *view) { return view->tiles_x * view->tiles_y; }

void cr_camera_rays(const cr_camera *c, float *rays, int y0, int y1) {
  for (int y = y0; y < y1; y++) {
    for (int x = 0; x < c->width; x++) {
      const double dx = ((double)x - (double)c->cx) / (double)c->fx, dy = ((double)y - (double)c->cy) / (double)c->fy;
      double px = dx, py = dy;
      for (int i = 0; i < 30; i++) {
        double r2 = px * px + py * py;
        double radial = 1 + r2 * ((double)c->k1 + r2 * ((double)c->k2 + r2 * (double)c->k3));
        double ex = dx - (px * radial + 2 * (double)c->p1 * px * py + (double)c->p2 * (r2 + 2 * px * px));
        double ey = dy - (py * radial + (double)c->p1 * (r2 + 2 * py * py) + 2 * (double)c->p2 * px * py);
        px += ex;
        py += ey;
        if (fabs(ex) + fabs(ey) < 1e-9) break;
      }
      float *out = rays + 2 * ((size_t)y * (size_t)c->width + (size_t)x);
      out[0] = (float)px;
      out[1] = (float)py;
    }
  }
}

static void project(cr_view *view, const cr_instance *instance, const cr_camera *c, uint32_t base) {
  const cr_pose pose = pose_product(&c->from_world, &instance->world_from_mesh);
  const cr_mesh *mesh = instance->mesh;
  for (uint32_t i = 0; i < mesh->vertex_count; i++) {
    const v3 p = pose_point(&pose, v3_of(mesh->positions + 3 * (size_t)i));
    float *cam = view->camera + 3 * (size_t)(base + i), *out = view->screen + 3 * (size_t)(base + i);
    cam[0] = p.x;
    cam[1] = p.y;
    cam[2] = p.z;
    const float w = p.z > 10 ? 1 / p.z : 0;
    const float x = p.x * w, y = p.y * w, r2 = x * x + y * y;
    const float radial = 1 + r2 * (c->k1 + r2 * (c->k2 + r2 * c->k3));
    out[0] = c->fx * (x * radial + 2 * c->p1 * x * y + c->p2 * (r2 + 2 * x * x)) + c->cx;
    out[1] = c->fy * (y * radial + c->p1 * (r2 + 2 * y * y) + 2 * c->p2 * x * y) + c->cy;
    out[2] = r2 <= c->max_r2 ? w : 0;
  }
}

typedef struct { int x0, y0, x1, y1; } tile_range;

// The tiles a triangle may touch; empty if it is behind, outside, or turned away on a closed mesh.
static tile_range reach(const cr_view *view, const cr_mesh *mesh, uint32_t base, uint32_t t) {
  const tile_range none = {0, 0, 0, 0};
  const uint32_t *k = mesh->triangles + 3 * (size_t)t;
  const float *a = view->screen + 3 * (size_t)(base + k[0]);
  const float *b = view->screen + 3 * (size_t)(base + k[1]);
  const float *c = view->screen + 3 * (size_t)(base + k[2]);
  if (a[2] <= 0 || b[2] <= 0 || c[2] <= 0) return none;
  const float area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  if (area == 0 || (mesh->closed && area > 0)) return none;  // y runs down: outside is clockwise on the screen
  const float x0 = fminf(a[0], fminf(b[0], c[0])), x1 = fmaxf(a[0], fmaxf(b[0], c[0]));
  const float y0 = fminf(a[1], fminf(b[1], c[1])), y1 = fmaxf(a[1], fmaxf(b[1], c[1]));
  if (x1 < -0.5f || y1 < -0.5f || x0 > (float)view->width || y0 > (float)view->height) return none;
  const float scale = 1.0f / tile_side;
  return (tile_range){clampi((int)floorf((x0 - 0.5f) * scale), 0, view->tiles_x - 1),
                      clampi((int)floorf((y0 - 0.5f) * scale), 0, view->tiles_y - 1),
                      clampi((int)floorf((x1 + 0.5f) * scale), 0, view->tiles_x - 1) + 1,
                      clampi((int)floorf((y1 + 0.5f) * scale), 0, view->tiles_y - 1) + 1};
}

static int grow(void **memory, size_t *capacity, size_t needed, size_t size) {
  if (needed <= *capacity) return 0;
  void *bigger = realloc(*memory, needed * size);
  if (!bigger) return -1;
  *memory = bigger;
  *capacity = needed;
  return 0;
}

int cr_view_prepare(cr_view *view, const cr_scene *scene, const cr_camera *camera) {
  view->vertex_base[0] = 0;
  view->triangle_base[0] = 1;
  for (int i = 0; i < scene->instance_count; i++) {
    view->vertex_base[i + 1] = view->vertex_base[i] + scene->instances[i].mesh->vertex_count;
    view->triangle_base[i + 1] = view->triangle_base[i] + scene->instances[i].mesh->triangle_count;
    view->mesh_from_world[i] = pose_inverse(&scene->instances[i].world_from_mesh);
  }
  const size_t vertices = view->vertex_base[scene->instance_count];
  if (vertices > view->vertex_capacity) {
    size_t capacity = view->vertex_capacity;
    if (grow((void **)&view->screen, &capacity, vertices, 3 * sizeof(float))) return -1;
    if (grow((void **)&view->camera, &view->vertex_capacity, vertices, 3 * sizeof(float))) return -1;
  }
  for (int i = 0; i < scene->instance_count; i++) project(view, &scene->instances[i], camera, view->vertex_base[i]);

  // count, sum, fill: ids come out in ascending order in every tile
  const int tiles = view->tiles_x * view->tiles_y;
  memset(view->bin_start, 0, ((size_t)tiles + 2) * sizeof(uint32_t));
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < scene->instance_count; i++) {
      const cr_mesh *mesh = scene->instances[i].mesh;
      for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const tile_range r = reach(view, mesh, view->vertex_base[i], t);
        for (int y = r.y0; y < r.y1; y++) {
          for (int x = r.x0; x < r.x1; x++) {
            uint32_t *slot = &view->bin_start[y * view->tiles_x + x + (pass == 0 ? 2 : 1)];
            if (pass == 1) view->bins[*slot] = view->triangle_base[i] + t;
            (*slot)++;
          }
        }
      }
    }
    if (pass == 0) {
      for (int k = 2; k <= tiles + 1; k++) view->bin_start[k] += view->bin_start[k - 1];
      if (grow((void **)&view->bins, &view->bin_capacity, view->bin_start[tiles + 1], sizeof(uint32_t))) return -1;
    }
  }
  return 0;
}
