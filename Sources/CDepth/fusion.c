// Fusion of depth maps: Curless & Levoy, "A volumetric method for building complex models from range images", 1996, with
// distances to the measured tangent planes.
#include "CDepth.h"

typedef struct {
  float x, y, z, u, v;
} projection;

static inline int project(const cdepth_camera *camera, float x, float y, float z, projection *out) {
  const float *r = camera->r, *t = camera->t;
  out->z = r[6] * x + r[7] * y + r[8] * z + t[2];
  if (!(out->z > 0)) return 0;
  out->x = r[0] * x + r[1] * y + r[2] * z + t[0];
  out->y = r[3] * x + r[4] * y + r[5] * z + t[1];
  float inverse = 1 / out->z;
  out->u = camera->fx * out->x * inverse + camera->cx;
  out->v = camera->fy * out->y * inverse + camera->cy;
  return out->u > -0.5f && out->v > -0.5f && out->u < (float)camera->width - 0.5f &&
         out->v < (float)camera->height - 0.5f;
}

void cdepth_integrate(const cdepth_grid *grid, const cdepth_map *maps, int32_t count, float truncation,
                      const uint8_t *active, int32_t z0, int32_t z1, float *value, float *weight, float *behind) {
  float unit = 1 / truncation;
  for (int32_t s = 0; s < count; s++) {
    const cdepth_map *map = &maps[s];
    const cdepth_camera *camera = &map->camera;
    float ifx = 1 / camera->fx, ify = 1 / camera->fy;
    for (int32_t k = z0; k < z1; k++) {
      float z = grid->origin[2] + grid->voxel * (float)k;
      for (int32_t j = 0; j < grid->ny; j++) {
        float y = grid->origin[1] + grid->voxel * (float)j;
        int64_t row = ((int64_t)k * grid->ny + j) * grid->nx;
        for (int32_t i = 0; i < grid->nx; i++) {
          if (!active[row + i]) continue;
          projection p;
          if (!project(camera, grid->origin[0] + grid->voxel * (float)i, y, z, &p)) continue;
          int32_t c = (int32_t)(p.u + 0.5f), r = (int32_t)(p.v + 0.5f);
          int64_t pixel = (int64_t)r * camera->width + c;
          float d = map->depth[pixel];
          if (!(d > 0)) continue;
          const int8_t *n = map->normal + 4 * pixel;
          float nx = n[0] * (1 / 127.0f), ny = n[1] * (1 / 127.0f), nz = n[2] * (1 / 127.0f);
          float rx = ((float)c - camera->cx) * ifx, ry = ((float)r - camera->cy) * ify;
          // the cosine between the ray and the surface's normal
          float cosine = -(nx * rx + ny * ry + nz) / __builtin_sqrtf(rx * rx + ry * ry + 1);
          if (!(cosine > 0.05f)) continue;
          float ahead = d - p.z;
          float distance;
          if (ahead > 6 * truncation) {
            distance = 1;
          } else {
            if (ahead < -8 * truncation) continue;
            distance = (nx * (p.x - rx * d) + ny * (p.y - ry * d) + nz * (p.z - d)) * unit;
            if (distance < (behind ? -4 : -1)) continue;
            if (distance > 1) distance = 1;
          }
          float confidence = map->confidence[pixel] * (1 / 255.0f);
          float w = confidence * confidence * cosine;
          if (distance < -1) {
            behind[row + i] += w;
            continue;
          }
          value[row + i] += w * distance;
          weight[row + i] += w;
        }
      }
    }
  }
}

void cdepth_carve(const cdepth_grid *grid, const cdepth_silhouette *silhouettes, int32_t count, int32_t against,
                  float limit, const uint8_t *active, int32_t z0, int32_t z1, float *distance) {
  for (int32_t k = z0; k < z1; k++) {
    float z = grid->origin[2] + grid->voxel * (float)k;
    for (int32_t j = 0; j < grid->ny; j++) {
      float y = grid->origin[1] + grid->voxel * (float)j;
      int64_t row = ((int64_t)k * grid->ny + j) * grid->nx;
      for (int32_t i = 0; i < grid->nx; i++) {
        if (!active[row + i]) continue;
        float x = grid->origin[0] + grid->voxel * (float)i;
        // the largest so far, in descending order
        float largest[CDEPTH_MAX_AGAINST + 1];
        for (int32_t n = 0; n <= against; n++) largest[n] = -limit;
        for (int32_t s = 0; s < count; s++) {
          const cdepth_camera *camera = &silhouettes[s].camera;
          projection p;
          if (!project(camera, x, y, z, &p)) continue;
          int32_t c = (int32_t)p.u, r = (int32_t)p.v;
          c = c < 0 ? 0 : c > camera->width - 2 ? camera->width - 2 : c;
          r = r < 0 ? 0 : r > camera->height - 2 ? camera->height - 2 : r;
          const int8_t *at = silhouettes[s].distance + (int64_t)r * camera->width + c;
          float a = p.u - (float)c, b = p.v - (float)r;
          float top = at[0] + a * (float)(at[1] - at[0]);
          float bottom = at[camera->width] + a * (float)(at[camera->width + 1] - at[camera->width]);
          float off = (top + b * (bottom - top)) * 0.25f * p.z / camera->fx;
          int32_t place = against + 1;
          while (place > 0 && off > largest[place - 1]) place--;
          for (int32_t n = against; n > place; n--) largest[n] = largest[n - 1];
          if (place <= against) largest[place] = off;
          if (largest[against] >= limit) break;
        }
        distance[row + i] = largest[against] > limit ? limit : largest[against];
      }
    }
  }
}
