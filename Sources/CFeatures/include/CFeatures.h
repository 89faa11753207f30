#pragma once
#include <stddef.h>
#include <stdint.h>

/// Blobs of a picture and their descriptors, and matching of descriptors. Buffers belong to the caller unless said otherwise.

#define CFEATURES_DESCRIPTOR 128

/// One feature: an extremum of the difference of Gaussians (D. Lowe, "Distinctive Image Features from Scale-Invariant
/// Keypoints", IJCV 2004) with its gradient histograms, whose squares sum up to about 512 * 512 (root of the L1-normalised
/// histogram: R. Arandjelovic and A. Zisserman, "Three things everyone should know", CVPR 2012).
typedef struct {
  /// Place in pixels (centres at whole numbers), size in pixels (sigma), orientation in radians.
  float x, y, sigma, angle;
  /// Strength: the absolute difference of Gaussians, of 1.
  float response;
  uint8_t descriptor[CFEATURES_DESCRIPTOR];
} cfeatures_feature;

/// Finds at most `capacity` features in a grey picture, the strongest of each of `cells` x `cells` parts of it first.
/// `luminance` is 0...65535. Where `mask` is not NULL, only places where it is not 0 count. `threshold` is the least response.
/// Features come ordered by row, then column. Returns their number, or -1 without memory.
int cfeatures_detect(
  const uint16_t *luminance, const uint8_t *mask, int width, int height, float threshold, int cells,
  cfeatures_feature *features, int capacity);

/// What is known about two views: pixels there = project(rotation * ray here * depth + translation).
typedef struct {
  /// Pinholes here and there: fx fy cx cy.
  double here[4], there[4];
  double rotation[9], translation[3];
  /// Half the width of the band around the epipolar segment, in pixels there.
  double band;
} cfeatures_guide;

/// For each feature here the best one there within the band of its epipolar segment between depths `nearest[i]` and
/// `farthest[i]`: `best[i]` is its index or -1. Accepted are squared distances of at most `limit` that are at most
/// `ratio` squared of the second best (of a different place). A feature with `farthest[i]` <= 0 is left out.
/// Returns 0, or -1 without memory.
int cfeatures_match_guided(
  const cfeatures_feature *here, const float *nearest, const float *farthest, int count_here,
  const cfeatures_feature *there, int count_there, int width_there, int height_there, const cfeatures_guide *guide,
  int limit, float ratio, int32_t *best, int32_t *distance);

/// For each of `count_here` descriptors the `k` (at most 4) nearest there: `best` and `distance` have count_here * k places,
/// nearest first, -1 where there are fewer.
void cfeatures_match_all(
  const uint8_t *here, int count_here, const uint8_t *there, int count_there, int k, int32_t *best, int32_t *distance);

/// Refines places `xy` (pairs, pixels) there that correspond to the same places here: the patch of (2 * radius + 1)^2
/// pixels around (`from`) is warped by the 2x2 matrix `warp` (there = warp * here, row by row) and aligned by inverse
/// compositional Gauss-Newton with gain and offset (S. Baker and I. Matthews, "Lucas-Kanade 20 Years On", IJCV 2004).
/// `ok[i]` is 1 where it converged within `reach` pixels with a normalised correlation of at least `least`.
void cfeatures_align(
  const uint16_t *here, int width_here, int height_here, const uint16_t *there, int width_there, int height_there,
  int count, const float *from, const float *warp, int radius, float reach, float least, float *xy, uint8_t *ok);
