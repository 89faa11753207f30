#include "shared.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;

// Never undone: libheif's plugins stay loaded for as long as the program runs.
static void load(void) { heif_init(NULL); }

void cheif_begin(void) { pthread_once(&once, load); }

int cheif_can_encode(void) {
  cheif_begin();
  return heif_have_encoder_for_format(heif_compression_HEVC) != 0;
}

int cheif_can_decode(void) {
  cheif_begin();
  return heif_have_decoder_for_format(heif_compression_HEVC) != 0;
}

const char *cheif_version(void) { return heif_get_version(); }

void cheif_clear(struct cheif_report *report) { memset(report, 0, sizeof *report); }

int cheif_tell(struct cheif_report *report, int status, const char *message) {
  report->status = status;
  snprintf(report->message, sizeof report->message, "%s", message ? message : "");
  return status;
}

int cheif_status_of(struct heif_error error, int fallback) {
  if (error.subcode == heif_suberror_Security_limit_exceeded) return CHEIF_TOO_LARGE;
  switch (error.code) {
    case heif_error_Ok: return CHEIF_OK;
    case heif_error_Memory_allocation_error: return CHEIF_NO_MEMORY;
    case heif_error_Unsupported_filetype:
    case heif_error_Unsupported_feature: return CHEIF_UNSUPPORTED;
    default: return fallback;
  }
}

void cheif_free(uint8_t *bytes) { free(bytes); }
