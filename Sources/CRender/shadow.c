// What light reaches: a depth map for each lamp, and the openness of surfaces to the sky.
#include <stdlib.h>
#include "internal.h"

enum { block = 16 };

cr_shadow *cr_shadow_create(int size) {
  if (size < block || size > 8192 || size % block) return NULL;
  cr_shadow *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  const size_t n = (size_t)size, m = n / block;
  s->size = size;
  s->nearest = malloc(n * n * sizeof(float));
  s->low = malloc(m * m * sizeof(float));
  s->high = malloc(m * m * sizeof(float));
  if (!s->nearest || !s->low || !s->high) {
    cr_shadow_free(s);
    return NULL;
  }
  return s;
}

void cr_shadow_free(cr_shadow *shadow) {
  if (!shadow) return;
  free(shadow->nearest);
  free(shadow->low);
  free(shadow->high);
  free(shadow);
}

// A frame whose z axis is the unit vector `z`.
static cr_pose looking_along(v3 z, v3 origin) {
  const v3 helper = fabsf(z.y) < 0.9f ? (v3){0, 1, 0} : (v3){1, 0, 0};
  const v3 x = v3_unit(v3_cross(helper, z)), y = v3_cross(z, x);
  return (cr_pose){{x.x, x.y, x.z, -v3_dot(x, origin), y.x, y.y, y.z, -v3_dot(y, origin), z.x, z.y, z.z,
                    -v3_dot(z, origin)}};
}

static void summarise(cr_shadow *s) {
  const int m = s->size / block;
  for (int by = 0; by < m; by++) {
    for (int bx = 0; bx < m; bx++) {
      // a block and half of each neighbour: the filter reaches that far
      float low = INFINITY, high = 0;
      for (int y = by * block - 8; y < by * block + block + 8; y++) {
        if (y < 0 || y >= s->size) continue;
        for (int x = bx * block - 8; x < bx * block + block + 8; x++) {
          if (x < 0 || x >= s->size) continue;
          const float d = s->nearest[(size_t)y * (size_t)s->size + (size_t)x];
          low = fminf(low, d);
          high = fmaxf(high, d);
        }
      }
      s->low[by * m + bx] = low;
      s->high[by * m + bx] = high;
    }
  }
}

int cr_shadow_render(cr_shadow *shadow, const cr_scene *casters, const float lamp[3], const float centre[3],
                     float radius) {
  const v3 from = v3_of(lamp), to = v3_sub(v3_of(centre), from);
  const float distance = v3_length(to);
  if (distance <= radius * 1.05f) return -1;
  shadow->from_world = looking_along(v3_unit(to), from);
  const float half = radius / sqrtf(distance * distance - radius * radius);
  shadow->focal = ((float)shadow->size / 2 - 12) / half;
  memset(shadow->nearest, 0, (size_t)shadow->size * (size_t)shadow->size * sizeof(float));
  const float middle = (float)shadow->size / 2;
  for (int i = 0; i < casters->instance_count; i++) {
    const cr_mesh *mesh = casters->instances[i].mesh;
    const cr_pose pose = pose_product(&shadow->from_world, &casters->instances[i].world_from_mesh);
    float *xyd = malloc((size_t)mesh->vertex_count * 3 * sizeof(float));
    if (!xyd) return -1;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
      const v3 p = pose_point(&pose, v3_of(mesh->positions + 3 * (size_t)v));
      const float w = 1 / fmaxf(p.z, 1);
      xyd[3 * (size_t)v] = shadow->focal * p.x * w + middle;
      xyd[3 * (size_t)v + 1] = shadow->focal * p.y * w + middle;
      xyd[3 * (size_t)v + 2] = w;
    }
    cr_depth_draw(xyd, mesh->triangles, mesh->triangle_count, shadow->size, shadow->nearest);
    free(xyd);
  }
  summarise(shadow);
  return 0;
}

enum { sky_size = 256 };

typedef struct {
  cr_pose pose;
  float scale;
  float *nearest;  // -depth, larger is nearer
} sky_map;

// Light from one direction of the sky: 1 where nothing is in the way.
static float sees_sky(const sky_map *map, v3 p, float bias) {
  const v3 q = pose_point(&map->pose, p);
  const float x = map->scale * q.x + sky_size / 2 - 0.5f, y = map->scale * q.y + sky_size / 2 - 0.5f;
  const int ix = (int)floorf(x), iy = (int)floorf(y);
  if (ix < 0 || iy < 0 || ix >= sky_size - 1 || iy >= sky_size - 1) return 1;
  const float fx = x - (float)ix, fy = y - (float)iy;
  float sum = 0;
  for (int k = 0; k < 4; k++) {
    const float w = (k & 1 ? fx : 1 - fx) * (k & 2 ? fy : 1 - fy);
    if (map->nearest[(iy + (k >> 1)) * sky_size + ix + (k & 1)] <= -q.z + bias) sum += w;
  }
  return sum;
}

int cr_openness(cr_mesh *mesh, const cr_pose *world_from_mesh, int directions, float *contact, int contact_size,
                float contact_extent) {
  const size_t n = mesh->vertex_count;
  float *world = malloc(n * 3 * sizeof(float)), *xyd = malloc(n * 3 * sizeof(float));
  float *weights = calloc(n, sizeof(float));
  sky_map map = {.nearest = malloc(sky_size * sky_size * sizeof(float))};
  int failed = !world || !xyd || !weights || !map.nearest;
  if (!failed) {
    v3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < n; i++) {
      const v3 p = pose_point(world_from_mesh, v3_of(mesh->positions + 3 * i));
      memcpy(world + 3 * i, &p, sizeof p);
      low = (v3){fminf(low.x, p.x), fminf(low.y, p.y), fminf(low.z, p.z)};
      high = (v3){fmaxf(high.x, p.x), fmaxf(high.y, p.y), fmaxf(high.z, p.z)};
      mesh->openness[i] = 0;
    }
    const v3 centre = v3_mul(v3_add(low, high), 0.5f);
    const float radius = fmaxf(1, v3_length(v3_sub(high, low)) / 2);
    const float bias = 2.5f * radius / (sky_size / 2);
    map.scale = (sky_size / 2 - 3) / radius;
    const int cells = contact_size * contact_size;
    float floor_weight = 0;
    for (int i = 0; i < cells; i++) contact[i] = 0;
    for (int d = 0; d < directions; d++) {
      // evenly over the upper hemisphere
      const float y = ((float)d + 0.5f) / (float)directions, r = sqrtf(1 - y * y), a = 2.39996323f * (float)d;
      const v3 sky = {r * cosf(a), y, r * sinf(a)};
      map.pose = looking_along(v3_mul(sky, -1), centre);
      for (size_t i = 0; i < (size_t)sky_size * sky_size; i++) map.nearest[i] = -INFINITY;
      for (size_t i = 0; i < n; i++) {
        const v3 q = pose_point(&map.pose, v3_of(world + 3 * i));
        xyd[3 * i] = map.scale * q.x + sky_size / 2 - 0.5f;
        xyd[3 * i + 1] = map.scale * q.y + sky_size / 2 - 0.5f;
        xyd[3 * i + 2] = -q.z;
      }
      cr_depth_draw(xyd, mesh->triangles, mesh->triangle_count, sky_size, map.nearest);
      for (size_t i = 0; i < n; i++) {
        const v3 normal = pose_turn(world_from_mesh, v3_of(mesh->normals + 3 * i));
        const float cosine = v3_dot(normal, sky);
        if (cosine <= 0) continue;
        weights[i] += cosine;
        mesh->openness[i] += cosine * sees_sky(&map, v3_add(v3_of(world + 3 * i), v3_mul(normal, bias / 2)), bias / 2);
      }
      floor_weight += sky.y;
      for (int i = 0; i < cells; i++) {
        const float step = 2 * contact_extent / (float)(contact_size - 1);
        const v3 p = {(float)(i % contact_size) * step - contact_extent, 0.01f,
                      (float)(i / contact_size) * step - contact_extent};
        contact[i] += sky.y * sees_sky(&map, p, bias / 4);
      }
    }
    for (int i = 0; i < cells; i++) contact[i] /= floor_weight;
    for (size_t i = 0; i < n; i++) {
      // a surface that faces down sees no sky but the table's reflection, less of it the nearer it is
      const float bounce = clampf(world[3 * i + 1] / 60, 0.15f, 0.6f);
      mesh->openness[i] = weights[i] > 0.3f ? mesh->openness[i] / weights[i] : bounce;
    }
  }
  free(world);
  free(xyd);
  free(weights);
  free(map.nearest);
  return failed ? -1 : 0;
}
