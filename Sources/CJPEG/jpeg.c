#include "CJPEG.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

// A picture in so many scans is an attack: each costs a pass over all coefficients (libjpeg-turbo's own advice is 500).
enum { MAX_SCANS = 200 };

struct failure {
  struct jpeg_error_mgr manager;  // first, so that the manager's address is ours
  jmp_buf place;
  struct cjpeg_report *report;
};

static void leave(j_common_ptr info) {
  struct failure *f = (struct failure *)info->err;
  int code = f->manager.msg_code;
  f->report->code = code;
  (*f->manager.format_message)(info, f->report->message);
  f->report->status = code == JERR_OUT_OF_MEMORY ? CJPEG_NO_MEMORY
                      : code == JERR_BAD_PRECISION || code == JERR_CONVERSION_NOTIMPL ||
                              code == JERR_SOF_UNSUPPORTED || code == JERR_ARITH_NOTIMPL
                          ? CJPEG_UNSUPPORTED
                          : CJPEG_INVALID;
  longjmp(f->place, 1);
}

// Warnings about wrong or missing data are damage; those about odd but harmless headers are not.
static int is_damage(int code) {
  switch (code) {
    case JWRN_JPEG_EOF:
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_MUST_RESYNC:
    case JWRN_EXTRANEOUS_DATA:
    case JWRN_ARITH_BAD_CODE:
    case JWRN_BOGUS_PROGRESSION:
      return 1;
    default:
      return 0;
  }
}

static void note(j_common_ptr info, int level) {
  struct failure *f = (struct failure *)info->err;
  if (level >= 0 || f->report->status != CJPEG_OK || !is_damage(f->manager.msg_code)) return;
  f->report->status = CJPEG_DAMAGED;
  f->report->code = f->manager.msg_code;
  (*f->manager.format_message)(info, f->report->message);
}

static void silent(j_common_ptr info) { (void)info; }

static struct jpeg_error_mgr *watch(struct failure *f, struct cjpeg_report *report) {
  memset(report, 0, sizeof *report);
  jpeg_std_error(&f->manager);
  f->manager.error_exit = leave;
  f->manager.emit_message = note;
  f->manager.output_message = silent;
  f->report = report;
  return &f->manager;
}

static void count_scans(j_common_ptr info) {
  if (info->is_decompressor && ((j_decompress_ptr)info)->input_scan_number > MAX_SCANS) {
    struct failure *f = (struct failure *)info->err;
    f->report->status = CJPEG_INVALID;
    snprintf(f->report->message, sizeof f->report->message, "more than %d scans", (int)MAX_SCANS);
    longjmp(f->place, 1);
  }
}

static int open_header(j_decompress_ptr info, const uint8_t *data, size_t size, int denominator, int gray) {
  jpeg_mem_src(info, (unsigned char *)data, size);
  jpeg_read_header(info, TRUE);
  info->scale_num = 1;
  info->scale_denom = (unsigned)denominator;
  if (info->jpeg_color_space == JCS_CMYK || info->jpeg_color_space == JCS_YCCK) return 0;
  info->out_color_space = gray ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_calc_output_dimensions(info);
  return 1;
}

static int refuse_cmyk(struct cjpeg_report *report) {
  report->status = CJPEG_UNSUPPORTED;
  snprintf(report->message, sizeof report->message, "four-colour (CMYK) pictures are not decoded");
  return CJPEG_UNSUPPORTED;
}

int cjpeg_read_header(const uint8_t *data, size_t size, int denominator, struct cjpeg_size *out,
                      struct cjpeg_report *report) {
  struct jpeg_decompress_struct info;
  struct failure failure;
  info.err = watch(&failure, report);
  if (setjmp(failure.place)) {
    jpeg_destroy_decompress(&info);
    return report->status;
  }
  jpeg_create_decompress(&info);
  int known = open_header(&info, data, size, denominator, 0);
  out->width = info.image_width;
  out->height = info.image_height;
  out->scaled_width = info.output_width;
  out->scaled_height = info.output_height;
  out->components = info.num_components;
  jpeg_destroy_decompress(&info);
  return known ? report->status : refuse_cmyk(report);
}

int cjpeg_decode(const uint8_t *data, size_t size, int denominator, int gray, uint8_t *out, size_t out_size,
                 struct cjpeg_report *report) {
  struct jpeg_decompress_struct info;
  struct failure failure;
  struct jpeg_progress_mgr progress;
  info.err = watch(&failure, report);
  if (setjmp(failure.place)) {
    jpeg_destroy_decompress(&info);
    return report->status;
  }
  jpeg_create_decompress(&info);
  memset(&progress, 0, sizeof progress);
  progress.progress_monitor = count_scans;
  info.progress = &progress;
  if (!open_header(&info, data, size, denominator, gray)) {
    jpeg_destroy_decompress(&info);
    return refuse_cmyk(report);
  }
  jpeg_start_decompress(&info);
  size_t row = (size_t)info.output_width * (size_t)info.output_components;
  if (row == 0 || out_size / row != info.output_height || out_size % row != 0) {
    report->status = CJPEG_INVALID;
    snprintf(report->message, sizeof report->message, "the header changed between two readings");
    jpeg_destroy_decompress(&info);
    return report->status;
  }
  while (info.output_scanline < info.output_height) {
    JSAMPROW rows[8];
    JDIMENSION left = info.output_height - info.output_scanline;
    JDIMENSION n = left < 8 ? left : 8;
    for (JDIMENSION i = 0; i < n; i++) rows[i] = out + (size_t)(info.output_scanline + i) * row;
    jpeg_read_scanlines(&info, rows, n);
  }
  jpeg_finish_decompress(&info);
  jpeg_destroy_decompress(&info);
  return report->status;
}

// A growing buffer as the destination. It belongs to the caller of the function that calls setjmp, so that what it
// holds is well defined after a jump.
struct sink {
  struct jpeg_destination_mgr manager;  // first, so that the manager's address is ours
  uint8_t *bytes;
  size_t capacity, count;
};

enum { FIRST_CAPACITY = 1 << 16 };

static void offer(struct sink *s) {
  s->manager.next_output_byte = s->bytes + s->count;
  s->manager.free_in_buffer = s->capacity - s->count;
}

static void sink_open(j_compress_ptr info) { offer((struct sink *)info->dest); }

static boolean sink_grow(j_compress_ptr info) {
  struct sink *s = (struct sink *)info->dest;
  s->count = s->capacity;
  uint8_t *grown = realloc(s->bytes, s->capacity * 2);
  if (!grown) ERREXIT1(info, JERR_OUT_OF_MEMORY, 0);
  s->bytes = grown;
  s->capacity *= 2;
  offer(s);
  return TRUE;
}

static void sink_close(j_compress_ptr info) {
  struct sink *s = (struct sink *)info->dest;
  s->count = s->capacity - s->manager.free_in_buffer;
}

static int encode_into(struct sink *sink, const uint8_t *pixels, uint32_t width, uint32_t height, int components,
                       int quality, int subsample_chroma, struct cjpeg_report *report) {
  struct jpeg_compress_struct info;
  struct failure failure;
  info.err = watch(&failure, report);
  if (setjmp(failure.place)) {
    jpeg_destroy_compress(&info);
    return report->status;
  }
  jpeg_create_compress(&info);
  info.dest = &sink->manager;
  info.image_width = width;
  info.image_height = height;
  info.input_components = components;
  info.in_color_space = components == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, quality, TRUE);
  if (components == 3 && !subsample_chroma) {
    info.comp_info[0].h_samp_factor = 1;
    info.comp_info[0].v_samp_factor = 1;
  }
  jpeg_start_compress(&info, TRUE);
  size_t row = (size_t)width * (size_t)components;
  while (info.next_scanline < height) {
    JSAMPROW rows[8];
    JDIMENSION left = height - info.next_scanline;
    JDIMENSION n = left < 8 ? left : 8;
    for (JDIMENSION i = 0; i < n; i++) rows[i] = (JSAMPROW)(pixels + (size_t)(info.next_scanline + i) * row);
    jpeg_write_scanlines(&info, rows, n);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  return CJPEG_OK;
}

int cjpeg_encode(const uint8_t *pixels, uint32_t width, uint32_t height, int components, int quality,
                 int subsample_chroma, uint8_t **out, size_t *out_size, struct cjpeg_report *report) {
  struct sink sink;
  memset(&sink, 0, sizeof sink);
  sink.manager.init_destination = sink_open;
  sink.manager.empty_output_buffer = sink_grow;
  sink.manager.term_destination = sink_close;
  sink.capacity = FIRST_CAPACITY;
  sink.bytes = malloc(sink.capacity);
  if (!sink.bytes) {
    memset(report, 0, sizeof *report);
    report->status = CJPEG_NO_MEMORY;
    return report->status;
  }
  int status = encode_into(&sink, pixels, width, height, components, quality, subsample_chroma, report);
  if (status != CJPEG_OK) {
    free(sink.bytes);
    return status;
  }
  *out = sink.bytes;
  *out_size = sink.count;
  return CJPEG_OK;
}

void cjpeg_free(uint8_t *bytes) { free(bytes); }
