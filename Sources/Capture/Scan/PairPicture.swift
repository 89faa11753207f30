import Imaging
import Media
import Rig
import Session

/// A stereo pair out of its buffers: the frames have been handed back.
struct PairPicture: Sendable {
  var left: SidePicture
  var right: SidePicture
  /// When it was handed over, a frame's time or two after the exposure: a sensor's own time has no date.
  var taken = CaptureTime.now()

  init(_ pair: consuming StereoPair) {
    left = SidePicture(pair.left)
    right = SidePicture(pair.right)
  }

  var sides: [SidePicture] { [left, right] }
}

/// One picture of a pair with its metadata.
struct SidePicture: Sendable {
  var image: RGBImage
  var sensorTimestamp: Int64
  var controls: CameraControls

  init(_ frame: borrowing Frame) {
    image = frame.image
    sensorTimestamp = frame.sensorTimestamp
    controls = frame.controls
  }

  /// The controls as a record has them.
  var readback: CameraReadback { CameraReadback(controls) }
}

extension CameraReadback {
  init(_ controls: CameraControls) {
    self.init(
      exposureMicroseconds: controls.exposureMicroseconds, gain: controls.gain, redGain: controls.redGain,
      blueGain: controls.blueGain, lensPosition: controls.lensPosition)
  }
}

extension CameraControls {
  init(_ readback: CameraReadback) {
    self.init(
      exposureMicroseconds: readback.exposureMicroseconds, gain: readback.gain, redGain: readback.redGain,
      blueGain: readback.blueGain, lensPosition: readback.lensPosition)
  }
}
