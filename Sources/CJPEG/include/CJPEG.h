// A C face over libjpeg(-turbo) in which no error leaves by longjmp: every call returns a status and fills a report.
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum cjpeg_status {
  CJPEG_OK = 0,
  CJPEG_DAMAGED = 1,      // decoded to the end, but data were missing or wrong
  CJPEG_INVALID = 2,      // not a JPEG, or broken beyond decoding
  CJPEG_UNSUPPORTED = 3,  // a JPEG of a kind we do not decode (CMYK, 12 bit)
  CJPEG_NO_MEMORY = 4
};

struct cjpeg_report {
  int status;
  int code;            // libjpeg's message code
  char message[200];   // libjpeg's message (JMSG_LENGTH_MAX)
};

struct cjpeg_size {
  uint32_t width, height;                // as stored
  uint32_t scaled_width, scaled_height;  // as decoded with the given denominator
  int components;                        // 1 gray, 3 colour
};

// Reads the header only. `denominator` is 1, 2, 4 or 8.
int cjpeg_read_header(const uint8_t *data, size_t size, int denominator, struct cjpeg_size *out,
                      struct cjpeg_report *report);

// Decodes to `out`, which holds scaled_width * scaled_height * (gray ? 1 : 3) bytes = `out_size`.
// CJPEG_DAMAGED leaves a complete picture in `out`, with gray or smeared areas where data were bad.
int cjpeg_decode(const uint8_t *data, size_t size, int denominator, int gray, uint8_t *out, size_t out_size,
                 struct cjpeg_report *report);

// Encodes width x height pixels of `components` (1 or 3) bytes. On CJPEG_OK `*out` is the caller's to free with cjpeg_free.
int cjpeg_encode(const uint8_t *pixels, uint32_t width, uint32_t height, int components, int quality,
                 int subsample_chroma, uint8_t **out, size_t *out_size, struct cjpeg_report *report);

void cjpeg_free(uint8_t *bytes);

#ifdef __cplusplus
}
#endif
