// The C face of one camera.
#include <errno.h>

#include "internal.hpp"

int camera_open(camera_hub *hub, const char *id, const camera_mode *mode, camera **opened, char *why, size_t capacity) {
  *opened = nullptr;
  return guarded(why, capacity, [&] {
    for (const auto &device : hub->cameras) {
      if (device->id() != id) continue;
      auto made = std::make_unique<camera>(hub, device);
      const int result = made->open(*mode, why, capacity);
      if (result == 0) *opened = made.release();
      return result;
    }
    return refuse(-ENODEV, "it is not there any more", why, capacity);
  });
}

void camera_close(camera *camera) {
  guarded(nullptr, 0, [&] {
    delete camera;
    return 0;
  });
}

void camera_get_layout(const camera *camera, camera_layout *layout) { *layout = camera->layout; }

void camera_get_limits(const camera *camera, camera_limits *limits) {
  *limits = {};
  guarded(nullptr, 0, [&] {
    *limits = limits_of(camera->device->controls());
    return 0;
  });
}

int camera_start(camera *camera, const camera_controls *controls, char *why, size_t capacity) {
  return guarded(why, capacity, [&] { return camera->start(*controls, why, capacity); });
}

int camera_set(camera *camera, const camera_controls *controls) {
  camera->wanted = *controls;
  camera->is_told = false;
  camera->want_focus(nullptr);
  return 0;
}

int camera_next(camera *camera, camera_frame *frame) {
  const std::lock_guard<std::mutex> hold(camera->lock);
  if (camera->done.empty()) return 0;
  *frame = camera->done.front();
  camera->done.pop_front();
  return 1;
}

int camera_is_gone(const camera *camera) {
  const std::lock_guard<std::mutex> hold(camera->lock);
  return camera->is_gone ? 1 : 0;
}

int camera_copy(camera *camera, int buffer, uint8_t *bytes, size_t capacity) {
  if (buffer < 0 || static_cast<size_t>(buffer) >= camera->mappings.size()) return -EINVAL;
  if (capacity < camera->layout.size) return -ENOBUFS;
  return guarded(nullptr, 0, [&] { return camera->mappings[static_cast<size_t>(buffer)]->copy(camera->plane_sizes, bytes); });
}

int camera_give_back(camera *camera, int buffer) {
  if (buffer < 0 || static_cast<size_t>(buffer) >= camera->requests.size()) return -EINVAL;
  if (!camera->is_streaming) return -EPIPE;
  return guarded(nullptr, 0, [&] {
    camera->requests[static_cast<size_t>(buffer)]->reuse(libcamera::Request::ReuseBuffers);
    return camera->queue(static_cast<size_t>(buffer));
  });
}
