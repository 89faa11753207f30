// What reading and writing share.
#pragma once
#include <libheif/heif.h>

#include "CHEIF.h"

// Loads libheif's plugins, once.
void cheif_begin(void);

// An empty report.
void cheif_clear(struct cheif_report *report);

// Puts libheif's words into the report and returns `status`.
int cheif_tell(struct cheif_report *report, int status, const char *message);

// What an error of libheif's means here; `fallback` for those that say nothing more than that it did not work.
int cheif_status_of(struct heif_error error, int fallback);
