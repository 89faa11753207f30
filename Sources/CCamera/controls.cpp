#include <algorithm>
#include <cmath>
#include <limits>

#include "internal.hpp"

using libcamera::ControlInfoMap;
using libcamera::ControlList;
using libcamera::ControlValue;

namespace {
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
/// Values of AfMode, AfMetering, AfTrigger and AfState, which have been the same since there are these controls.
constexpr int af_manual = 0, af_auto = 1, af_continuous = 2;
constexpr int metering_automatic = 0, metering_windows = 1;
constexpr int trigger_start = 0;
constexpr int state_focused = 2, state_failed = 3;

/// Controls come and go with libcamera's versions (AeEnable was split in 0.5), and so do their C++ names: what this camera
/// has is found by the control's name, whichever version this was compiled with.
const libcamera::ControlId *find(const ControlInfoMap &known, const char *name) {
  for (const auto &[id, info] : known)
    if (id->name() == name) return id;
  return nullptr;
}

double number(const ControlValue &value) {
  if (value.isNone() || value.numElements() < 1) return unknown;
  const uint8_t *bytes = value.data().data();
  switch (value.type()) {
    case libcamera::ControlTypeInteger32: {
      int32_t whole;
      std::memcpy(&whole, bytes, sizeof whole);
      return whole;
    }
    case libcamera::ControlTypeInteger64: {
      int64_t whole;
      std::memcpy(&whole, bytes, sizeof whole);
      return static_cast<double>(whole);
    }
    case libcamera::ControlTypeFloat: {
      float real;
      std::memcpy(&real, bytes, sizeof real);
      return static_cast<double>(real);
    }
    default: return unknown;
  }
}

/// Sets a number in the control's own type.
bool put(const ControlInfoMap &known, ControlList &list, const char *name, double value) {
  const libcamera::ControlId *id = find(known, name);
  if (!id) return false;
  switch (id->type()) {
    case libcamera::ControlTypeBool: list.set(id->id(), ControlValue(value != 0)); break;
    case libcamera::ControlTypeInteger32:
      list.set(id->id(), ControlValue(static_cast<int32_t>(std::lround(std::min(value, 2147483647.0)))));
      break;
    case libcamera::ControlTypeInteger64:
      list.set(id->id(), ControlValue(static_cast<int64_t>(std::llround(value))));
      break;
    case libcamera::ControlTypeFloat: list.set(id->id(), ControlValue(static_cast<float>(value))); break;
    default: return false;
  }
  return true;
}

template <typename T>
void put_two(const ControlInfoMap &known, ControlList &list, const char *name, T first, T second) {
  const libcamera::ControlId *id = find(known, name);
  if (!id) return;
  const T both[2] = {first, second};
  list.set(id->id(), ControlValue(libcamera::Span<const T>(both, 2)));
}

camera_limit limit(const ControlInfoMap &known, const char *name) {
  const libcamera::ControlId *id = find(known, name);
  if (!id) return {0, 0, 0};
  const libcamera::ControlInfo &info = known.at(id->id());
  double lowest = number(info.min()), highest = number(info.max());
  // some drivers leave them out, or give a highest below the lowest
  if (std::isnan(lowest)) lowest = 0;
  if (std::isnan(highest) || highest < lowest) highest = std::numeric_limits<double>::infinity();
  return {lowest, highest, 1};
}

bool has_autofocus(const ControlInfoMap &known) {
  return find(known, "AfMode") && find(known, "AfTrigger") && find(known, "LensPosition");
}
}  // namespace

camera_limits limits_of(const ControlInfoMap &known) {
  return {
      limit(known, "ExposureTime"), limit(known, "AnalogueGain"), limit(known, "ColourGains"),
      limit(known, "LensPosition"), static_cast<uint8_t>(has_autofocus(known) ? 1 : 0)};
}

void write_controls(const ControlInfoMap &known, const camera_controls &wanted, int64_t frame_ns, ControlList &list) {
  const bool has_exposure = !std::isnan(wanted.exposure_us), has_gain = !std::isnan(wanted.gain);
  // the modes first: what is set beside an automatic that runs is overwritten by it
  if (find(known, "ExposureTimeMode") || find(known, "AnalogueGainMode")) {
    put(known, list, "ExposureTimeMode", has_exposure ? 1 : 0);
    put(known, list, "AnalogueGainMode", has_gain ? 1 : 0);
  } else {
    put(known, list, "AeEnable", has_exposure && has_gain ? 0 : 1);
    // before they had modes of their own, 0 gave them back to the automatic
    if (!has_exposure) put(known, list, "ExposureTime", 0);
    if (!has_gain) put(known, list, "AnalogueGain", 0);
  }
  if (has_exposure) put(known, list, "ExposureTime", wanted.exposure_us);
  if (has_gain) put(known, list, "AnalogueGain", wanted.gain);

  const bool has_colours = !std::isnan(wanted.red_gain) && !std::isnan(wanted.blue_gain);
  put(known, list, "AwbEnable", has_colours ? 0 : 1);
  if (has_colours)
    put_two<float>(
        known, list, "ColourGains", static_cast<float>(wanted.red_gain), static_cast<float>(wanted.blue_gain));

  const bool has_lens = !std::isnan(wanted.lens_dioptres);
  put(known, list, "AfMode", has_lens ? af_manual : af_continuous);
  if (has_lens) put(known, list, "LensPosition", wanted.lens_dioptres);

  // both cameras at one pace, which an exposure that takes longer may slow down
  const double exposure_ns = has_exposure ? wanted.exposure_us * 1e3 : 0;
  const auto duration = static_cast<int64_t>(std::max(static_cast<double>(frame_ns), exposure_ns) / 1e3);
  if (duration > 0) put_two<int64_t>(known, list, "FrameDurationLimits", duration, duration);
}

camera_controls read_controls(const ControlList &metadata) {
  const auto value = [&](unsigned int id) { return metadata.contains(id) ? number(metadata.get(id)) : unknown; };
  camera_controls found = {
      value(libcamera::controls::EXPOSURE_TIME), value(libcamera::controls::ANALOGUE_GAIN), unknown, unknown,
      value(libcamera::controls::LENS_POSITION)};
  if (metadata.contains(libcamera::controls::COLOUR_GAINS)) {
    const ControlValue &gains = metadata.get(libcamera::controls::COLOUR_GAINS);
    if (gains.type() == libcamera::ControlTypeFloat && gains.numElements() == 2) {
      float both[2];
      std::memcpy(both, gains.data().data(), sizeof both);
      found.red_gain = static_cast<double>(both[0]);
      found.blue_gain = static_cast<double>(both[1]);
    }
  }
  return found;
}

void write_focus_hold(const ControlInfoMap &known, ControlList &list) { put(known, list, "AfMode", af_manual); }

void write_focus_start(const ControlInfoMap &known, const libcamera::Rectangle &window, ControlList &list) {
  const libcamera::ControlId *windows = find(known, "AfWindows");
  const bool has_window = windows && !window.isNull();
  put(known, list, "AfMode", af_auto);
  put(known, list, "AfMetering", has_window ? metering_windows : metering_automatic);
  if (has_window) list.set(windows->id(), ControlValue(libcamera::Span<const libcamera::Rectangle>(&window, 1)));
  put(known, list, "AfTrigger", trigger_start);
}

int32_t read_focus(const ControlList &metadata) {
  if (!metadata.contains(libcamera::controls::AF_STATE)) return CAMERA_FOCUS_SCANNING;
  const double state = number(metadata.get(libcamera::controls::AF_STATE));
  return state == state_focused ? CAMERA_FOCUS_REACHED : state == state_failed ? CAMERA_FOCUS_FAILED : CAMERA_FOCUS_SCANNING;
}

libcamera::Rectangle read_rectangle(const ControlList &list, unsigned int id) {
  if (!list.contains(id)) return {};
  const ControlValue &value = list.get(id);
  const bool is_one = value.type() == libcamera::ControlTypeRectangle && !value.isArray();
  return is_one ? value.get<libcamera::Rectangle>() : libcamera::Rectangle();
}
