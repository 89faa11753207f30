// Bundle adjustment through Ceres (B. Triggs et al., "Bundle Adjustment - A Modern Synthesis", 1999). Nothing of the
// library shows here, and no C++ exception leaves. Results do not depend on the number of processors: one thread is used.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A rigid motion: rows of the rotation, then the translation, and how far it may move.
typedef struct {
  double rotation[9];
  double translation[3];
  /// Standard deviations of the belief in it: radians, and units of length. 0: it does not move.
  double rotation_sigma, translation_sigma;
  /// Standard deviation of the belief in the translation's length; 0: none.
  double length_sigma;
} csolver_pose;

/// A pinhole, with standard deviations of the belief in it. 0: it does not move.
typedef struct {
  double fx, fy, cx, cy;
  /// Relative, of both focal lengths alike; pixels.
  double focal_sigma, centre_sigma;
} csolver_lens;

/// A correction of the turntable's angle, in radians.
typedef struct {
  double angle;
  double sigma;
} csolver_turn;

/// A picture: camera = side * head * turn about +y (angle + correction) * object. Indices; -1 where there is none.
typedef struct {
  int32_t lens, side, head, turn, object;
  double angle;
} csolver_view;

/// A point. One on the table is not carried along by `object`, and its y is believed to be 0 within `height_sigma`.
typedef struct {
  double position[3];
  /// 0: no belief.
  double height_sigma;
  int32_t on_table;
} csolver_point;

/// Where a picture shows a point, in pixels.
typedef struct {
  int32_t view, point;
  double x, y;
} csolver_observation;

/// All of one adjustment. Poses, lenses, turns and points are changed in place.
typedef struct {
  csolver_pose *poses;
  size_t pose_count;
  csolver_lens *lenses;
  size_t lens_count;
  csolver_turn *turns;
  size_t turn_count;
  csolver_point *points;
  size_t point_count;
  const csolver_view *views;
  size_t view_count;
  const csolver_observation *observations;
  size_t observation_count;
  /// Residuals beyond so many pixels count less and less (Cauchy's loss).
  double loss_scale;
  /// Rounds at most.
  int max_iterations;
} csolver_bundle;

/// Asked between rounds: true to give up.
typedef int (*csolver_should_stop)(void *context);

/// Adjusts. Returns 0 when it ended with a usable result, 1 when asked to stop (nothing is changed), 2 when it failed (nothing
/// is changed; `message` says why), 3 when memory ran out (nothing is changed). Indices out of range are a failure.
int csolver_adjust(
  csolver_bundle *bundle, csolver_should_stop should_stop, void *context, char *message, size_t capacity);

#ifdef __cplusplus
}
#endif
