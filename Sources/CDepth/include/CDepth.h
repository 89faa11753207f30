// Kernels of multi-view stereo: PatchMatch on slanted planes and the fusion of depth maps into a signed distance field.
// Flat caller-owned buffers, no allocation, no state: calls on different buffers may run at the same time.
#ifndef CDEPTH_H
#define CDEPTH_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The largest number of sources of one reference view.
#define CDEPTH_MAX_SOURCES 8

/// A surface hypothesis at a pixel: the inverse of z in the reference camera, and its slope along x and y. A plane's
/// inverse depth is linear in the pixel, so this is a slanted plane without any trigonometry.
typedef struct {
  float w, wx, wy;
} cdepth_plane;

/// A picture to match against. A reference pixel p with inverse depth w falls on (q0/q2, q1/q2), q = m p~ + b w.
typedef struct {
  const uint16_t *pixels;  // luminance, width * height
  int32_t width, height;
  float m[9], b[3];
  // The source's own planes from an earlier round, or NULL: `plane_width` columns, 0 inverse depth where unknown; a
  // source pixel (u, v) is at ((u + 0.5) * plane_scale - 0.5 - plane_x, …) there.
  const cdepth_plane *planes;
  int32_t plane_width, plane_height;
  float plane_scale, plane_x, plane_y;
} cdepth_source;

/// The view whose depth is wanted: a window of its picture and the state of every pixel of the window.
typedef struct {
  const uint16_t *pixels;  // luminance of the whole picture
  int32_t width, height;   // of the whole picture
  int32_t x0, y0, columns, rows;  // the window; all arrays below are columns * rows
  const uint8_t *mask;     // 0: leave out
  const float *nearest;    // largest inverse depth that is possible, 0: leave out
  const float *farthest;   // smallest inverse depth that is possible
  cdepth_plane *planes;
  float *cost;
  uint8_t *chosen;         // bit s: source s is worth evaluating here
  float fx, fy, cx, cy;    // of the whole picture
} cdepth_view;

typedef struct {
  float color_sigma;     // of the bilateral weights, in luminance units
  float noise_variance;  // of luminance, in squared units
  float geometric;       // cost of one pixel of disagreement with a source's own planes; 0: none
  float max_slope_cosine;  // planes seen flatter than this cosine are not tried
  int32_t best;          // how many of the best sources are averaged
  int32_t leaps;         // 1: planes also come from pixels further away, for weak texture
  uint32_t seed;
} cdepth_parameters;

/// The cost of each pixel's present plane with all sources; fills `cost` and `chosen` (the `keep` best).
void cdepth_evaluate(const cdepth_view *view, const cdepth_source *sources, int32_t count,
                     const cdepth_parameters *parameters, int32_t keep);

/// One raster pass of PatchMatch: forwards (even `pass`) or backwards (odd). Planes spread from the neighbours already
/// visited, then `trials` random changes of relative size `range` are tried.
void cdepth_sweep(const cdepth_view *view, const cdepth_source *sources, int32_t count,
                  const cdepth_parameters *parameters, int32_t pass, int32_t trials, float range);

/// 1 - NCC of one pixel's plane with one source, for tests; 2 where the source does not see it.
float cdepth_match(const cdepth_view *view, const cdepth_source *source, const cdepth_parameters *parameters,
                   int32_t column, int32_t row, cdepth_plane plane);

/// How the planes of a view agree with those of other views. `agreeing` counts, for each pixel, the sources whose own
/// surface lies within `tolerance` pixels of the point; `conflicting` those that see clearly through it.
void cdepth_check(const cdepth_view *view, const cdepth_source *sources, int32_t count, float tolerance,
                  uint8_t *agreeing, uint8_t *conflicting);

/// A dense grid of voxels; `origin` is the centre of the first; x runs fastest, then y, then z.
typedef struct {
  float origin[3];
  float voxel;
  int32_t nx, ny, nz;
} cdepth_grid;

/// A pinhole camera: pixel = (fx x / z + cx, fy y / z + cy) of r X + t.
typedef struct {
  float r[9], t[3];
  float fx, fy, cx, cy;
  int32_t width, height;
} cdepth_camera;

/// A measured depth map: z, 0 where unknown; outward normals (4 bytes a pixel, 127 = 1, camera frame); confidence.
typedef struct {
  cdepth_camera camera;
  const float *depth;
  const int8_t *normal;
  const uint8_t *confidence;
} cdepth_map;

/// A silhouette: the signed distance from its outline in quarter pixels, positive off the object, clamped.
typedef struct {
  cdepth_camera camera;
  const int8_t *distance;
} cdepth_silhouette;

/// Adds depth maps to a truncated signed distance field, for the slices z0 ..< z1: `value` gets the weighted sum of
/// distances over `truncation` (-1 … 1, positive outside), `weight` the sum of weights; `behind`, where it is not null,
/// the sum of weights of the maps whose surface is in front of the voxel by 1 … 4 times the truncation. Voxels whose
/// `active` is 0 are left alone.
void cdepth_integrate(const cdepth_grid *grid, const cdepth_map *maps, int32_t count, float truncation,
                      const uint8_t *active, int32_t z0, int32_t z1, float *value, float *weight, float *behind);

/// The silhouette of a mask: for each pixel its signed distance from the outline, which runs between the pixels, in
/// quarter pixels, positive off the object, clamped to 31 pixels. `scratch` has room for two numbers a pixel.
void cdepth_outline(const uint8_t *mask, int32_t width, int32_t height, int16_t *scratch, int8_t *distance);

/// The most silhouettes that may be against a place which still stays.
#define CDEPTH_MAX_AGAINST 7

/// The distance outside the visual hull for the slices z0 ..< z1, in world units and positive outside: the largest over
/// all silhouettes but the `against` largest (CDEPTH_MAX_AGAINST at most), so that so many wrong silhouettes cut nothing
/// off. Clamped to `limit` on both sides.
void cdepth_carve(const cdepth_grid *grid, const cdepth_silhouette *silhouettes, int32_t count, int32_t against,
                  float limit, const uint8_t *active, int32_t z0, int32_t z1, float *distance);

/// One dual step of the total-variation flow on the slices z0 ..< z1: p += sigma grad(u), projected to |p| <= 1.
void cdepth_tv_dual(const cdepth_grid *grid, const float *u, float *p, float sigma, int32_t z0, int32_t z1);

/// One primal step on the slices z0 ..< z1: u towards div p and towards `target` by `pull`; voxels with a pull of
/// infinity keep their target. `u` gets the new value, `over` the over-relaxed one.
void cdepth_tv_primal(const cdepth_grid *grid, const float *p, const float *target, const float *pull, float tau,
                      float *u, float *over, int32_t z0, int32_t z1);

/// One Jacobi step of membrane smoothing on the slices z0 ..< z1: out = (pull target + stiffness mean of the six
/// neighbours) / (pull + stiffness), for active voxels; others are copied.
void cdepth_relax(const cdepth_grid *grid, const float *in, const float *target, const float *pull,
                  const uint8_t *active, float stiffness, float *out, int32_t z0, int32_t z1);

#ifdef __cplusplus
}
#endif

#endif
