#pragma once
#include <stddef.h>
#include <stdint.h>

/// Kernels that tell an object from its background. All buffers belong to the caller; nothing is allocated here.

/// A mixture of Gaussians over three numbers.
#define CMASKS_COMPONENTS 8
typedef struct {
  int count;
  float weight[CMASKS_COMPONENTS];
  float mean[CMASKS_COMPONENTS][3];
  /// The inverse covariance: xx xy xz yy yz zz.
  float precision[CMASKS_COMPONENTS][6];
  /// log(weight) - log(sqrt((2 pi)^3 det)).
  float offset[CMASKS_COMPONENTS];
} cmasks_mixture;

/// Fits a mixture of at most `components` Gaussians to `count` samples of three numbers by expectation maximisation
/// (A. Dempster et al., 1977), started from the samples farthest from each other. No variance falls below `floor`.
/// `labels` is scratch for `count` bytes.
void cmasks_fit(
  const float *samples, size_t count, int components, int iterations, float floor, uint8_t *labels,
  cmasks_mixture *out);

/// The logarithm of the mixture's density.
float cmasks_log_density(const cmasks_mixture *mixture, const float *x);

/// The component that explains `x` best, or -1 where none does (more than about four standard deviations off).
int cmasks_component(const cmasks_mixture *mixture, const float *x);

/// Keeps only the components whose bit is set, with their weights raised to sum up to 1.
void cmasks_keep(cmasks_mixture *mixture, uint32_t components);

/// The bits of a colour channel in a table over all colours, and the channel's place in it: sensors' noise grows with
/// the square root of the light, so steps are even in the root.
#define CMASKS_TABLE_BITS 6
#define CMASKS_TABLE_SIZE (1 << (3 * CMASKS_TABLE_BITS))

/// Fills `table` (CMASKS_TABLE_SIZE numbers) with log p(colour | front) - log p(colour | back), within ±`limit`. Front
/// has a share of `surprise` for colours that neither model knows.
void cmasks_odds_table(
  const cmasks_mixture *front, const cmasks_mixture *back, float surprise, float limit, float *table);

/// The place of a channel's value 0...255 in root steps, 0...63: what the mixtures are fitted to.
float cmasks_root(uint8_t value);

/// Looks the odds of each pixel up. `rgb` has 3 * `count` bytes.
void cmasks_lookup(const uint8_t *rgb, size_t count, const float *table, float *odds);

/// Smooths beliefs in a picture: mean field in a Markov random field with contrast-sensitive bonds between the four
/// neighbours (Y. Boykov and M.-P. Jolly, "Interactive Graph Cuts", ICCV 2001, for the energy). `odds` are log-odds;
/// `belief` receives -1 (surely back) ... 1 (surely front). `strength` is a bond's weight where there is no contrast;
/// `contrast` the colour difference in root steps at which a bond has lost most of it.
/// Scratch: `bonds` 2 * width * height numbers, `other` width * height numbers.
void cmasks_smooth(
  const float *odds, const uint8_t *rgb, int width, int height, float strength, float contrast, int iterations,
  float *bonds, float *other, float *belief);

/// Sums over rectangles: `table` has (width + 1) * (height + 1) numbers and counts the pixels of `mask` that are not 0.
void cmasks_integral(const uint8_t *mask, int width, int height, uint32_t *table);

/// A camera with its pinhole: pixel = (p0 . X, p1 . X) / (p2 . X), X with a 1 appended; depth = p2 . X.
typedef struct {
  double p[3][4];
  /// Pixels per unit at depth 1.
  double focal;
  int width, height;
} cmasks_camera;

/// A grid of cells over the world.
typedef struct {
  double origin[3];
  double cell;
  int nx, ny, nz;
} cmasks_grid;

/// One view's vote on the cells of the layers `z0`..<`z1` that are `active`: a cell whose whole footprint lies in the
/// picture and has no pixel of the mask gets a vote against it, one whose middle is in the picture is seen. Votes saturate.
void cmasks_vote(
  const cmasks_camera *camera, const uint32_t *table, const cmasks_grid *grid, int z0, int z1, const uint8_t *active,
  uint8_t *against, uint8_t *seen);

/// Draws the footprints of all occupied cells that have an empty neighbour into `picture` (255), which is not cleared.
void cmasks_draw(const cmasks_camera *camera, const cmasks_grid *grid, const uint8_t *occupied, uint8_t *picture);

/// The median of each of `count` bytes over `pictures`; of an even number, the upper one.
void cmasks_median(const uint8_t *const *pictures, int picture_count, size_t count, uint8_t *out);

/// For each of `count` values over `pictures`, the distance between the second largest and the second least (three
/// pictures at least).
void cmasks_range(const uint16_t *const *pictures, int picture_count, size_t count, uint16_t *out);

/// For each of `count` RGB pixels, how many `pictures` are within `tolerance` of `middle` in green.
void cmasks_agreement(
  const uint8_t *const *pictures, int picture_count, const uint8_t *middle, size_t count, int tolerance,
  uint16_t *out);

/// Labels connected regions (four neighbours) of equal truth of `mask`; `labels` receives 0... in order of first pixel;
/// returns their number. `stack` is scratch for width * height numbers.
int cmasks_regions(const uint8_t *mask, int width, int height, int32_t *labels, int32_t *stack);
