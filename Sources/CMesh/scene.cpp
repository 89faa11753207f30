#if __has_include(<embree4/rtcore.h>)
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include "CMesh.h"

namespace {
struct Vec3 {
  float x, y, z;
};
Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Vec3 along(Vec3 a, float s, Vec3 d, float t, Vec3 e) {
  return {a.x + s * d.x + t * e.x, a.y + s * d.y + t * e.y, a.z + s * d.z + t * e.z};
}
float dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

struct Triangle {
  uint32_t a, b, c;
};
}  // namespace

struct cmesh_scene {
  RTCDevice device = nullptr;
  RTCScene scene = nullptr;
  std::vector<Vec3> positions;
  std::vector<Triangle> triangles;

  ~cmesh_scene() {
    if (scene) rtcReleaseScene(scene);
    if (device) rtcReleaseDevice(device);
  }
};

namespace {
/// Nearest point of a triangle as weights of the edges from corner a (Ericson, Real-Time Collision Detection, 5.1.5).
void nearest_on_triangle(Vec3 p, Vec3 a, Vec3 b, Vec3 c, float &u, float &v) {
  Vec3 ab = b - a, ac = c - a, ap = p - a, bp = p - b, cp = p - c;
  float d1 = dot(ab, ap), d2 = dot(ac, ap), d3 = dot(ab, bp), d4 = dot(ac, bp), d5 = dot(ab, cp), d6 = dot(ac, cp);
  u = v = 0;
  if (d1 <= 0 && d2 <= 0) return;
  if (d3 >= 0 && d4 <= d3) { u = 1; return; }
  float vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) { u = d1 / (d1 - d3); return; }
  if (d6 >= 0 && d5 <= d6) { v = 1; return; }
  float vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) { v = d2 / (d2 - d6); return; }
  float va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    v = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    u = 1 - v;
    return;
  }
  float sum = va + vb + vc;
  if (!(sum > 0)) return;
  u = vb / sum;
  v = vc / sum;
}

struct Query {
  const cmesh_scene *scene;
  cmesh_nearest *out;
};

bool visit(RTCPointQueryFunctionArguments *args) {
  auto *query = static_cast<Query *>(args->userPtr);
  const auto &t = query->scene->triangles[args->primID];
  const auto &p = query->scene->positions;
  Vec3 point = {args->query->x, args->query->y, args->query->z};
  Vec3 a = p[t.a], b = p[t.b], c = p[t.c];
  float u, v;
  nearest_on_triangle(point, a, b, c, u, v);
  Vec3 q = along(a, u, b - a, v, c - a), d = point - q;
  float distance = std::sqrt(dot(d, d));
  // equal distances (a shared edge) go to the lower triangle, so that the order of the visit does not matter
  bool nearer = distance < query->out->distance;
  bool tie = distance == query->out->distance && args->primID < query->out->triangle;
  if (!nearer && !tie) return false;
  *query->out = {{q.x, q.y, q.z}, distance, u, v, args->primID};
  args->query->radius = distance;
  return true;
}

/// Why a scene was not built, for the caller.
struct Complaint {
  char *message;
  size_t capacity;
  bool *out_of_memory;

  bool operator()(const char *text, bool memory = false) const {
    if (message && capacity) std::snprintf(message, capacity, "%s", text);
    if (out_of_memory) *out_of_memory = memory;
    return false;
  }
};

/// Embree's words for what went wrong with a device; none is where it could not even be made.
bool failed(RTCDevice device, const Complaint &fail) {
  switch (rtcGetDeviceError(device)) {
    case RTC_ERROR_NONE: return device ? true : fail("Embree did not start");
    case RTC_ERROR_OUT_OF_MEMORY: return fail("not enough memory", true);
    case RTC_ERROR_UNSUPPORTED_CPU: return fail("Embree does not run on this processor");
    // what Embree's own threads and buffers throw when they are refused memory comes as "unknown"
    case RTC_ERROR_UNKNOWN: return fail("not enough memory, in all likelihood", true);
    default: return fail("Embree refused the mesh");
  }
}

bool fill(cmesh_scene &s, cmesh_view mesh, const Complaint &fail) {
  s.positions.resize(mesh.position_count);
  s.triangles.resize(mesh.triangle_count);
  for (size_t i = 0; i < mesh.position_count; i++)
    std::memcpy(&s.positions[i], static_cast<const char *>(mesh.positions) + i * mesh.position_stride, sizeof(Vec3));
  for (size_t i = 0; i < mesh.triangle_count; i++) {
    auto &t = s.triangles[i];
    std::memcpy(&t, static_cast<const char *>(mesh.triangles) + i * mesh.triangle_stride, sizeof(Triangle));
    if (t.a >= mesh.position_count || t.b >= mesh.position_count || t.c >= mesh.position_count)
      return fail("a triangle names a position that is not there");
  }
  s.device = rtcNewDevice(nullptr);
  if (!s.device) return failed(nullptr, fail);
  s.scene = rtcNewScene(s.device);
  if (!s.scene) return failed(s.device, fail);
  rtcSetSceneFlags(s.scene, RTC_SCENE_FLAG_ROBUST);
  RTCGeometry geometry = rtcNewGeometry(s.device, RTC_GEOMETRY_TYPE_TRIANGLE);
  if (!geometry) return failed(s.device, fail);
  void *vertices = rtcSetNewGeometryBuffer(
      geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, sizeof(Vec3), s.positions.size());
  void *indices = rtcSetNewGeometryBuffer(
      geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, sizeof(Triangle), s.triangles.size());
  if (vertices && indices) {
    if (!s.positions.empty()) std::memcpy(vertices, s.positions.data(), s.positions.size() * sizeof(Vec3));
    if (!s.triangles.empty()) std::memcpy(indices, s.triangles.data(), s.triangles.size() * sizeof(Triangle));
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(s.scene, geometry);
  }
  rtcReleaseGeometry(geometry);
  if (vertices && indices) rtcCommitScene(s.scene);
  return failed(s.device, fail);
}

RTCRay ray(const cmesh_ray &r) {
  RTCRay ray = {};
  ray.org_x = r.origin[0];
  ray.org_y = r.origin[1];
  ray.org_z = r.origin[2];
  ray.tnear = r.near;
  ray.dir_x = r.direction[0];
  ray.dir_y = r.direction[1];
  ray.dir_z = r.direction[2];
  ray.tfar = r.far;
  ray.mask = ~0u;
  return ray;
}
}  // namespace

cmesh_scene *cmesh_scene_create(cmesh_view mesh, char *message, size_t capacity, bool *out_of_memory) {
  const Complaint fail{message, capacity, out_of_memory};
  cmesh_scene *scene = nullptr;
  try {
    scene = new cmesh_scene;
    if (fill(*scene, mesh, fail)) return scene;
  } catch (...) {
    fail("not enough memory", true);
  }
  delete scene;
  return nullptr;
}

void cmesh_scene_destroy(cmesh_scene *scene) { delete scene; }

void cmesh_intersect(const cmesh_scene *scene, const cmesh_ray *rays, size_t count, cmesh_hit *hits) {
  for (size_t i = 0; i < count; i++) {
    RTCRayHit query = {};
    query.ray = ray(rays[i]);
    query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    query.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
#if RTC_VERSION_MAJOR >= 4
    rtcIntersect1(scene->scene, &query);
#else
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcIntersect1(scene->scene, &context, &query);
#endif
    if (query.hit.geomID == RTC_INVALID_GEOMETRY_ID) {
      hits[i] = {rays[i].far, 0, 0, UINT32_MAX, 0};
      continue;
    }
    float towards = query.hit.Ng_x * query.ray.dir_x + query.hit.Ng_y * query.ray.dir_y
                    + query.hit.Ng_z * query.ray.dir_z;
    hits[i] = {query.ray.tfar, query.hit.u, query.hit.v, query.hit.primID, towards < 0 ? 1u : 0u};
  }
}

void cmesh_occluded(const cmesh_scene *scene, const cmesh_ray *rays, size_t count, uint8_t *blocked) {
#if RTC_VERSION_MAJOR < 4
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
#endif
  for (size_t i = 0; i < count; i++) {
    RTCRay query = ray(rays[i]);
#if RTC_VERSION_MAJOR >= 4
    rtcOccluded1(scene->scene, &query);
#else
    rtcOccluded1(scene->scene, &context, &query);
#endif
    blocked[i] = query.tfar < 0 ? 1 : 0;  // Embree says "blocked" by an end at -infinity
  }
}

void cmesh_closest(
    const cmesh_scene *scene, const void *points, size_t stride, size_t count, float radius, cmesh_nearest *out) {
  for (size_t i = 0; i < count; i++) {
    float p[3];
    std::memcpy(p, static_cast<const char *>(points) + i * stride, sizeof(p));
    out[i] = {{p[0], p[1], p[2]}, radius, 0, 0, UINT32_MAX};
    RTCPointQuery query = {};
    query.x = p[0];
    query.y = p[1];
    query.z = p[2];
    query.radius = radius;
    RTCPointQueryContext context;
    rtcInitPointQueryContext(&context);
    Query user = {scene, &out[i]};
    rtcPointQuery(scene->scene, &query, &context, visit, &user);
  }
}
