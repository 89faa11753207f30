// What the files of this shim share.
#pragma once

#include <libcamera/libcamera.h>

#include <cstring>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "include/CCamera.h"

/// Puts a reason where the caller wants it.
inline int refuse(int code, const std::string &reason, char *why, size_t capacity) {
  if (why && capacity > 0) {
    const size_t count = std::min(capacity - 1, reason.size());
    std::memcpy(why, reason.data(), count);
    why[count] = 0;
  }
  return code;
}

/// Runs what may throw, and makes an error of what it threw.
template <typename Body>
int guarded(char *why, size_t capacity, const Body &body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return refuse(-ENOMEM, "no memory is left", why, capacity);
  } catch (const std::exception &error) {
    return refuse(-EIO, error.what(), why, capacity);
  } catch (...) {
    return refuse(-EIO, "libcamera threw something unknown", why, capacity);
  }
}

struct camera_hub {
  std::unique_ptr<libcamera::CameraManager> manager;
  std::vector<std::shared_ptr<libcamera::Camera>> cameras;
  int waker = -1;

  camera_hub();
  ~camera_hub();
  void wake() const;
};

/// Memory of a buffer, mapped once for as long as the buffer lives.
class Mapping {
 public:
  explicit Mapping(const libcamera::FrameBuffer &buffer);
  ~Mapping();
  Mapping(const Mapping &) = delete;
  Mapping &operator=(const Mapping &) = delete;
  /// Copies planes of `sizes` bytes, one after the other, between the kernel's begin and end of reading.
  int copy(const std::vector<size_t> &sizes, uint8_t *bytes) const;

 private:
  struct Block {
    int descriptor;
    void *address;
    size_t length;
  };
  struct Plane {
    size_t block, offset, length;
  };
  std::vector<Block> blocks;
  std::vector<Plane> planes;
  void unmap();
  void sync(uint64_t flags) const;
};

struct camera {
  camera_hub *hub;
  std::shared_ptr<libcamera::Camera> device;
  std::unique_ptr<libcamera::CameraConfiguration> configuration;
  std::unique_ptr<libcamera::FrameBufferAllocator> allocator;
  std::vector<std::unique_ptr<Mapping>> mappings;
  std::vector<std::unique_ptr<libcamera::Request>> requests;
  camera_layout layout{};
  std::vector<size_t> plane_sizes;
  int64_t frame_ns = 0;
  bool is_acquired = false, is_streaming = false;
  /// What the next request carries; whether any request has carried it yet.
  camera_controls wanted{};
  bool is_told = true;
  /// How far the camera was told of a focusing that somebody wants.
  enum class FocusStep { none, hold, start } focus_step = FocusStep::none;
  camera_window focus_window{};

  mutable std::mutex lock;  // what is below is shared with libcamera's thread
  std::deque<camera_frame> done;
  bool is_gone = false;
  /// The request that starts the focusing, until it comes back; whether frames since then tell of it.
  int64_t focus_request = -1;
  bool is_focusing = false;
  /// What of the sensor the pictures show, as the last frame said.
  libcamera::Rectangle shown;

  camera(camera_hub *hub, std::shared_ptr<libcamera::Camera> device) : hub(hub), device(std::move(device)) {}
  ~camera();
  int open(const camera_mode &mode, char *why, size_t capacity);
  int start(const camera_controls &controls, char *why, size_t capacity);
  int queue(size_t index);
  void stop();
  /// Wants a focusing, or none any more.
  void want_focus(const camera_window *window);

 private:
  void write_focus_step(size_t index, libcamera::ControlList &list);
  libcamera::Rectangle window_on_sensor() const;
  int configure(const camera_mode &mode, char *why, size_t capacity);
  int allocate(char *why, size_t capacity);
  void completed(libcamera::Request *request);
  void disconnected();
};

/// Writes controls as this camera understands them: manual modes first, what it does not have left out.
void write_controls(
    const libcamera::ControlInfoMap &known, const camera_controls &wanted, int64_t frame_ns, libcamera::ControlList &list);
/// Reads what a frame's metadata say of the controls.
camera_controls read_controls(const libcamera::ControlList &metadata);
camera_limits limits_of(const libcamera::ControlInfoMap &known);
/// Takes the lens away from whatever moves it.
void write_focus_hold(const libcamera::ControlInfoMap &known, libcamera::ControlList &list);
/// Starts a focusing on a part of the sensor; on what the camera likes where that is null.
void write_focus_start(
    const libcamera::ControlInfoMap &known, const libcamera::Rectangle &window, libcamera::ControlList &list);
/// What a frame's metadata say of the focusing, a `camera_focus_state`.
int32_t read_focus(const libcamera::ControlList &metadata);
/// A rectangle in metadata or properties, null where there is none.
libcamera::Rectangle read_rectangle(const libcamera::ControlList &list, unsigned int id);
