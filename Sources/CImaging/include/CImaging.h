// Inner loops over pixels, in plain C that compilers vectorise on x86-64 and arm64 alike. Rows are `width * channels` long
// and follow each other without padding. No function takes memory; the caller hands in what is needed. Sizes are the
// caller's to check. The same formulas in plain Swift are in the tests.
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Rounded means of 2×2; the target has width/2 × height/2 pixels.
void cimaging_halve(const uint8_t *source, int width, int height, int channels, uint8_t *target);
void cimaging_halve16(const uint16_t *source, int width, int height, uint16_t *target);

// One output pixel of a separable filter: weights[first_weight ... + count) apply to source pixels [start ... + count).
struct cimaging_taps {
  int32_t start, count, first_weight;
};

// Rows [first_row, last_row) of the target. `row` holds width * channels floats.
void cimaging_resample(const uint8_t *source, int width, int channels, const struct cimaging_taps *columns,
                       const float *column_weights, int target_width, const struct cimaging_taps *rows,
                       const float *row_weights, int first_row, int last_row, float *row, uint8_t *target);

// Where an output pixel comes from: the offset of the upper left of four source pixels (-1: nowhere), and the fractions
// towards the right and lower ones in 1/256.
struct cimaging_place {
  int32_t offset;
  uint16_t x, y;
};

// Bilinear look-up of `count` places; `right` and `below` are the steps in pixels to the neighbours (0 in a picture one
// pixel wide or high).
void cimaging_remap(const uint8_t *source, int channels, int right, int below, const struct cimaging_place *places,
                    size_t count, uint8_t fill, uint8_t *target);

// Convolves each row of `count` interleaved pixels with a symmetric kernel of `radius` + 1 weights, edges repeated.
// `padded` holds (width + 2 * radius) * channels floats.
void cimaging_blur_row(const float *source, int width, int channels, const float *kernel, int radius, float *padded,
                       float *target);
// target = sum of kernel[|i|] * rows[radius + i]
void cimaging_blur_column(const float *const *rows, int count, const float *kernel, int radius, float *target);
void cimaging_widen(const uint8_t *source, size_t count, float *target);
// Rounds and clamps to 0...255.
void cimaging_narrow(const float *source, size_t count, uint8_t *target);

// Sums over all pixels above and to the left: (width + 1) × (height + 1) entries, the first row and column zero.
void cimaging_integral(const uint8_t *source, int width, int height, uint32_t *sums);

// Sums of squared Sobel gradients (x and y) of the pixels of one row that has a neighbour on every side.
// upper, here and lower point at the first pixel; there are `count` of them with one more on each side.
uint64_t cimaging_sobel_energy(const uint8_t *upper, const uint8_t *here, const uint8_t *lower, int count);
// Sum of |N * I| with J. Immerkær's mask N = (1 -2 1; -2 4 -2; 1 -2 1), as above.
uint32_t cimaging_noise_sum(const uint8_t *upper, const uint8_t *here, const uint8_t *lower, int count);
// Counts the values of `count` pixels; with a mask only those where it is not zero.
void cimaging_histogram(const uint8_t *source, const uint8_t *mask, size_t count, uint32_t counts[256]);
// Counts a - b + 255.
void cimaging_difference_histogram(const uint8_t *a, const uint8_t *b, size_t count, uint32_t counts[511]);

#ifdef __cplusplus
}
#endif
