// Cameras through libcamera (0.0.3 of Debian 12, 0.4 of Debian 13, newer ones), whose C++ does not show here. No exception
// leaves: what fails returns a negative errno and says why in `why`, one line of at most `capacity` bytes with its end.
// All calls for one hub and its cameras come from one thread; frames are noted on libcamera's own and fetched from here.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// libcamera's camera manager. It allows one a process.
typedef struct camera_hub camera_hub;
/// A camera of ours, configured, with its buffers.
typedef struct camera camera;

/// A camera there is.
typedef struct {
  char id[256];
  char model[64];
  /// 0 front, 1 back, 2 external, -1 not said.
  int32_t location;
} camera_description;

/// What is asked of a camera.
typedef struct {
  uint32_t width, height, buffers;
  /// The time between two frames.
  int64_t frame_ns;
} camera_mode;

/// How pixels lie in memory: the names say the order of the bytes, which for RGB is not the one in libcamera's names.
enum camera_format {
  CAMERA_RGB = 0,     // libcamera's BGR888
  CAMERA_BGR = 1,     // RGB888
  CAMERA_RGBX = 2,    // XBGR8888, ABGR8888
  CAMERA_BGRX = 3,    // XRGB8888, ARGB8888
  CAMERA_NV12 = 4,
  CAMERA_YUV420 = 5,  // three planes: Y, U, V
  CAMERA_YUYV = 6
};
enum camera_encoding { CAMERA_REC601 = 0, CAMERA_REC709 = 1, CAMERA_REC2020 = 2 };

/// A copied picture's layout: its planes one after the other. The chroma of NV12 has the stride of the luma, that of
/// YUV420 half of it (rounded up); both have half the rows (rounded up).
typedef struct {
  uint32_t format, width, height, stride, buffers;
  /// Of a copy, in bytes.
  size_t size;
  uint8_t encoding, is_full_range;
} camera_layout;

/// Controls, set or reported. NaN: the camera decides, or does not say.
typedef struct {
  double exposure_us, gain, red_gain, blue_gain, lens_dioptres;
} camera_controls;

/// What a control may be set to. Not present: the camera does not have it.
typedef struct {
  double lowest, highest;
  uint8_t is_present;
} camera_limit;
typedef struct {
  camera_limit exposure_us, gain, colour_gain, lens_dioptres;
  /// Whether its lens focuses by itself where it is asked to.
  uint8_t has_autofocus;
} camera_limits;

/// A part of a picture, in shares of its width and height.
typedef struct {
  double x, y, width, height;
} camera_window;

/// What has come of `camera_focus`.
enum camera_focus_state {
  CAMERA_FOCUS_NONE = 0,  // nobody has asked, or the frame is from before it was
  CAMERA_FOCUS_SCANNING = 1,
  CAMERA_FOCUS_REACHED = 2,
  CAMERA_FOCUS_FAILED = 3
};

enum camera_frame_status {
  CAMERA_FRAME_GOOD = 0,
  CAMERA_FRAME_DAMAGED = 1,
  CAMERA_FRAME_CANCELLED = 2,
  CAMERA_FRAME_EARLY = 3  // from before the automatics had settled
};

/// A frame in one of the camera's buffers.
typedef struct {
  /// The sensor's timestamp, as the metadata have it; 0: they have none. By the documents CLOCK_BOOTTIME, by some drivers
  /// CLOCK_MONOTONIC.
  int64_t sensor_ns;
  /// The buffer's timestamp; 0: none.
  int64_t buffer_ns;
  /// When it was complete, by both clocks.
  int64_t arrival_monotonic_ns, arrival_boot_ns;
  uint32_t sequence;
  int32_t buffer;
  int32_t status;
  /// A `camera_focus_state`.
  int32_t focus;
  camera_controls controls;
} camera_frame;

/// Opens the hub and looks which cameras there are. -EBUSY: this process has one already.
int camera_hub_open(camera_hub **hub, char *why, size_t capacity);
/// Closes it; its cameras must have been closed.
void camera_hub_close(camera_hub *hub);
/// How many cameras there are.
int camera_hub_count(const camera_hub *hub);
/// Describes a camera. -ENODEV: there is no such.
int camera_hub_describe(const camera_hub *hub, int index, camera_description *description);
/// Readable when a frame is complete or a camera is gone.
int camera_hub_descriptor(const camera_hub *hub);
/// Makes it unreadable again.
void camera_hub_clear(camera_hub *hub);
/// The library's version, e.g. `0.4.0`.
const char *camera_version(void);

/// Acquires a camera, configures one stream and allocates its buffers. -EBUSY: another process has it. -ENODEV: there is no
/// such. -ENOTSUP: it offers no such size or format; `why` says what it offers.
int camera_open(camera_hub *hub, const char *id, const camera_mode *mode, camera **opened, char *why, size_t capacity);
/// Stops it, and gives all back.
void camera_close(camera *camera);
/// The layout of copied pictures.
void camera_get_layout(const camera *camera, camera_layout *layout);
/// What its controls may be set to.
void camera_get_limits(const camera *camera, camera_limits *limits);
/// Starts streaming.
int camera_start(camera *camera, const camera_controls *controls, char *why, size_t capacity);
/// Sets controls: they go with the next buffer that is given back. What the camera does not have is left out.
int camera_set(camera *camera, const camera_controls *controls);
/// Lets the lens focus once, with the next two buffers that are given back, on what is seen in a part of the picture; from then
/// on frames say what has come of it, and the lens keeps still until the next `camera_set`. -ENOTSUP: it has no such lens.
int camera_focus(camera *camera, const camera_window *window);
/// The oldest frame that was not fetched yet: 1, or 0 where there is none.
int camera_next(camera *camera, camera_frame *frame);
/// Whether the camera was unplugged.
int camera_is_gone(const camera *camera);
/// Copies a fetched frame's picture; `capacity` is at least the layout's size.
int camera_copy(camera *camera, int buffer, uint8_t *bytes, size_t capacity);
/// Gives a fetched frame's buffer back to be filled again.
int camera_give_back(camera *camera, int buffer);

#ifdef __cplusplus
}
#endif
