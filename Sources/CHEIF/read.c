#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shared.h"

// A file opened for reading and its primary picture.
struct source {
  struct heif_context *context;
  struct heif_image_handle *picture;
};

static void close_source(struct source *source) {
  if (source->picture) heif_image_handle_release(source->picture);
  if (source->context) heif_context_free(source->context);
}

// From 1.19 on libheif keeps to a budget of pixels by itself, for every tile and thumbnail as well.
static void limit(struct heif_context *context, uint64_t max_pixels) {
#if LIBHEIF_NUMERIC_VERSION >= ((1 << 24) | (19 << 16))
  struct heif_security_limits *limits = heif_context_get_security_limits(context);
  if (limits && max_pixels < limits->max_image_size_pixels) limits->max_image_size_pixels = max_pixels;
#else
  (void)context;
  (void)max_pixels;
#endif
}

static int check_size(int64_t width, int64_t height, uint64_t max_pixels, struct cheif_report *report) {
  char text[120];
  if (width <= 0 || height <= 0) {
    snprintf(text, sizeof text, "a picture of %lld x %lld pixels", (long long)width, (long long)height);
    return cheif_tell(report, CHEIF_INVALID, text);
  }
  if ((uint64_t)width > max_pixels / (uint64_t)height) {
    snprintf(text, sizeof text, "%lld x %lld pixels where at most %llu are allowed", (long long)width,
             (long long)height, (unsigned long long)max_pixels);
    return cheif_tell(report, CHEIF_TOO_LARGE, text);
  }
  return CHEIF_OK;
}

static int open_source(struct source *source, const uint8_t *data, size_t size, uint64_t max_pixels,
                       struct cheif_report *report) {
  memset(source, 0, sizeof *source);
  cheif_clear(report);
  cheif_begin();
  source->context = heif_context_alloc();
  if (!source->context) return cheif_tell(report, CHEIF_NO_MEMORY, "no memory for reading");
  limit(source->context, max_pixels);
  struct heif_error error = heif_context_read_from_memory_without_copy(source->context, data, size, NULL);
  if (error.code) return cheif_tell(report, cheif_status_of(error, CHEIF_INVALID), error.message);
  error = heif_context_get_primary_image_handle(source->context, &source->picture);
  if (error.code) return cheif_tell(report, cheif_status_of(error, CHEIF_INVALID), error.message);
  // before cropping and after it: what is decoded is the former
  int status = check_size(heif_image_handle_get_ispe_width(source->picture),
                          heif_image_handle_get_ispe_height(source->picture), max_pixels, report);
  if (status != CHEIF_OK) return status;
  return check_size(heif_image_handle_get_width(source->picture), heif_image_handle_get_height(source->picture),
                    max_pixels, report);
}

int cheif_read_header(const uint8_t *data, size_t size, uint64_t max_pixels, struct cheif_size *out,
                      struct cheif_report *report) {
  struct source source;
  int status = open_source(&source, data, size, max_pixels, report);
  if (status == CHEIF_OK) {
    out->width = (uint32_t)heif_image_handle_get_width(source.picture);
    out->height = (uint32_t)heif_image_handle_get_height(source.picture);
    out->has_colour = heif_image_handle_get_chroma_bits_per_pixel(source.picture) > 0;
  }
  close_source(&source);
  return status;
}

// Copies the decoded rows; a decoder that gives another size than the header has nothing that could be used.
static int copy_rows(const struct heif_image *image, uint32_t width, uint32_t height, uint8_t *out,
                     struct cheif_report *report) {
  int stride = 0;
  const uint8_t *rows = heif_image_get_plane_readonly(image, heif_channel_interleaved, &stride);
  int has_size = heif_image_get_width(image, heif_channel_interleaved) == (int)width &&
                 heif_image_get_height(image, heif_channel_interleaved) == (int)height;
  size_t row = (size_t)width * 3;
  if (!rows || !has_size || stride < 0 || (size_t)stride < row) {
    return cheif_tell(report, CHEIF_DAMAGED, "the coded picture has not the size that the file says");
  }
  for (size_t y = 0; y < height; y++) memcpy(out + y * row, rows + y * (size_t)stride, row);
  return CHEIF_OK;
}

// What the decoder put up with: a picture of it would be wrong somewhere.
static int check_warnings(struct heif_image *image, struct cheif_report *report) {
  struct heif_error warning;
  if (heif_image_get_decoding_warnings(image, 0, &warning, 1) < 1) return CHEIF_OK;
  return cheif_tell(report, CHEIF_DAMAGED, warning.message);
}

int cheif_decode(const uint8_t *data, size_t size, uint64_t max_pixels, uint32_t width, uint32_t height, uint8_t *out,
                 struct cheif_report *report) {
  struct source source;
  struct heif_image *image = NULL;
  int status = open_source(&source, data, size, max_pixels, report);
  if (status == CHEIF_OK && !cheif_can_decode()) {
    status = cheif_tell(report, CHEIF_NO_CODEC, "libheif has no HEVC decoder here");
  }
  if (status == CHEIF_OK) {
    struct heif_decoding_options *options = heif_decoding_options_alloc();
    if (options) {
      options->convert_hdr_to_8bit = 1;
      options->strict_decoding = 1;
    }
    struct heif_error error = heif_decode_image(source.picture, &image, heif_colorspace_RGB,
                                                heif_chroma_interleaved_RGB, options);
    if (options) heif_decoding_options_free(options);
    if (error.code) status = cheif_tell(report, cheif_status_of(error, CHEIF_DAMAGED), error.message);
  }
  if (status == CHEIF_OK) status = check_warnings(image, report);
  if (status == CHEIF_OK) status = copy_rows(image, width, height, out, report);
  if (image) heif_image_release(image);
  close_source(&source);
  return status;
}

// An EXIF item begins with the distance to its TIFF header (ISO/IEC 23008-12, annex A.2.1).
static int take_tiff(const struct source *source, heif_item_id item, uint8_t **out, size_t *out_size,
                     struct cheif_report *report) {
  enum { LONGEST = 1 << 20 };
  size_t size = heif_image_handle_get_metadata_size(source->picture, item);
  if (size < 4 || size > LONGEST) return CHEIF_OK;
  uint8_t *bytes = malloc(size);
  if (!bytes) return cheif_tell(report, CHEIF_NO_MEMORY, "no memory for the EXIF");
  struct heif_error error = heif_image_handle_get_metadata(source->picture, item, bytes);
  uint64_t skip = 4 + ((uint64_t)bytes[0] << 24 | (uint64_t)bytes[1] << 16 | (uint64_t)bytes[2] << 8 | bytes[3]);
  if (error.code || skip >= size) {
    free(bytes);
    return CHEIF_OK;
  }
  memmove(bytes, bytes + skip, size - (size_t)skip);
  *out = bytes;
  *out_size = size - (size_t)skip;
  return CHEIF_OK;
}

int cheif_exif(const uint8_t *data, size_t size, uint64_t max_pixels, uint8_t **out, size_t *out_size,
               struct cheif_report *report) {
  struct source source;
  *out = NULL;
  *out_size = 0;
  int status = open_source(&source, data, size, max_pixels, report);
  heif_item_id item = 0;
  if (status == CHEIF_OK && heif_image_handle_get_list_of_metadata_block_IDs(source.picture, "Exif", &item, 1) == 1) {
    status = take_tiff(&source, item, out, out_size, report);
  }
  close_source(&source);
  return status;
}
