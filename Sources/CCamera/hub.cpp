#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>

#include "internal.hpp"

namespace {
/// libcamera aborts the program where a second manager is made.
std::atomic<bool> is_taken{false};

void copy_text(char *out, size_t capacity, const std::string &text) { refuse(0, text, out, capacity); }
}  // namespace

camera_hub::camera_hub() : waker(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

camera_hub::~camera_hub() {
  // the manager's own end complains about cameras that somebody still has
  cameras.clear();
  if (manager) manager->stop();
  manager.reset();
  if (waker >= 0) close(waker);
}

void camera_hub::wake() const {
  const uint64_t one = 1;
  // a full counter is readable, too
  if (write(waker, &one, sizeof one) < 0) return;
}

int camera_hub_open(camera_hub **hub, char *why, size_t capacity) {
  *hub = nullptr;
  if (is_taken.exchange(true)) return refuse(-EBUSY, "this process has its cameras open already", why, capacity);
  const int result = guarded(why, capacity, [&] {
    // what libcamera says otherwise is for its developers; who wants it sets the variables
    setenv("LIBCAMERA_LOG_LEVELS", "*:WARN", 0);
    setenv("LIBCAMERA_LOG_NO_COLOR", "1", 0);
    auto made = std::make_unique<camera_hub>();
    if (made->waker < 0) return refuse(-errno, "no event descriptor is to be had", why, capacity);
    made->manager = std::make_unique<libcamera::CameraManager>();
    const int started = made->manager->start();
    if (started < 0) {
      made->manager.reset();
      return refuse(started, std::string("libcamera does not start: ") + strerror(-started), why, capacity);
    }
    made->cameras = made->manager->cameras();
    *hub = made.release();
    return 0;
  });
  if (result < 0) is_taken = false;
  return result;
}

void camera_hub_close(camera_hub *hub) {
  if (!hub) return;
  guarded(nullptr, 0, [&] {
    delete hub;
    return 0;
  });
  is_taken = false;
}

int camera_hub_count(const camera_hub *hub) { return static_cast<int>(hub->cameras.size()); }

int camera_hub_describe(const camera_hub *hub, int index, camera_description *description) {
  return guarded(nullptr, 0, [&] {
    if (index < 0 || static_cast<size_t>(index) >= hub->cameras.size()) return -ENODEV;
    const auto &camera = hub->cameras[static_cast<size_t>(index)];
    *description = {};
    copy_text(description->id, sizeof description->id, camera->id());
    const libcamera::ControlList &properties = camera->properties();
    if (properties.contains(libcamera::properties::MODEL))
      copy_text(
          description->model, sizeof description->model, properties.get(libcamera::properties::MODEL).toString());
    description->location = -1;
    if (properties.contains(libcamera::properties::LOCATION))
      description->location = properties.get(libcamera::properties::LOCATION).get<int32_t>();
    return 0;
  });
}

int camera_hub_descriptor(const camera_hub *hub) { return hub->waker; }

void camera_hub_clear(camera_hub *hub) {
  uint64_t count;
  if (read(hub->waker, &count, sizeof count) < 0) return;
}

const char *camera_version(void) {
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
  return TEXT(LIBCAMERA_VERSION_MAJOR) "." TEXT(LIBCAMERA_VERSION_MINOR) "." TEXT(LIBCAMERA_VERSION_PATCH);
}
