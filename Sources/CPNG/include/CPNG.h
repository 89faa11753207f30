// A C face over libpng in which no error leaves by longjmp: every call returns a status and a message.
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum cpng_status { CPNG_OK = 0, CPNG_INVALID = 2, CPNG_NO_MEMORY = 4 };

struct cpng_report {
  int status;
  char message[200];
};

struct cpng_size {
  uint32_t width, height;
  int channels;  // 1 gray, 3 colour, alpha not counted
  int depth;     // bits a channel in the file
};

int cpng_read_header(const uint8_t *data, size_t size, struct cpng_size *out, struct cpng_report *report);

// Decodes to 8-bit gray (channels 1; only for files that are gray) or RGB (channels 3). Palettes are looked up, 16 bits
// scaled to 8, alpha is left out, gamma ignored. `out_size` = width * height * channels.
int cpng_decode(const uint8_t *data, size_t size, int channels, uint8_t *out, size_t out_size,
                struct cpng_report *report);

// Encodes 8-bit gray or RGB. `level` is zlib's, 0...9. On CPNG_OK `*out` is the caller's to free with cpng_free.
int cpng_encode(const uint8_t *pixels, uint32_t width, uint32_t height, int channels, int level, uint8_t **out,
                size_t *out_size, struct cpng_report *report);

void cpng_free(uint8_t *bytes);

#ifdef __cplusplus
}
#endif
