#pragma once
#include <stdint.h>

/// Bytes an ordinary user may still write on the disk that holds `path` (statvfs), or minus the errno.
int64_t twinrig_free_bytes(const char *_Nonnull path);
