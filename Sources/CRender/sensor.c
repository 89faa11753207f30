// From radiance to bytes: vignetting, exposure, shot and read noise, clipping, white balance, the sRGB curve, and the
// blur of what is out of focus.
#include "internal.h"

enum { curve_size = 16384, normal_size = 8192 };
static uint8_t curve[curve_size + 1];
static float normals[normal_size];

// The inverse of the normal distribution (P. J. Acklam's rational approximation, relative error 1.2e-9).
static double quantile(double p) {
  static const double a[] = {-39.69683028665376, 220.9460984245205, -275.9285104469687, 138.3577518672690,
                             -30.66479806614716, 2.506628277459239};
  static const double b[] = {-54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972,
                             -13.28068155288572};
  static const double c[] = {-0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734,
                             4.374664141464968, 2.938163982698783};
  static const double d[] = {0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416};
  if (p < 0.02425 || p > 1 - 0.02425) {
    const double q = sqrt(-2 * log(p < 0.5 ? p : 1 - p));
    const double x = (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
                     ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
    return p < 0.5 ? x : -x;
  }
  const double q = p - 0.5, r = q * q;
  return (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
         (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
}

__attribute__((constructor)) static void fill_tables(void) {
  for (int i = 0; i <= curve_size; i++) {
    curve[i] = (uint8_t)lrintf(255 * cr_linear_to_srgb((float)i / curve_size));
  }
  double sum = 0;
  for (int i = 0; i < normal_size; i++) {
    const double x = quantile((i + 0.5) / normal_size);
    normals[i] = (float)x;
    sum += x * x;
  }
  const float scale = (float)(1 / sqrt(sum / normal_size));
  for (int i = 0; i < normal_size; i++) normals[i] *= scale;
}

void cr_sensor_rows(const float *linear, int width, int height, int y0, int y1, const cr_sensor *s, uint8_t *rgb) {
  const float mx = (float)(width - 1) / 2, my = (float)(height - 1) / 2;
  const float fall = s->vignetting / (mx * mx + my * my + 1e-9f);
  for (int y = y0; y < y1; y++) {
    uint64_t state = hash64(s->seed ^ hash64((uint64_t)y + 1)) | 1;
    const float *in = linear + 3 * (size_t)y * (size_t)width;
    uint8_t *out = rgb + 3 * (size_t)y * (size_t)width;
    for (int x = 0; x < width; x++) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      const float dx = (float)x - mx, dy = (float)y - my, gain = 1 - fall * (dx * dx + dy * dy);
      for (int c = 0; c < 3; c++) {
        const float signal = in[3 * x + c] * s->scale[c] * gain;
        const float noise = normals[(state >> (13 * c + 20)) & (normal_size - 1)];
        const float raw = fminf(signal + noise * sqrtf(s->shot * signal + s->read), 1);
        const float balanced = clampf(raw * s->balance[c], 0, 1);
        out[3 * x + c] = curve[(int)(balanced * curve_size + 0.5f)];
      }
    }
  }
}

void cr_sensor_meter(const float *linear, int width, int height, float mean[3]) {
  double sum[3] = {0, 0, 0};
  size_t n = 0;
  for (int y = height / 8; y < height - height / 8; y += 2) {
    for (int x = width / 8; x < width - width / 8; x += 2, n++) {
      for (int c = 0; c < 3; c++) sum[c] += (double)linear[3 * ((size_t)y * (size_t)width + (size_t)x) + (size_t)c];
    }
  }
  for (int c = 0; c < 3; c++) mean[c] = n ? (float)(sum[c] / (double)n) : 0;
}

void cr_defocus_rows(const float *in, const float *depth, float *out, int width, int height, int y0, int y1, int pass,
                     float strength, float focus) {
  for (int y = y0; y < y1; y++) {
    for (int x = 0; x < width; x++) {
      const size_t here = (size_t)y * (size_t)width + (size_t)x;
      const float z = depth[here];
      const float radius = z > 0 ? fminf(strength * fabsf(1 / focus - 1 / z), 24) : 0;
      float sum[3] = {0, 0, 0}, total = 0;
      const int reach = (int)ceilf(radius);
      for (int d = -reach; d <= reach; d++) {
        const int px = pass == 0 ? clampi(x + d, 0, width - 1) : x, py = pass == 0 ? y : clampi(y + d, 0, height - 1);
        const float t = (float)d / (radius + 0.5f), w = fmaxf(0, 1 - t * t);
        const float *p = in + 3 * ((size_t)py * (size_t)width + (size_t)px);
        sum[0] += w * p[0];
        sum[1] += w * p[1];
        sum[2] += w * p[2];
        total += w;
      }
      for (int c = 0; c < 3; c++) out[3 * here + (size_t)c] = sum[c] / total;
    }
  }
}
