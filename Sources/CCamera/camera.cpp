#include <errno.h>
#include <time.h>

#include <algorithm>

#include "internal.hpp"

using libcamera::CameraConfiguration;
using libcamera::ColorSpace;
using libcamera::PixelFormat;
using libcamera::Request;
using libcamera::StreamConfiguration;
using libcamera::StreamRole;

namespace {
struct KnownFormat {
  PixelFormat format;
  camera_format as;
};

/// What we can read, best first: ready colours cost neither a conversion nor chroma's resolution.
const std::vector<KnownFormat> &known_formats() {
  static const std::vector<KnownFormat> known = {
      {libcamera::formats::BGR888, CAMERA_RGB},     {libcamera::formats::RGB888, CAMERA_BGR},
      {libcamera::formats::XBGR8888, CAMERA_RGBX},  {libcamera::formats::XRGB8888, CAMERA_BGRX},
      {libcamera::formats::ABGR8888, CAMERA_RGBX},  {libcamera::formats::ARGB8888, CAMERA_BGRX},
      {libcamera::formats::YUV420, CAMERA_YUV420},  {libcamera::formats::NV12, CAMERA_NV12},
      {libcamera::formats::YUYV, CAMERA_YUYV},
  };
  return known;
}

const KnownFormat *known_format(const PixelFormat &format) {
  for (const KnownFormat &known : known_formats())
    if (known.format == format) return &known;
  return nullptr;
}

std::string text(const libcamera::Size &size) { return std::to_string(size.width) + "x" + std::to_string(size.height); }

/// What a stream offers, for a person.
std::string offer(const StreamConfiguration &stream) {
  std::string words;
  for (const PixelFormat &format : stream.formats().pixelformats()) {
    words += (words.empty() ? "" : "; ") + format.toString() + " of";
    const auto sizes = stream.formats().sizes(format);
    for (size_t i = sizes.size() > 6 ? sizes.size() - 6 : 0; i < sizes.size(); ++i) words += " " + text(sizes[i]);
    if (sizes.empty()) words += " " + stream.formats().range(format).toString();
  }
  return words.empty() ? "nothing" : words;
}

/// A frame's fate. Some pipelines (the virtual one of 0.4.0) never write it: only what says so is no good frame.
int status_of(const libcamera::FrameMetadata &metadata) {
  int status = 0;
  static_assert(sizeof status == sizeof metadata.status, "it is an enumeration of plain integers");
  std::memcpy(&status, &metadata.status, sizeof status);
  if (status == libcamera::FrameMetadata::FrameError) return CAMERA_FRAME_DAMAGED;
  if (status == libcamera::FrameMetadata::FrameCancelled) return CAMERA_FRAME_CANCELLED;
#if LIBCAMERA_VERSION_MAJOR > 0 || LIBCAMERA_VERSION_MINOR >= 5
  // FrameStartup, which not every 0.5 has a name for
  if (status == 3) return CAMERA_FRAME_EARLY;
#endif
  return CAMERA_FRAME_GOOD;
}

int64_t now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<int64_t>(time.tv_sec) * 1000000000 + time.tv_nsec;
}
}  // namespace

camera::~camera() {
  stop();
  requests.clear();
  mappings.clear();
  if (allocator && configuration) allocator->free(configuration->at(0).stream());
  allocator.reset();
  configuration.reset();
  device->disconnected.disconnect(this);
  if (is_acquired) device->release();
}

int camera::open(const camera_mode &mode, char *why, size_t capacity) {
  const int acquired = device->acquire();
  if (acquired < 0)
    return refuse(
        acquired, acquired == -EBUSY ? "another program has it" : "it cannot be acquired", why, capacity);
  is_acquired = true;
  device->disconnected.connect(this, &camera::disconnected);
  frame_ns = mode.frame_ns;
  const int configured = configure(mode, why, capacity);
  return configured < 0 ? configured : allocate(why, capacity);
}

int camera::configure(const camera_mode &mode, char *why, size_t capacity) {
  for (const StreamRole role : {StreamRole::StillCapture, StreamRole::Viewfinder, StreamRole::VideoRecording}) {
    configuration = device->generateConfiguration({role});
    if (configuration && !configuration->empty()) break;
  }
  if (!configuration || configuration->empty()) return refuse(-ENOTSUP, "it offers no stream", why, capacity);
  StreamConfiguration &stream = configuration->at(0);
  const std::string offered = offer(stream);
  const auto formats = stream.formats().pixelformats();
  const libcamera::Size wanted(mode.width, mode.height);
  const KnownFormat *taken = nullptr;
  for (const KnownFormat &known : known_formats()) {
    // a camera that lists no formats says by its answer what it can do
    if (!formats.empty() && std::find(formats.begin(), formats.end(), known.format) == formats.end()) continue;
    stream.pixelFormat = known.format;
    stream.size = wanted;
    stream.bufferCount = mode.buffers;
    // pictures are stored as JPEG stores them: sRGB, whole range
    stream.colorSpace = ColorSpace(
        ColorSpace::Primaries::Rec709, ColorSpace::TransferFunction::Srgb,
        known.as < CAMERA_NV12 ? ColorSpace::YcbcrEncoding::None : ColorSpace::YcbcrEncoding::Rec601,
        ColorSpace::Range::Full);
    if (configuration->validate() == CameraConfiguration::Invalid) continue;
    taken = known_format(stream.pixelFormat);
    if (taken && stream.size == wanted) break;
    taken = nullptr;
  }
  if (!taken) return refuse(-ENOTSUP, "no picture of " + text(wanted) + "; it offers " + offered, why, capacity);
  const int configured = device->configure(configuration.get());
  if (configured < 0)
    return refuse(configured, "it does not take " + stream.toString() + ": " + strerror(-configured), why, capacity);

  const uint32_t least = mode.width * (taken->as <= CAMERA_BGR ? 3 : taken->as <= CAMERA_BGRX ? 4 : 1);
  layout.format = taken->as;
  layout.width = mode.width;
  layout.height = mode.height;
  layout.stride = std::max(stream.stride, taken->as == CAMERA_YUYV ? (mode.width + 1) / 2 * 4 : least);
  const size_t luma = static_cast<size_t>(layout.stride) * layout.height, rows = (layout.height + 1) / 2;
  plane_sizes = {luma};
  if (taken->as == CAMERA_NV12) plane_sizes.push_back(layout.stride * rows);
  if (taken->as == CAMERA_YUV420) plane_sizes.insert(plane_sizes.end(), 2, (layout.stride + 1) / 2 * rows);
  for (const size_t size : plane_sizes) layout.size += size;
  layout.encoding = CAMERA_REC601;
  if (stream.colorSpace) {
    layout.is_full_range = stream.colorSpace->range == ColorSpace::Range::Full;
    if (stream.colorSpace->ycbcrEncoding == ColorSpace::YcbcrEncoding::Rec709) layout.encoding = CAMERA_REC709;
    if (stream.colorSpace->ycbcrEncoding == ColorSpace::YcbcrEncoding::Rec2020) layout.encoding = CAMERA_REC2020;
  }
  return 0;
}

int camera::allocate(char *why, size_t capacity) {
  libcamera::Stream *stream = configuration->at(0).stream();
  allocator = std::make_unique<libcamera::FrameBufferAllocator>(device);
  const int count = allocator->allocate(stream);
  if (count < 0)
    return refuse(
        count, std::string("its buffers cannot be allocated (is CMA memory left?): ") + strerror(-count), why, capacity);
  for (const auto &buffer : allocator->buffers(stream)) {
    mappings.push_back(std::make_unique<Mapping>(*buffer));
    auto request = device->createRequest(requests.size());
    if (!request) return refuse(-ENOMEM, "it makes no request", why, capacity);
    const int added = request->addBuffer(stream, buffer.get());
    if (added < 0) return refuse(added, "a request takes no buffer", why, capacity);
    requests.push_back(std::move(request));
  }
  layout.buffers = static_cast<uint32_t>(requests.size());
  return requests.empty() ? refuse(-ENOMEM, "it has no buffers", why, capacity) : 0;
}

int camera::start(const camera_controls &controls, char *why, size_t capacity) {
  if (is_streaming) return refuse(-EALREADY, "it is streaming", why, capacity);
  wanted = controls;
  is_told = true;
  want_focus(nullptr);
  device->requestCompleted.connect(this, &camera::completed);
  libcamera::ControlList first(libcamera::controls::controls);
  write_controls(device->controls(), wanted, frame_ns, first);
  const int started = device->start(&first);
  if (started < 0) {
    device->requestCompleted.disconnect(this);
    return refuse(started, std::string("it does not start: ") + strerror(-started), why, capacity);
  }
  is_streaming = true;
  for (size_t i = 0; i < requests.size(); ++i) {
    const int queued = queue(i);
    if (queued < 0) return refuse(queued, "it takes no request", why, capacity);
  }
  return 0;
}

int camera::queue(size_t index) {
  Request *request = requests[index].get();
  if (!is_told) {
    write_controls(device->controls(), wanted, frame_ns, request->controls());
    is_told = true;
  }
  write_focus_step(index, request->controls());
  return device->queueRequest(request);
}

void camera::stop() {
  if (!is_streaming) return;
  is_streaming = false;
  // requests that are on their way come back cancelled before this returns
  device->stop();
  device->requestCompleted.disconnect(this);
  const std::lock_guard<std::mutex> hold(lock);
  done.clear();
}

/// On libcamera's thread: notes and returns.
void camera::completed(Request *request) {
  camera_frame frame{};
  int32_t focus = CAMERA_FOCUS_NONE;
  libcamera::Rectangle crop;
  frame.arrival_monotonic_ns = now(CLOCK_MONOTONIC);
  frame.arrival_boot_ns = now(CLOCK_BOOTTIME);
  frame.buffer = static_cast<int32_t>(request->cookie());
  guarded(nullptr, 0, [&] {
    frame.status = CAMERA_FRAME_CANCELLED;
    if (request->status() == Request::RequestComplete && !request->buffers().empty()) {
      const libcamera::FrameMetadata &metadata = request->buffers().begin()->second->metadata();
      frame.status = status_of(metadata);
      frame.sequence = metadata.sequence;
      frame.buffer_ns = static_cast<int64_t>(metadata.timestamp);
      const libcamera::ControlList &said = request->metadata();
      if (said.contains(libcamera::controls::SENSOR_TIMESTAMP))
        frame.sensor_ns = said.get(libcamera::controls::SENSOR_TIMESTAMP).get<int64_t>();
      frame.controls = read_controls(said);
      focus = read_focus(said);
      crop = read_rectangle(said, libcamera::controls::SCALER_CROP);
    }
    const std::lock_guard<std::mutex> hold(lock);
    if (frame.buffer == focus_request) is_focusing = true;
    if (is_focusing) frame.focus = focus;
    if (!crop.isNull()) shown = crop;
    done.push_back(frame);
    return 0;
  });
  hub->wake();
}

void camera::disconnected() {
  {
    const std::lock_guard<std::mutex> hold(lock);
    is_gone = true;
  }
  hub->wake();
}
