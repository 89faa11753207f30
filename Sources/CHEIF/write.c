#include <stdlib.h>
#include <string.h>

#include "shared.h"

// A file in the making.
struct draft {
  struct heif_context *context;
  struct heif_encoder *encoder;
  struct heif_encoding_options *options;
  struct heif_image_handle *picture, *thumbnail;
};

static void drop(struct draft *draft) {
  if (draft->thumbnail) heif_image_handle_release(draft->thumbnail);
  if (draft->picture) heif_image_handle_release(draft->picture);
  if (draft->options) heif_encoding_options_free(draft->options);
  if (draft->encoder) heif_encoder_release(draft->encoder);
  if (draft->context) heif_context_free(draft->context);
}

static struct heif_error prepare(struct draft *draft, const struct cheif_recipe *recipe) {
  struct heif_error error =
      heif_context_get_encoder_for_format(draft->context, heif_compression_HEVC, &draft->encoder);
  if (error.code) return error;
  error = heif_encoder_set_lossy_quality(draft->encoder, recipe->quality);
  if (error.code) return error;
  // another encoder than x265 has other parameters, and its own idea of fast
  (void)heif_encoder_set_parameter_string(draft->encoder, "preset", recipe->preset);
  (void)heif_encoder_set_parameter_string(draft->encoder, "chroma", "420");
  draft->options = heif_encoding_options_alloc();
  // a reader that is not told the range of the values takes them for the narrow one of video
  if (draft->options) draft->options->macOS_compatibility_workaround_no_nclx_profile = 0;
  return error;
}

static struct heif_error image_of(const struct cheif_pixels *pixels, struct heif_image **image) {
  int width = (int)pixels->width, height = (int)pixels->height;
  struct heif_error error =
      heif_image_create(width, height, heif_colorspace_RGB, heif_chroma_interleaved_RGB, image);
  if (error.code) return error;
  error = heif_image_add_plane(*image, heif_channel_interleaved, width, height, 8);
  if (error.code) return error;
  int stride = 0;
  uint8_t *rows = heif_image_get_plane(*image, heif_channel_interleaved, &stride);
  size_t row = (size_t)width * 3;
  for (size_t y = 0; y < pixels->height; y++) memcpy(rows + y * (size_t)stride, pixels->rgb + y * row, row);
  return error;
}

static struct heif_error add(struct draft *draft, const struct cheif_pixels *pixels,
                             struct heif_image_handle **handle) {
  struct heif_image *image = NULL;
  struct heif_error error = image_of(pixels, &image);
  if (!error.code) {
    error = heif_context_encode_image(draft->context, image, draft->encoder, draft->options, handle);
  }
  if (image) heif_image_release(image);
  return error;
}

static struct heif_error compose(struct draft *draft, const struct cheif_pixels *picture,
                                 const struct cheif_pixels *thumbnail, const struct cheif_recipe *recipe) {
  struct heif_error error = prepare(draft, recipe);
  if (!error.code) error = add(draft, picture, &draft->picture);
  if (!error.code) error = heif_context_set_primary_image(draft->context, draft->picture);
  if (!error.code && thumbnail) error = add(draft, thumbnail, &draft->thumbnail);
  if (!error.code && thumbnail) {
    // its header calls the first of them the large one; every libheif from 1.15 to 1.20 writes it the other way round
    error = heif_context_assign_thumbnail(draft->context, draft->thumbnail, draft->picture);
  }
  if (!error.code && recipe->exif) {
    error = heif_context_add_exif_metadata(draft->context, draft->picture, recipe->exif, (int)recipe->exif_size);
  }
  return error;
}

// The file's bytes as they come.
struct sink {
  uint8_t *bytes;
  size_t size;
};

static struct heif_error take(struct heif_context *context, const void *data, size_t size, void *user) {
  (void)context;
  struct sink *sink = user;
  struct heif_error error = {heif_error_Ok, heif_suberror_Unspecified, "written"};
  uint8_t *grown = realloc(sink->bytes, sink->size + size + 1);
  if (!grown) {
    error.code = heif_error_Memory_allocation_error;
    error.message = "no memory for the file";
    return error;
  }
  memcpy(grown + sink->size, data, size);
  sink->bytes = grown;
  sink->size += size;
  return error;
}

int cheif_encode(const struct cheif_pixels *picture, const struct cheif_pixels *thumbnail,
                 const struct cheif_recipe *recipe, uint8_t **out, size_t *out_size, struct cheif_report *report) {
  struct draft draft;
  struct sink sink = {NULL, 0};
  memset(&draft, 0, sizeof draft);
  cheif_clear(report);
  if (!cheif_can_encode()) return cheif_tell(report, CHEIF_NO_CODEC, "libheif has no HEVC encoder here");
  draft.context = heif_context_alloc();
  if (!draft.context) return cheif_tell(report, CHEIF_NO_MEMORY, "no memory for writing");
  struct heif_error error = compose(&draft, picture, thumbnail, recipe);
  if (!error.code) {
    struct heif_writer writer = {1, take};
    error = heif_context_write(draft.context, &writer, &sink);
  }
  if (error.code) cheif_tell(report, cheif_status_of(error, CHEIF_FAILED), error.message);
  drop(&draft);
  if (report->status != CHEIF_OK) {
    free(sink.bytes);
    return report->status;
  }
  *out = sink.bytes;
  *out_size = sink.size;
  return CHEIF_OK;
}
