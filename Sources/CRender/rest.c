// How a body comes to rest on a table: the centroid's height over a plane under the body, as a function of which
// direction points down, has a local minimum at every face of the convex hull on which the body stands. Tipping follows
// the steepest descent of that function exactly, from corner to edge to face, without building the hull.
#include "internal.h"

enum { most_contacts = 64 };

typedef struct {
  const float *points;
  uint32_t count;
  double centroid[3];
} body;

static double along(const body *b, uint32_t i, const double d[3]) {
  const float *p = b->points + 3 * (size_t)i;
  return d[0] * ((double)p[0] - b->centroid[0]) + d[1] * ((double)p[1] - b->centroid[1]) +
         d[2] * ((double)p[2] - b->centroid[2]);
}

static double height(const body *b, const double d[3]) {
  double best = -INFINITY;
  for (uint32_t i = 0; i < b->count; i++) best = fmax(best, along(b, i, d));
  return best;
}

// Two unit vectors that make a right angle with `d` and each other.
static void across(const double d[3], double u[3], double v[3]) {
  const double h[3] = {fabs(d[0]) < 0.6, fabs(d[0]) >= 0.6, 0};
  u[0] = d[1] * h[2] - d[2] * h[1];
  u[1] = d[2] * h[0] - d[0] * h[2];
  u[2] = d[0] * h[1] - d[1] * h[0];
  const double l = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  for (int i = 0; i < 3; i++) u[i] /= l;
  v[0] = d[1] * u[2] - d[2] * u[1];
  v[1] = d[2] * u[0] - d[0] * u[2];
  v[2] = d[0] * u[1] - d[1] * u[0];
}

static void turn(double d[3], const double way[3], double angle) {
  double l = 0;
  for (int i = 0; i < 3; i++) {
    d[i] = cos(angle) * d[i] + sin(angle) * way[i];
    l += d[i] * d[i];
  }
  for (int i = 0; i < 3; i++) d[i] /= sqrt(l);
}

// The point of the convex hull of `n` points of the plane that is nearest to the origin; (0, 0) if that is inside.
static void nearest(const double (*p)[2], int n, double out[2]) {
  double best = INFINITY;
  for (int i = 0; i < n; i++) {
    for (int j = i; j < n; j++) {
      const double ex = p[j][0] - p[i][0], ey = p[j][1] - p[i][1], l2 = ex * ex + ey * ey;
      double t = l2 > 0 ? -(p[i][0] * ex + p[i][1] * ey) / l2 : 0;
      t = fmin(1, fmax(0, t));
      const double x = p[i][0] + t * ex, y = p[i][1] + t * ey;
      if (x * x + y * y < best) {
        best = x * x + y * y;
        out[0] = x;
        out[1] = y;
      }
    }
  }
  // inside, unless all points lie on one side of the line through the origin that is square to the nearest one
  for (int i = 0; i < n; i++) {
    if (p[i][0] * out[0] + p[i][1] * out[1] < 0.5 * best) {
      for (int j = 0; j < n; j++) {
        for (int k = 0; k < n; k++) {
          const double a = p[i][0] * p[j][1] - p[i][1] * p[j][0], b = p[j][0] * p[k][1] - p[j][1] * p[k][0];
          const double c = p[k][0] * p[i][1] - p[k][1] * p[i][0];
          if (a > 0 && b > 0 && c > 0) {
            out[0] = out[1] = 0;
            return;
          }
        }
      }
    }
  }
}

double cr_rest(const float *points, uint32_t count, const double centroid[3], double down[3]) {
  body b = {points, count, {centroid[0], centroid[1], centroid[2]}};
  for (int step = 0; step < 400; step++) {
    const double h = height(&b, down), touching = 1e-7 * h + 1e-9;
    double u[3], v[3], contacts[most_contacts][2];
    across(down, u, v);
    int n = 0;
    for (uint32_t i = 0; i < count && n < most_contacts; i++) {
      if (along(&b, i, down) < h - touching) continue;
      contacts[n][0] = along(&b, i, u);
      contacts[n][1] = along(&b, i, v);
      n++;
    }
    double foot[2];
    nearest(contacts, n, foot);
    const double lever = hypot(foot[0], foot[1]);
    if (lever < 1e-6 * h) break;  // the centroid is above what it stands on
    // tip about the foot until the next point touches
    double way[3], least = 1.2;
    for (int k = 0; k < 3; k++) way[k] = -(foot[0] * u[k] + foot[1] * v[k]) / lever;
    for (uint32_t i = 0; i < count; i++) {
      const double gap = h - along(&b, i, down), speed = along(&b, i, way) + lever;
      if (gap > touching && speed > 0) least = fmin(least, atan2(gap, speed));
    }
    turn(down, way, least);
  }
  const double rest = height(&b, down);
  double u[3], v[3], barrier = INFINITY;
  across(down, u, v);
  for (int k = 0; k < 24; k++) {
    const double a = k * 0.2617993877991494;
    double way[3], tilted[3] = {down[0], down[1], down[2]};
    for (int i = 0; i < 3; i++) way[i] = cos(a) * u[i] + sin(a) * v[i];
    turn(tilted, way, 0.15);
    barrier = fmin(barrier, height(&b, tilted) - rest);
  }
  return barrier;
}
