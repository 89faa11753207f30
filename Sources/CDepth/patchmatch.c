// The kernel for what every processor of the kind has, and the choice between the two at run time.
#include "CDepth.h"

#define NAME(name) name##_plain
#include "patchmatch_body.h"

#if defined(__x86_64__)
void cdepth_evaluate_wide(const cdepth_view *, const cdepth_source *, int32_t, const cdepth_parameters *, int32_t);
void cdepth_sweep_wide(const cdepth_view *, const cdepth_source *, int32_t, const cdepth_parameters *, int32_t, int32_t,
                       float);
float cdepth_match_wide(const cdepth_view *, const cdepth_source *, const cdepth_parameters *, int32_t, int32_t,
                        cdepth_plane);
#define CHOOSE(name, ...) \
  (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? name##_wide(__VA_ARGS__) : name##_plain(__VA_ARGS__))
#else
#define CHOOSE(name, ...) name##_plain(__VA_ARGS__)
#endif

void cdepth_evaluate(const cdepth_view *view, const cdepth_source *sources, int32_t count,
                     const cdepth_parameters *parameters, int32_t keep) {
  CHOOSE(cdepth_evaluate, view, sources, count, parameters, keep);
}

void cdepth_sweep(const cdepth_view *view, const cdepth_source *sources, int32_t count,
                  const cdepth_parameters *parameters, int32_t pass, int32_t trials, float range) {
  CHOOSE(cdepth_sweep, view, sources, count, parameters, pass, trials, range);
}

float cdepth_match(const cdepth_view *view, const cdepth_source *source, const cdepth_parameters *parameters,
                   int32_t column, int32_t row, cdepth_plane plane) {
  return CHOOSE(cdepth_match, view, source, parameters, column, row, plane);
}
