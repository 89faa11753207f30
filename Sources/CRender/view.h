// One camera's scratch memory, shared by the files that prepare, rasterise and shade.
#pragma once
#include "internal.h"

enum { tile_side = 32 };

struct cr_view {
  int width, height, tiles_x, tiles_y;
  uint32_t *bin_start;  // tiles + 1
  uint32_t *bins;       // triangle ids, by tile, in order of id
  size_t bin_capacity;
  float *screen;        // per vertex of all instances: x, y in pixels, 1/z (0: not usable)
  float *camera;        // per vertex: position in the camera's frame
  size_t vertex_capacity;
  uint32_t vertex_base[CR_MAX_INSTANCES + 1];
  uint32_t triangle_base[CR_MAX_INSTANCES + 1];  // ids start at 1
  cr_pose mesh_from_world[CR_MAX_INSTANCES];
};

// What covers the four samples of each pixel of a tile.
typedef struct {
  v4 nearness[tile_side * tile_side];  // 1/z
  i4 id[tile_side * tile_side];        // 0: nothing
} tile_cover;

// Offsets of the four samples from the pixel's centre: a rotated grid.
static const v4 sample_x = {-0.125f, 0.375f, 0.125f, -0.375f};
static const v4 sample_y = {-0.375f, -0.125f, 0.375f, 0.125f};

void cr_tile_raster(const cr_view *view, const cr_scene *scene, int tile, tile_cover *cover);
// Radiance (and z in the last lane) of the surface of triangle `id` in direction (rx, ry, 1) of the camera's frame.
v4 cr_shade(const cr_view *view, const cr_scene *scene, const cr_camera *camera, uint32_t id, float rx, float ry);
