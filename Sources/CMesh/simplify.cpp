#include <meshoptimizer.h>

#include <cstring>
#include <limits>
#include <new>
#include <vector>

#include "CMesh.h"

size_t cmesh_simplify(cmesh_view mesh, size_t target, float max_error, bool keep_border, uint32_t *out, float *error) {
  try {
    std::vector<unsigned int> indices(mesh.triangle_count * 3);
    for (size_t i = 0; i < mesh.triangle_count; i++)
      std::memcpy(
          &indices[3 * i], static_cast<const char *>(mesh.triangles) + i * mesh.triangle_stride, 3 * sizeof(uint32_t));
    const float *positions = static_cast<const float *>(mesh.positions);
    // the library's errors are relative to the mesh's extent
    float scale = meshopt_simplifyScale(positions, mesh.position_count, mesh.position_stride);
    float relative = scale > 0 ? max_error / scale : 0;
    float reached = 0;
    size_t count = meshopt_simplify(
        out, indices.data(), indices.size(), positions, mesh.position_count, mesh.position_stride, target * 3, relative,
        keep_border ? meshopt_SimplifyLockBorder : 0, &reached);
    if (error) *error = reached * scale;
    return count / 3;
  } catch (...) {
    return std::numeric_limits<size_t>::max();
  }
}
