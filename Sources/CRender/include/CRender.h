// The renderer of the simulated world: a tiled rasteriser with four samples a pixel whose hits are refined by true
// lens rays, soft shadows from depth maps, and a sensor. Pure functions over caller-owned structures; a tile, a band of
// rows or a lamp is one unit of work, so that results do not depend on the number of threads.
// Frames and units: see RigGeometry.swift (millimetres; camera x right, y down, z forward; world = table frame).
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A rigid transform: three rows of [R | t].
typedef struct { float m[12]; } cr_pose;

// A mip-mapped picture: linear light, 16 bits, R G B gloss. Level k is half of level k-1; levels follow each other.
typedef struct {
  int levels;
  int width[14], height[14];
  size_t offset[14];  // in texels
  uint16_t *texels;
} cr_texture;

// From sRGB bytes; `gloss` 0…1 is the same everywhere. NULL without memory. Rows run from the top.
cr_texture *cr_texture_create(const uint8_t *rgb, int width, int height, float gloss);
void cr_texture_free(cr_texture *texture);

// A mesh. Coloured either by a picture (`uvs` per vertex, origin lower left) or by tiles: triangles 2q and 2q+1 are the
// halves 0 1 2 and 0 2 3 of quad q, which owns CR_TILE_TEXELS colours in levels of 9², 5², 3² and 2² corner samples.
#define CR_TILE_TEXELS (81 + 25 + 9 + 4)
typedef struct {
  uint32_t vertex_count, triangle_count;
  float *positions;      // 3 a vertex, mm
  float *normals;        // 3 a vertex
  float *uvs;            // 2 a vertex, or NULL
  float *openness;       // 1 a vertex: share of the sky it sees, cosine-weighted
  uint32_t *triangles;   // 3 a triangle
  float *texel_density;  // per triangle: texels a millimetre at level 0
  uint16_t *tiles;       // 4 × CR_TILE_TEXELS a quad, or NULL
  const cr_texture *texture;
  int closed;            // back faces may be left out
} cr_mesh;

// All arrays zeroed; NULL without memory or for counts beyond 2^27.
cr_mesh *cr_mesh_create(uint32_t vertices, uint32_t triangles, int with_uvs, int with_tiles);
void cr_mesh_free(cr_mesh *mesh);
// The same mesh under the same texture; NULL without memory.
cr_mesh *cr_mesh_copy(const cr_mesh *mesh);
// Area-weighted normals of shared positions (creases are not kept), and texel densities from uvs and texture.
void cr_mesh_finish(cr_mesh *mesh, int compute_normals);
// The centroid and volume of the enclosed solid.
void cr_mesh_centroid(const cr_mesh *mesh, double centroid[3], double *volume);
// Lets a body of `points` with this centroid tip from `down` (a unit vector in its own frame) until it rests: a resting
// pose is a local minimum of the centroid's height. Returns how far the centroid must be lifted to tilt it by 0.15 rad
// in the easiest direction: how firmly it stands.
double cr_rest(const float *points, uint32_t count, const double centroid[3], double down[3]);

typedef struct {
  int width, height;
  float fx, fy, cx, cy, k1, k2, p1, p2, k3;
  float max_r2;       // beyond this squared normalised radius the distortion is not to be trusted
  cr_pose from_world;
  const float *rays;  // 2 a pixel: undistorted x/z, y/z of the pixel's centre
} cr_camera;

// Fills `rays` for rows y0..<y1 and returns nothing else; `max_r2` of the camera is not needed for it.
void cr_camera_rays(const cr_camera *camera, float *rays, int y0, int y1);

// What a lamp sees: distances along the lamp's axis.
typedef struct {
  int size;           // texels along a side, a multiple of 16
  cr_pose from_world; // z along the lamp's axis
  float focal;        // texels
  float *nearest;     // size²: 1/z of the nearest surface, 0 where there is none
  float *low, *high;  // (size/16)²: extremes of `nearest` over a block and its neighbours
} cr_shadow;
cr_shadow *cr_shadow_create(int size);
void cr_shadow_free(cr_shadow *shadow);

typedef struct {
  const cr_mesh *mesh;
  cr_pose world_from_mesh;
  int receives_contact;  // darkened by `contact` of the scene (the disc)
} cr_instance;

typedef struct {
  float position[3];
  float colour[3];          // radiance of a white surface that faces it at `reach`
  float reach;              // millimetres
  const cr_shadow *shadow;  // or NULL
} cr_lamp;

#define CR_MAX_INSTANCES 8
#define CR_MAX_LAMPS 3
typedef struct {
  cr_instance instances[CR_MAX_INSTANCES];
  int instance_count;
  cr_lamp lamps[CR_MAX_LAMPS];
  int lamp_count;
  float ambient[3];
  const float *contact;   // contact_size²: openness of the table around the object, in the frame below; or NULL
  int contact_size;
  float contact_extent;   // half the side, mm
  cr_pose contact_from_world;
} cr_scene;

static inline void cr_scene_add(cr_scene *scene, const cr_mesh *mesh, const cr_pose *world_from_mesh, int contact) {
  if (scene->instance_count < CR_MAX_INSTANCES) {
    scene->instances[scene->instance_count++] = (cr_instance){mesh, *world_from_mesh, contact};
  }
}
static inline void cr_scene_light(cr_scene *scene, const cr_lamp *lamp) {
  if (scene->lamp_count < CR_MAX_LAMPS) scene->lamps[scene->lamp_count++] = *lamp;
}

// Draws the instances of a scene into a lamp's depth map: one unit of work a lamp. `centre` and `radius` bound them.
int cr_shadow_render(cr_shadow *shadow, const cr_scene *casters, const float lamp[3], const float centre[3],
                     float radius);

// Openness of every vertex of `mesh` resting at `world_from_mesh` on the table y = 0, and of the table around it.
// Returns 0, or -1 without memory.
int cr_openness(cr_mesh *mesh, const cr_pose *world_from_mesh, int directions, float *contact, int contact_size,
                float contact_extent);

// One camera's scratch memory.
typedef struct cr_view cr_view;
cr_view *cr_view_create(int width, int height);
void cr_view_free(cr_view *view);
// Projects and sorts into tiles: one unit of work a view. Returns 0, or -1 without memory.
int cr_view_prepare(cr_view *view, const cr_scene *scene, const cr_camera *camera);
int cr_view_tile_count(const cr_view *view);
// Draws one tile into `out` (linear light, 3 floats a pixel): out = keep · out + weight · picture. Samples that nothing
// covers show `backdrop` (same layout), or black without one. `depth`, if given, gets z of the pixel's nearest sample
// or 0.
void cr_view_tile(cr_view *view, const cr_scene *scene, const cr_camera *camera, int tile, const float *backdrop,
                  float keep, float weight, float *out, float *depth);

// Blurs a linear picture as a lens focused at `focus` mm does, by depth. `scratch` holds as many floats as `in`.
// Units of work: rows (pass 0: in → scratch, pass 1: scratch → out).
void cr_defocus_rows(const float *in, const float *depth, float *out, int width, int height, int y0, int y1, int pass,
                     float strength, float focus);

typedef struct {
  float scale[3];      // signal (1 = full well after gain) of radiance 1, per channel
  float balance[3];    // white balance applied after clipping
  float shot;          // variance per unit of signal
  float read;          // variance without signal
  float vignetting;    // share of light lost in the corners
  uint64_t seed;
} cr_sensor;
// Rows y0..<y1 of what the sensor makes of a linear picture, as sRGB bytes.
void cr_sensor_rows(const float *linear, int width, int height, int y0, int y1, const cr_sensor *sensor, uint8_t *rgb);
// Mean signal per channel over the middle three quarters of the picture, before noise; for metering.
void cr_sensor_meter(const float *linear, int width, int height, float mean[3]);

// Built-in objects. `kind`: 0 locomotive, 1 jug, 2 vase. Closed, upright with its lowest point about y = 0.
// `cell` is the mesh width in mm. NULL without memory.
cr_mesh *cr_toy_create(int kind, float cell);
// Fills the tiles of quads q0..<q1: one unit of work a range.
void cr_toy_paint(cr_mesh *mesh, int kind, uint32_t q0, uint32_t q1);

// Rows y0..<y1 of a surface of the room, as sRGB bytes of size². `kind`: see room.c.
void cr_room_texture(int kind, uint32_t seed, int size, int y0, int y1, uint8_t *rgb);

#ifdef __cplusplus
}
#endif
