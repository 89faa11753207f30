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

cr_mesh *cr_mesh_copy(const cr_mesh *from) {
  cr_mesh *mesh = cr_mesh_create(from->vertex_count, from->triangle_count, from->uvs != NULL, from->tiles != NULL);
  if (!mesh) return NULL;
  const size_t vertices = from->vertex_count, triangles = from->triangle_count;
  memcpy(mesh->positions, from->positions, vertices * 3 * sizeof(float));
  memcpy(mesh->normals, from->normals, vertices * 3 * sizeof(float));
  memcpy(mesh->openness, from->openness, vertices * sizeof(float));
  memcpy(mesh->triangles, from->triangles, triangles * 3 * sizeof(uint32_t));
  memcpy(mesh->texel_density, from->texel_density, triangles * sizeof(float));
  if (from->uvs) memcpy(mesh->uvs, from->uvs, vertices * 2 * sizeof(float));
  if (from->tiles) memcpy(mesh->tiles, from->tiles, triangles / 2 * 4 * CR_TILE_TEXELS * sizeof(uint16_t));
  mesh->texture = from->texture;
  mesh->closed = from->closed;
  return mesh;
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
