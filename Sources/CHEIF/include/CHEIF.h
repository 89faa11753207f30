// A C face over libheif's HEIC: pictures of HEVC in ISO BMFF (ISO/IEC 23008-12). Debian 12 has libheif 1.15 with both codecs
// built in, Debian 13 has 1.23 with each codec in a package of its own: whether one is there is only known at run time.
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum cheif_status {
  CHEIF_OK = 0,
  CHEIF_DAMAGED = 1,      // a picture whose data are missing or wrong
  CHEIF_INVALID = 2,      // not a HEIC, or broken beyond decoding
  CHEIF_UNSUPPORTED = 3,  // of a kind that libheif does not decode
  CHEIF_TOO_LARGE = 4,    // more pixels than the caller allows
  CHEIF_NO_MEMORY = 5,
  CHEIF_NO_CODEC = 6,     // libheif has no HEVC encoder or decoder
  CHEIF_FAILED = 7        // the encoder failed
};

struct cheif_report {
  int status;
  char message[240];
};

struct cheif_size {
  uint32_t width, height;  // upright: after the file's own rotation, mirroring and cropping
  int has_colour;
};

// Pixels of 3 bytes, rows without gaps.
struct cheif_pixels {
  const uint8_t *rgb;
  uint32_t width, height;
};

struct cheif_recipe {
  int quality;         // 0 … 100
  const char *preset;  // x265's
  const uint8_t *exif;  // "Exif\0\0" and a TIFF structure, or NULL
  size_t exif_size;
};

// Whether libheif can encode or decode HEVC here.
int cheif_can_encode(void);
int cheif_can_decode(void);

// libheif's version, as "1.15.1".
const char *cheif_version(void);

// Reads the primary picture's size without decoding.
int cheif_read_header(const uint8_t *data, size_t size, uint64_t max_pixels, struct cheif_size *out,
                      struct cheif_report *report);

// Decodes the primary picture, upright, to `out` of width * height * 3 bytes as the header told them.
int cheif_decode(const uint8_t *data, size_t size, uint64_t max_pixels, uint32_t width, uint32_t height, uint8_t *out,
                 struct cheif_report *report);

// The primary picture's EXIF, from the TIFF header on. `*out` is NULL where there is none, else to be freed with cheif_free.
int cheif_exif(const uint8_t *data, size_t size, uint64_t max_pixels, uint8_t **out, size_t *out_size,
               struct cheif_report *report);

// Encodes a picture in 4:2:0, with a thumbnail where `thumbnail` is not NULL. On CHEIF_OK `*out` is the caller's to free with
// cheif_free.
int cheif_encode(const struct cheif_pixels *picture, const struct cheif_pixels *thumbnail,
                 const struct cheif_recipe *recipe, uint8_t **out, size_t *out_size, struct cheif_report *report);

void cheif_free(uint8_t *bytes);

#ifdef __cplusplus
}
#endif
