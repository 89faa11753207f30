// The light that a point of a surface sends to the camera.
#include "view.h"

static inline v4 texel(const uint16_t *t) { return (v4){(float)t[0], (float)t[1], (float)t[2], (float)t[3]}; }

static inline v4 bilinear(const uint16_t *a, const uint16_t *b, const uint16_t *c, const uint16_t *d, float u, float v) {
  const v4 top = texel(a) + u * (texel(b) - texel(a)), bottom = texel(c) + u * (texel(d) - texel(c));
  return top + v * (bottom - top);
}

static v4 picture_level(const cr_texture *t, int level, float u, float v) {
  const int w = t->width[level], h = t->height[level];
  const float x = u * (float)w - 0.5f, y = (1 - v) * (float)h - 0.5f;
  const int ix = floor_int(x), iy = floor_int(y);
  const float fx = (float)ix, fy = (float)iy;
  // repeats; most places need no division
  int x0 = (unsigned)ix < (unsigned)w ? ix : (ix % w + w) % w, y0 = (unsigned)iy < (unsigned)h ? iy : (iy % h + h) % h;
  const int x1 = x0 + 1 == w ? 0 : x0 + 1, y1 = y0 + 1 == h ? 0 : y0 + 1;
  const uint16_t *base = t->texels + 4 * t->offset[level];
  return bilinear(base + 4 * ((size_t)y0 * (size_t)w + (size_t)x0), base + 4 * ((size_t)y0 * (size_t)w + (size_t)x1),
                  base + 4 * ((size_t)y1 * (size_t)w + (size_t)x0), base + 4 * ((size_t)y1 * (size_t)w + (size_t)x1),
                  x - fx, y - fy);
}

static v4 tile_level(const uint16_t *tile, int level, float s, float t) {
  static const int start[4] = {0, 81, 106, 115};
  const int cells = 8 >> level, side = cells + 1;
  const float x = clampf(s, 0, 1) * (float)cells, y = clampf(t, 0, 1) * (float)cells;
  const int x0 = clampi((int)x, 0, cells - 1), y0 = clampi((int)y, 0, cells - 1);
  const uint16_t *p = tile + 4 * (start[level] + y0 * side + x0);
  return bilinear(p, p + 4, p + 4 * side, p + 4 * side + 4, x - (float)x0, y - (float)y0);
}

// Albedo and gloss, 0…1, filtered to a footprint of `texels` level-0 texels.
static v4 surface(const cr_mesh *mesh, uint32_t t, const float b[3], float texels) {
  const float lod = texels > 1 ? log2_roughly(texels) : 0;
  v4 low, high;
  float blend;
  if (mesh->tiles) {
    const float s = t & 1 ? b[1] : b[1] + b[2], u = t & 1 ? b[1] + b[2] : b[2];
    const uint16_t *tile = mesh->tiles + (size_t)(t / 2) * 4 * CR_TILE_TEXELS;
    const int level = clampi((int)lod, 0, 2);
    blend = clampf(lod - (float)level, 0, 1);
    low = tile_level(tile, level, s, u);
    high = blend > 0.02f ? tile_level(tile, level + 1, s, u) : low;
  } else {
    const cr_texture *texture = mesh->texture;
    const uint32_t *k = mesh->triangles + 3 * (size_t)t;
    float uv[2];
    for (int i = 0; i < 2; i++) {
      uv[i] = b[0] * mesh->uvs[2 * (size_t)k[0] + (size_t)i] + b[1] * mesh->uvs[2 * (size_t)k[1] + (size_t)i] +
              b[2] * mesh->uvs[2 * (size_t)k[2] + (size_t)i];
    }
    const int level = clampi((int)lod, 0, texture->levels - 1), next = clampi(level + 1, 0, texture->levels - 1);
    blend = clampf(lod - (float)level, 0, 1);
    low = picture_level(texture, level, uv[0], uv[1]);
    high = blend > 0.02f ? picture_level(texture, next, uv[0], uv[1]) : low;
  }
  return (low + blend * (high - low)) * (1.0f / 65535);
}

// The share of a lamp that reaches a point: 6 × 6 bilinear comparisons over some 4 mm, skipped where a coarse map
// already knows the answer.
static float lit(const cr_shadow *s, v3 world) {
  const v3 q = pose_point(&s->from_world, world);
  const float w = 1 / fmaxf(q.z, 1), middle = (float)s->size / 2;
  const float x = s->focal * q.x * w + middle, y = s->focal * q.y * w + middle;
  if (!(x >= 8 && y >= 8 && x < (float)s->size - 9 && y < (float)s->size - 9)) return 1;
  const float limit = w * (1 + 4 / s->focal);  // four texels in front of the surface: as far as the filter reaches
  const int m = s->size / 16, coarse = (int)y / 16 * m + (int)x / 16;
  if (s->high[coarse] <= limit) return 1;
  if (s->low[coarse] > limit) return 0;
  const int fx = (int)x, fy = (int)y;
  const float u = x - (float)fx, v = y - (float)fy;
  // a 7 × 7 window whose outer rows and columns are weighted by the fraction: a box that slides smoothly
  float sum = 0;
  const float *row = s->nearest + ((size_t)fy - 3) * (size_t)s->size + (size_t)fx - 3;
  for (int j = 0; j < 7; j++, row += s->size) {
    float line = 0;
    for (int i = 1; i < 6; i++) line += row[i] <= limit ? 1.0f : 0.0f;
    line += (row[0] <= limit ? 1 - u : 0) + (row[6] <= limit ? u : 0);
    sum += line * (j == 0 ? 1 - v : j == 6 ? v : 1);
  }
  return sum * (1.0f / 36);
}

static float contact_at(const cr_scene *scene, v3 world) {
  const v3 q = pose_point(&scene->contact_from_world, world);
  const int n = scene->contact_size;
  const float scale = (float)(n - 1) / (2 * scene->contact_extent);
  const float x = (q.x + scene->contact_extent) * scale, y = (q.z + scene->contact_extent) * scale;
  if (!(x >= 0 && y >= 0 && x < (float)(n - 1) && y < (float)(n - 1))) return 1;
  const int x0 = (int)x, y0 = (int)y;
  const float u = x - (float)x0, v = y - (float)y0;
  const float *p = scene->contact + y0 * n + x0;
  return (1 - v) * ((1 - u) * p[0] + u * p[1]) + v * ((1 - u) * p[n] + u * p[n + 1]);
}

v4 cr_shade(const cr_view *view, const cr_scene *scene, const cr_camera *camera, uint32_t id, float rx, float ry) {
  int i = 0;
  while (id >= view->triangle_base[i + 1]) i++;
  const cr_instance *instance = &scene->instances[i];
  const cr_mesh *mesh = instance->mesh;
  const uint32_t t = id - view->triangle_base[i];
  const uint32_t *k = mesh->triangles + 3 * (size_t)t;
  const float *cam = view->camera + 3 * (size_t)view->vertex_base[i];
  const v3 a = v3_of(cam + 3 * (size_t)k[0]);
  const v3 e1 = v3_sub(v3_of(cam + 3 * (size_t)k[1]), a), e2 = v3_sub(v3_of(cam + 3 * (size_t)k[2]), a);

  // where the ray meets the triangle's plane (Möller and Trumbore, 1997)
  const v3 ray = {rx, ry, 1};
  const v3 p = v3_cross(ray, e2);
  const float det = v3_dot(e1, p);
  float b[3] = {1, 0, 0};
  if (fabsf(det) > 1e-12f) {
    const v3 s = v3_mul(a, -1), q = v3_cross(s, e1);
    b[1] = clampf(v3_dot(s, p) / det, -1, 2);
    b[2] = clampf(v3_dot(ray, q) / det, -1, 2);
    b[0] = 1 - b[1] - b[2];
  }
  const v3 hit = v3_add(a, v3_add(v3_mul(e1, b[1]), v3_mul(e2, b[2])));

  v3 at = {0, 0, 0}, normal = {0, 0, 0};
  float open = 0;
  for (int c = 0; c < 3; c++) {
    at = v3_add(at, v3_mul(v3_of(mesh->positions + 3 * (size_t)k[c]), b[c]));
    normal = v3_add(normal, v3_mul(v3_of(mesh->normals + 3 * (size_t)k[c]), b[c]));
    open += b[c] * mesh->openness[k[c]];
  }
  const v3 world = pose_point(&instance->world_from_mesh, at);
  normal = v3_unit(pose_turn(&instance->world_from_mesh, normal));
  const cr_pose *fw = &camera->from_world;
  const v3 back = {-hit.x, -hit.y, -hit.z};
  v3 eye = {fw->m[0] * back.x + fw->m[4] * back.y + fw->m[8] * back.z,
            fw->m[1] * back.x + fw->m[5] * back.y + fw->m[9] * back.z,
            fw->m[2] * back.x + fw->m[6] * back.y + fw->m[10] * back.z};
  eye = v3_unit(eye);
  float facing = v3_dot(normal, eye);
  if (facing < 0 && !mesh->closed) {
    normal = v3_mul(normal, -1);
    facing = -facing;
  }
  facing = fmaxf(facing, 0.15f);

  // one pixel on the surface, in millimetres: the geometric mean of its two sides, leaning to the sharper one
  const float footprint = hit.z / (camera->fx * sqrtf(sqrtf(facing)));
  const v4 albedo = surface(mesh, t, b, mesh->texel_density[t] * footprint);
  const float gloss = albedo[3];
  if (instance->receives_contact && scene->contact) open *= contact_at(scene, world);

  const float hemisphere = open * (0.7f + 0.3f * normal.y);
  v4 diffuse = {scene->ambient[0] * hemisphere, scene->ambient[1] * hemisphere, scene->ambient[2] * hemisphere, 0};
  v4 shine = {0, 0, 0, 0};
  const v3 lifted = v3_add(world, v3_mul(normal, 0.8f));
  for (int l = 0; l < scene->lamp_count; l++) {
    const cr_lamp *lamp = &scene->lamps[l];
    const v3 way = v3_sub(v3_of(lamp->position), world);
    const float d2 = v3_dot(way, way), inverse = 1 / sqrtf(d2);
    const v3 light = v3_mul(way, inverse);
    // a soft box: its edge still lights what its middle no longer does
    const float cosine = clampf((v3_dot(normal, light) + 0.12f) * (1 / 1.12f), 0, 1);
    if (cosine <= 0) continue;
    const float reached = lamp->shadow ? lit(lamp->shadow, lifted) : 1;
    if (reached <= 0) continue;
    const float strength = reached * lamp->reach * lamp->reach / d2;
    const v4 colour = {lamp->colour[0], lamp->colour[1], lamp->colour[2], 0};
    diffuse += colour * (strength * cosine);
    if (gloss > 0.01f) {
      const v3 half = v3_unit(v3_add(light, eye));
      float h = fmaxf(v3_dot(normal, half), 0);
      h *= h;
      h *= h;
      h *= h;
      const float lobe = h * h * h * h * h;  // the 40th power
      shine += colour * (strength * gloss * 0.45f * lobe);
    }
  }
  v4 out = albedo * diffuse + shine;
  out[3] = hit.z;
  return out;
}

// Whether two triangles may share one shading: the same mesh, nearly the same direction.
static int alike(const cr_view *view, const cr_scene *scene, uint32_t p, uint32_t q) {
  int i = 0, j = 0;
  while (p >= view->triangle_base[i + 1]) i++;
  while (q >= view->triangle_base[j + 1]) j++;
  if (i != j) return 0;
  const cr_mesh *mesh = scene->instances[i].mesh;
  const uint32_t *a = mesh->triangles + 3 * (size_t)(p - view->triangle_base[i]);
  const uint32_t *b = mesh->triangles + 3 * (size_t)(q - view->triangle_base[i]);
  for (int c = 0; c < 3; c++) {
    if (a[c] == b[c]) return 1;  // share a corner at the same place in the order: neighbours of a smooth patch
  }
  return v3_dot(v3_of(mesh->normals + 3 * (size_t)a[0]), v3_of(mesh->normals + 3 * (size_t)b[0])) > 0.97f;
}

void cr_view_tile(cr_view *view, const cr_scene *scene, const cr_camera *camera, int tile, const float *backdrop,
                  float keep, float weight, float *out, float *depth) {
  tile_cover cover;
  cr_tile_raster(view, scene, tile, &cover);
  const int x0 = tile % view->tiles_x * tile_side, y0 = tile / view->tiles_x * tile_side;
  const int x1 = x0 + tile_side < view->width ? x0 + tile_side : view->width;
  const int y1 = y0 + tile_side < view->height ? y0 + tile_side : view->height;
  for (int y = y0; y < y1; y++) {
    for (int x = x0; x < x1; x++) {
      const int place = (y - y0) * tile_side + x - x0;
      const size_t pixel = (size_t)y * (size_t)view->width + (size_t)x;
      const i4 id = cover.id[place];
      const v4 near = cover.nearness[place];
      const float *ray = camera->rays + 2 * pixel;
      v4 sum = {0, 0, 0, 0};
      if (depth) {
        const float nearest = fmaxf(fmaxf(near[0], near[1]), fmaxf(near[2], near[3]));
        depth[pixel] = nearest > 0 ? 1 / nearest : 0;
      }
      int done = 0;
      for (int s = 0; s < 4; s++) {
        if (done >> s & 1) continue;
        float share = 0.25f;
        int first = s, whole = s == 0 && id[0] != 0;
        for (int r = s + 1; r < 4; r++) {
          if (done >> r & 1) continue;
          const float step = fabsf(near[r] - near[s]);
          if (id[r] == id[s] ||
              (id[r] && id[s] && step < 0.004f * near[s] && alike(view, scene, (uint32_t)id[s], (uint32_t)id[r]))) {
            share += 0.25f;
            done |= 1 << r;
          } else {
            whole = 0;
          }
        }
        if (id[s] == 0) {
          if (backdrop) sum += share * (v4){backdrop[3 * pixel], backdrop[3 * pixel + 1], backdrop[3 * pixel + 2], 0};
          continue;
        }
        float rx = ray[0], ry = ray[1];
        if (!whole) {
          rx += sample_x[first] / camera->fx;
          ry += sample_y[first] / camera->fy;
        }
        sum += share * cr_shade(view, scene, camera, (uint32_t)id[s], rx, ry);
      }
      float *to = out + 3 * pixel;
      if (keep == 0) {
        for (int c = 0; c < 3; c++) to[c] = weight * sum[c];
      } else {
        for (int c = 0; c < 3; c++) to[c] = keep * to[c] + weight * sum[c];
      }
    }
  }
}
