// Meshes: memory, normals, and the measures that say how an object rests.
#include <stdlib.h>
#include "internal.h"

cr_mesh *cr_mesh_create(uint32_t vertices, uint32_t triangles, int with_uvs, int with_tiles) {
  if (vertices == 0 || triangles == 0 || vertices > (1u << 27) || triangles > (1u << 27)) return NULL;
  cr_mesh *mesh = calloc(1, sizeof *mesh);
  if (!mesh) return NULL;
  mesh->vertex_count = vertices;
  mesh->triangle_count = triangles;
  mesh->positions = calloc(vertices, 3 * sizeof(float));
  mesh->normals = calloc(vertices, 3 * sizeof(float));
  mesh->openness = calloc(vertices, sizeof(float));
  mesh->triangles = calloc(triangles, 3 * sizeof(uint32_t));
  mesh->texel_density = calloc(triangles, sizeof(float));
  if (with_uvs) mesh->uvs = calloc(vertices, 2 * sizeof(float));
  if (with_tiles) mesh->tiles = calloc(triangles / 2 + 1, 4 * CR_TILE_TEXELS * sizeof(uint16_t));
  if (!mesh->positions || !mesh->normals || !mesh->openness || !mesh->triangles || !mesh->texel_density ||
      (with_uvs && !mesh->uvs) || (with_tiles && !mesh->tiles)) {
    cr_mesh_free(mesh);
    return NULL;
  }
  for (uint32_t i = 0; i < vertices; i++) mesh->openness[i] = 1;
  return mesh;
}

void cr_mesh_free(cr_mesh *mesh) {
  if (!mesh) return;
  free(mesh->positions);
  free(mesh->normals);
  free(mesh->uvs);
  free(mesh->openness);
  free(mesh->triangles);
  free(mesh->texel_density);
  free(mesh->tiles);
  free(mesh);
}

static void add_normals(cr_mesh *mesh) {
  memset(mesh->normals, 0, (size_t)mesh->vertex_count * 3 * sizeof(float));
  for (uint32_t t = 0; t < mesh->triangle_count; t++) {
    const uint32_t *k = mesh->triangles + 3 * (size_t)t;
    v3 a = v3_of(mesh->positions + 3 * (size_t)k[0]);
    v3 n = v3_cross(v3_sub(v3_of(mesh->positions + 3 * (size_t)k[1]), a),
                    v3_sub(v3_of(mesh->positions + 3 * (size_t)k[2]), a));
    for (int c = 0; c < 3; c++) {
      float *out = mesh->normals + 3 * (size_t)k[c];
      out[0] += n.x;
      out[1] += n.y;
      out[2] += n.z;
    }
  }
}

void cr_mesh_finish(cr_mesh *mesh, int compute_normals) {
  if (compute_normals) add_normals(mesh);
  for (uint32_t i = 0; i < mesh->vertex_count; i++) {
    float *n = mesh->normals + 3 * (size_t)i;
    v3 unit = v3_unit(v3_of(n));
    n[0] = unit.x;
    n[1] = unit.y;
    n[2] = unit.z;
  }
  for (uint32_t t = 0; t < mesh->triangle_count; t++) {
    const uint32_t *k = mesh->triangles + 3 * (size_t)t;
    v3 a = v3_of(mesh->positions + 3 * (size_t)k[0]);
    float area = v3_length(v3_cross(v3_sub(v3_of(mesh->positions + 3 * (size_t)k[1]), a),
                                    v3_sub(v3_of(mesh->positions + 3 * (size_t)k[2]), a)));
    float texels = 0;  // twice the triangle's area, as `area` is
    if (mesh->uvs && mesh->texture) {
      const float *p = mesh->uvs + 2 * (size_t)k[0];
      const float *q = mesh->uvs + 2 * (size_t)k[1];
      const float *r = mesh->uvs + 2 * (size_t)k[2];
      texels = fabsf((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])) * (float)mesh->texture->width[0] *
               (float)mesh->texture->height[0];
    } else if (mesh->tiles) {
      texels = 64;
    }
    mesh->texel_density[t] = area > 1e-12f ? sqrtf(texels / area) : 0;
  }
}

void cr_mesh_centroid(const cr_mesh *mesh, double centroid[3], double *volume) {
  double sum[3] = {0, 0, 0}, v = 0, plain[3] = {0, 0, 0}, area = 0;
  const v3 origin = v3_of(mesh->positions);  // near the object: keeps the sum of signed tetrahedra well conditioned
  for (uint32_t t = 0; t < mesh->triangle_count; t++) {
    const uint32_t *k = mesh->triangles + 3 * (size_t)t;
    v3 a = v3_sub(v3_of(mesh->positions + 3 * (size_t)k[0]), origin);
    v3 b = v3_sub(v3_of(mesh->positions + 3 * (size_t)k[1]), origin);
    v3 c = v3_sub(v3_of(mesh->positions + 3 * (size_t)k[2]), origin);
    double d = (double)v3_dot(a, v3_cross(b, c)) / 6;
    double s = (double)v3_length(v3_cross(v3_sub(b, a), v3_sub(c, a)));
    v3 m = v3_add(a, v3_add(b, c));
    v += d;
    area += s;
    sum[0] += d * (double)m.x / 4;
    sum[1] += d * (double)m.y / 4;
    sum[2] += d * (double)m.z / 4;
    plain[0] += s * (double)m.x / 3;
    plain[1] += s * (double)m.y / 3;
    plain[2] += s * (double)m.z / 3;
  }
  // an open or thin shell has no volume to speak of: its skin's centroid serves
  const int solid = v > 1e-3 * area;
  const float o[3] = {origin.x, origin.y, origin.z};
  for (int i = 0; i < 3; i++) centroid[i] = (double)o[i] + (solid ? sum[i] / v : area > 0 ? plain[i] / area : 0);
  *volume = v;
}

void cr_mesh_extremes(const cr_mesh *mesh, uint32_t *indices, int count) {
  for (int i = 0; i < count; i++) {
    float y = 1 - 2 * ((float)i + 0.5f) / (float)count;
    float r = sqrtf(1 - y * y);
    float a = 2.39996323f * (float)i;
    float dx = r * cosf(a), dz = r * sinf(a), best = -INFINITY;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
      const float *p = mesh->positions + 3 * (size_t)v;
      float d = dx * p[0] + y * p[1] + dz * p[2];
      if (d > best) {
        best = d;
        indices[i] = v;
      }
    }
  }
}

// The height of the centroid over the table when `down` points down: the potential energy of resting there.
static double height(const float *points, int count, const double centroid[3], const double d[3]) {
  double best = -INFINITY;
  for (int i = 0; i < count; i++) {
    const float *p = points + 3 * i;
    const double h = d[0] * ((double)p[0] - centroid[0]) + d[1] * ((double)p[1] - centroid[1]) +
                     d[2] * ((double)p[2] - centroid[2]);
    if (h > best) best = h;
  }
  return best;
}

// `d` tilted by `angle` towards `azimuth`.
static void tilt(const double d[3], double angle, double azimuth, double out[3]) {
  const double h[3] = {fabs(d[0]) < 0.6, fabs(d[0]) >= 0.6, 0};
  double u[3] = {d[1] * h[2] - d[2] * h[1], d[2] * h[0] - d[0] * h[2], d[0] * h[1] - d[1] * h[0]};
  const double l = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  for (int i = 0; i < 3; i++) u[i] /= l;
  const double v[3] = {d[1] * u[2] - d[2] * u[1], d[2] * u[0] - d[0] * u[2], d[0] * u[1] - d[1] * u[0]};
  const double c = cos(angle), s = sin(angle), a = cos(azimuth), b = sin(azimuth);
  for (int i = 0; i < 3; i++) out[i] = c * d[i] + s * (a * u[i] + b * v[i]);
}

double cr_rest(const float *points, int count, const double centroid[3], double down[3]) {
  double here = height(points, count, centroid, down);
  for (double step = 0.2; step > 1e-6;) {
    double best = here, better[3] = {0, 0, 0};
    for (int k = 0; k < 16; k++) {
      double trial[3];
      tilt(down, step, k * 0.39269908169872414, trial);
      const double h = height(points, count, centroid, trial);
      if (h < best - 1e-9) {
        best = h;
        memcpy(better, trial, sizeof trial);
      }
    }
    if (best < here) {
      here = best;
      memcpy(down, better, 3 * sizeof(double));
    } else {
      step *= 0.5;
    }
  }
  double barrier = INFINITY;
  for (int k = 0; k < 24; k++) {
    double trial[3];
    tilt(down, 0.15, k * 0.2617993877991494, trial);
    barrier = fmin(barrier, height(points, count, centroid, trial) - here);
  }
  return barrier;
}
