// Focusing once. A lens that follows the picture by itself is taken in hand first (AfMode manual): that ends whatever scan runs,
// which a trigger would not, and leaves AfState idle, so that what it says next is the answer to our trigger.
#include <errno.h>

#include <algorithm>
#include <cmath>

#include "internal.hpp"

using libcamera::Rectangle;

int camera_focus(camera *camera, const camera_window *window) {
  return guarded(nullptr, 0, [&] {
    if (!limits_of(camera->device->controls()).has_autofocus) return -ENOTSUP;
    camera->want_focus(window);
    return 0;
  });
}

void camera::want_focus(const camera_window *window) {
  focus_step = window ? FocusStep::hold : FocusStep::none;
  if (window) focus_window = *window;
  const std::lock_guard<std::mutex> hold(lock);
  focus_request = -1;
  is_focusing = false;
}

/// A request a step, because both set the mode. Mode, window and trigger may come together, say libcamera's documents.
void camera::write_focus_step(size_t index, libcamera::ControlList &list) {
  if (focus_step == FocusStep::hold) {
    write_focus_hold(device->controls(), list);
    focus_step = FocusStep::start;
  } else if (focus_step == FocusStep::start) {
    write_focus_start(device->controls(), window_on_sensor(), list);
    focus_step = FocusStep::none;
    const std::lock_guard<std::mutex> hold(lock);
    focus_request = static_cast<int64_t>(index);
  }
}

/// AfWindows are in the sensor's pixels, as ScalerCropMaximum is, and not in the picture's, of which ScalerCrop says what part
/// of the sensor it shows. A camera that does not say is taken to show the middle, as much as the picture's proportions allow.
Rectangle camera::window_on_sensor() const {
  const Rectangle most = read_rectangle(device->properties(), libcamera::properties::SCALER_CROP_MAXIMUM);
  Rectangle picture;
  {
    const std::lock_guard<std::mutex> hold(lock);
    picture = shown;
  }
  if (picture.isNull() && !most.isNull()) {
    const double scale = std::min(
        static_cast<double>(most.width) / layout.width, static_cast<double>(most.height) / layout.height);
    picture.width = static_cast<unsigned>(layout.width * scale);
    picture.height = static_cast<unsigned>(layout.height * scale);
    picture.x = most.x + static_cast<int>(most.width - picture.width) / 2;
    picture.y = most.y + static_cast<int>(most.height - picture.height) / 2;
  }
  if (picture.isNull()) return {};
  const auto along = [](double share, unsigned length) { return static_cast<int>(std::lround(share * length)); };
  const int width = along(focus_window.width, picture.width), height = along(focus_window.height, picture.height);
  // an empty window would be ignored
  return Rectangle(
      picture.x + along(focus_window.x, picture.width), picture.y + along(focus_window.y, picture.height),
      static_cast<unsigned>(std::max(1, width)), static_cast<unsigned>(std::max(1, height)));
}
