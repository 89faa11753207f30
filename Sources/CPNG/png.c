#include "CPNG.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

enum { MAX_ANCILLARY_BYTES = 8 << 20 };

struct source {
  const uint8_t *next;
  size_t left;
};

struct sink {
  uint8_t *bytes;
  size_t count, capacity;
};

static void leave(png_structp png, png_const_charp message) {
  struct cpng_report *report = png_get_error_ptr(png);
  report->status = CPNG_INVALID;
  strncpy(report->message, message, sizeof report->message - 1);
  png_longjmp(png, 1);
}

static void ignore(png_structp png, png_const_charp message) {
  (void)png;
  (void)message;
}

static void take(png_structp png, png_bytep out, size_t n) {
  struct source *s = png_get_io_ptr(png);
  if (n > s->left) png_error(png, "the data end early");
  memcpy(out, s->next, n);
  s->next += n;
  s->left -= n;
}

static void put(png_structp png, png_bytep bytes, size_t n) {
  struct sink *s = png_get_io_ptr(png);
  if (n > s->capacity - s->count) {
    size_t wanted = s->capacity * 2 > s->count + n ? s->capacity * 2 : s->count + n;
    uint8_t *grown = realloc(s->bytes, wanted);
    if (!grown) png_error(png, "out of memory");
    s->bytes = grown;
    s->capacity = wanted;
  }
  memcpy(s->bytes + s->count, bytes, n);
  s->count += n;
}

static void flush(png_structp png) { (void)png; }

static int no_memory(struct cpng_report *report) {
  report->status = CPNG_NO_MEMORY;
  strcpy(report->message, "out of memory");
  return report->status;
}

static void start_reading(png_structp png, png_infop info, struct source *source) {
  png_set_read_fn(png, source, take);
  png_set_user_limits(png, 0x7fffffff, 0x7fffffff);  // the caller checks the size in the header
  png_set_chunk_malloc_max(png, MAX_ANCILLARY_BYTES);
  png_set_chunk_cache_max(png, 64);
  png_read_info(png, info);
}

int cpng_read_header(const uint8_t *data, size_t size, struct cpng_size *out, struct cpng_report *report) {
  struct source source = {data, size};
  memset(report, 0, sizeof *report);
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, report, leave, ignore);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  if (!info) {
    png_destroy_read_struct(&png, NULL, NULL);
    return no_memory(report);
  }
  if (setjmp(png_jmpbuf(png))) {
    png_destroy_read_struct(&png, &info, NULL);
    return report->status;
  }
  start_reading(png, info, &source);
  out->width = png_get_image_width(png, info);
  out->height = png_get_image_height(png, info);
  out->depth = png_get_bit_depth(png, info);
  out->channels = png_get_color_type(png, info) & PNG_COLOR_MASK_COLOR ? 3 : 1;
  png_destroy_read_struct(&png, &info, NULL);
  return CPNG_OK;
}

int cpng_decode(const uint8_t *data, size_t size, int channels, uint8_t *out, size_t out_size,
                struct cpng_report *report) {
  struct source source = {data, size};
  memset(report, 0, sizeof *report);
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, report, leave, ignore);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  if (!info) {
    png_destroy_read_struct(&png, NULL, NULL);
    return no_memory(report);
  }
  if (setjmp(png_jmpbuf(png))) {
    png_destroy_read_struct(&png, &info, NULL);
    return report->status;
  }
  start_reading(png, info, &source);
  png_set_scale_16(png);
  png_set_expand(png);
  png_set_strip_alpha(png);
  if (channels == 3) png_set_gray_to_rgb(png);
  int passes = png_set_interlace_handling(png);
  png_read_update_info(png, info);
  size_t row = png_get_rowbytes(png, info);
  uint32_t height = png_get_image_height(png, info);
  if (row != (size_t)png_get_image_width(png, info) * (size_t)channels || out_size / row != height ||
      out_size % row != 0)
    png_error(png, "the header does not agree with the pixels");
  for (int pass = 0; pass < passes; pass++)
    for (uint32_t y = 0; y < height; y++) png_read_row(png, out + (size_t)y * row, NULL);
  png_read_end(png, NULL);
  png_destroy_read_struct(&png, &info, NULL);
  return CPNG_OK;
}

// The sink belongs to the caller, so that what it holds is well defined after a jump.
static int encode_into(struct sink *sink, const uint8_t *pixels, uint32_t width, uint32_t height, int channels,
                       int level, struct cpng_report *report) {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, report, leave, ignore);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  if (!info) {
    png_destroy_write_struct(&png, NULL);
    return no_memory(report);
  }
  if (setjmp(png_jmpbuf(png))) {
    png_destroy_write_struct(&png, &info);
    return report->status;
  }
  png_set_write_fn(png, sink, put, flush);
  png_set_user_limits(png, 0x7fffffff, 0x7fffffff);
  png_set_IHDR(png, info, width, height, 8, channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_compression_level(png, level);
  png_write_info(png, info);
  for (uint32_t y = 0; y < height; y++) png_write_row(png, pixels + (size_t)y * width * (size_t)channels);
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return CPNG_OK;
}

int cpng_encode(const uint8_t *pixels, uint32_t width, uint32_t height, int channels, int level, uint8_t **out,
                size_t *out_size, struct cpng_report *report) {
  struct sink sink = {NULL, 0, (size_t)width * height * (size_t)channels / 2 + 1024};
  memset(report, 0, sizeof *report);
  sink.bytes = malloc(sink.capacity);
  if (!sink.bytes) return no_memory(report);
  int status = encode_into(&sink, pixels, width, height, channels, level, report);
  if (status != CPNG_OK) {
    free(sink.bytes);
    return status;
  }
  *out = sink.bytes;
  *out_size = sink.count;
  return CPNG_OK;
}

void cpng_free(uint8_t *bytes) { free(bytes); }
