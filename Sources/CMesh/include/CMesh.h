// Triangle meshes through meshoptimizer (simplification) and Embree 3 or 4 (rays, nearest points). Nothing of either
// library shows here, and no C++ exception leaves. Positions and triangles are read with a stride in bytes, so arrays of
// padded vectors are taken as they are. All functions may be called from several threads at once.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Flat arrays of a mesh: three floats every `position_stride` bytes, three uint32 every `triangle_stride` bytes.
typedef struct {
  const void *positions;
  size_t position_count;
  size_t position_stride;
  const void *triangles;
  size_t triangle_count;
  size_t triangle_stride;
} cmesh_view;

/// Collapses edges by quadric error (Garland and Heckbert 1997, as meshoptimizer does it) until `target` triangles are
/// left or every further collapse would cost more than `max_error` (in the unit of the positions). Writes 3 indices a
/// triangle to `out`, which holds 3 * triangle_count; vertices stay where they are. Returns the number of triangles, or
/// SIZE_MAX where memory ran out. `error`, if given, receives the error reached, in the unit of the positions.
size_t cmesh_simplify(cmesh_view mesh, size_t target, float max_error, bool keep_border, uint32_t *out, float *error);

/// A mesh prepared for ray queries.
typedef struct cmesh_scene cmesh_scene;

/// Builds the hierarchy; copies what it needs. NULL where memory ran out or the mesh was refused; then `message` (of
/// `capacity` bytes) says why, and `out_of_memory` which of the two it was.
cmesh_scene *cmesh_scene_create(cmesh_view mesh, char *message, size_t capacity, bool *out_of_memory);
/// Frees a scene; NULL is allowed.
void cmesh_scene_destroy(cmesh_scene *scene);

/// A ray from `origin + near * direction` to `origin + far * direction`.
typedef struct {
  float origin[3];
  float near;
  float direction[3];
  float far;
} cmesh_ray;

/// Where a ray first meets the mesh. `triangle` is UINT32_MAX where it meets nothing. The point is
/// (1-u-v) * corner 0 + u * corner 1 + v * corner 2; `facing` says whether the ray came from outside.
typedef struct {
  float distance;
  float u, v;
  uint32_t triangle;
  uint32_t facing;
} cmesh_hit;

/// First hits of `count` rays, one hit each.
void cmesh_intersect(const cmesh_scene *scene, const cmesh_ray *rays, size_t count, cmesh_hit *hits);
/// For each ray 1 where anything is in the way, else 0.
void cmesh_occluded(const cmesh_scene *scene, const cmesh_ray *rays, size_t count, uint8_t *blocked);

/// The nearest place on the mesh, as `cmesh_hit`. `triangle` is UINT32_MAX where nothing is within the radius.
typedef struct {
  float point[3];
  float distance;
  float u, v;
  uint32_t triangle;
} cmesh_nearest;

/// The nearest places to `count` points (three floats every `stride` bytes) within `radius`.
void cmesh_closest(
    const cmesh_scene *scene, const void *points, size_t stride, size_t count, float radius, cmesh_nearest *out);

// Packing of outlines into a square, both as rows of `words` 64-bit words, lowest column in the lowest bit.

/// The lowest, then leftmost place, at most at `last_x`, `last_y`, where `outline` of `rows` rows meets nothing of `taken`.
/// False where there is none. `taken` has at least `last_y + rows` rows.
bool cmesh_pack_spot(
    const uint64_t *taken, size_t words, const uint64_t *outline, size_t rows, size_t last_x, size_t last_y, size_t *x,
    size_t *y);
/// The outline with one more cell all around, as far as its rows and words reach.
void cmesh_pack_dilate(const uint64_t *outline, size_t rows, size_t words, uint64_t *out);
/// Marks the outline as taken at `x`, `y`, where it must fit.
void cmesh_pack_insert(uint64_t *taken, size_t words, const uint64_t *outline, size_t rows, size_t x, size_t y);

#ifdef __cplusplus
}
#endif
