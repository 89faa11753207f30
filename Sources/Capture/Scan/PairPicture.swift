import Imaging
import Rig
import Session

/// A stereo pair out of its buffers: the frames have been handed back.
struct PairPicture: Sendable {
  var left: SidePicture
  var right: SidePicture

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
      blueGain: controls.blueGain)
  }
}

extension CameraControls {
  init(_ readback: CameraReadback) {
    self.init(
      exposureMicroseconds: readback.exposureMicroseconds, gain: readback.gain, redGain: readback.redGain,
      blueGain: readback.blueGain)
  }
}
