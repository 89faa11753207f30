// The kernel for 256-bit vectors with fused multiply-adds, which nearly every x86-64 has: twice as fast there.
#include "CDepth.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define GATHER
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#define NAME(name) name##_wide
#include "patchmatch_body.h"
#pragma clang attribute pop
#endif

typedef int cdepth_patchmatch_wide_is_not_empty;
