// SPDX-License-Identifier: Apache-2.0
// The case in 3-D, drawn by NiiVue if the page contains it.
import { make } from "./dom.js";
import { kindColours, kindOf } from "./planes.js";

export function hasSolid() {
  return globalThis.niivue !== undefined;
}

/** A volume as a NIfTI-1 file in memory, for NiiVue to read. */
export function niftiOf(voxels, shape, spacing) {
  const offset = 352;
  const bytes = new Uint8Array(offset + voxels.length);
  const view = new DataView(bytes.buffer);
  const floats = (at, values) => values.forEach((value, i) => view.setFloat32(at + 4 * i, value, true));
  view.setInt32(0, 348, true);
  [3, ...shape, 1, 1, 1, 1].forEach((value, i) => view.setInt16(40 + 2 * i, value, true));
  view.setInt16(70, 2, true); // unsigned bytes
  view.setInt16(72, 8, true);
  floats(76, [1, ...spacing]);
  floats(108, [offset, 1, 0]);
  view.setUint8(123, 2); // millimetres
  view.setInt16(254, 1, true);
  const origin = shape.map((count, axis) => -(count - 1) * spacing[axis] / 2);
  for (let axis = 0; axis < 3; ++axis) {
    const row = [0, 0, 0, origin[axis]];
    row[axis] = spacing[axis];
    floats(280 + 16 * axis, row);
  }
  bytes.set([0x6e, 0x2b, 0x31, 0], 344); // n+1
  bytes.set(voxels, offset);
  return bytes.buffer;
}

/** What each voxel is: agreement, false, missed or wrong label. */
export function agreementOf(prediction, reference, look) {
  return prediction.map((code, i) => kindOf(code, reference[i], look));
}

export class SolidView {
  constructor(root) {
    this.canvas = make("canvas", { class: "solid", width: 900, height: 520, "aria-label": "The case in 3-D" });
    this.element = make("div", { class: "solid-frame" }, this.canvas); // NiiVue paints what is around its canvas black
    root.append(this.element);
    this.ready = this.attach();
  }

  async attach() {
    this.view = new globalThis.niivue.Niivue({ backColor: [0.08, 0.09, 0.1, 1], show3Dcrosshair: false, isColorbar: false, isNearestInterpolation: true, logLevel: "silent" });
    await this.view.attachToCanvas(this.canvas);
  }

  async show(volume, layers, model, look) {
    await this.ready;
    while (this.view.volumes.length > 0) this.view.removeVolume(this.view.volumes[0]);
    const grey = layers.image ?? new Uint8Array(layers.reference.length);
    await this.view.loadFromArrayBuffer(niftiOf(grey, volume.shape, volume.spacing), "image.nii");
    await this.view.loadFromArrayBuffer(niftiOf(agreementOf(layers.predictions.get(model), layers.reference, look), volume.shape, volume.spacing), "agreement.nii");
    const [, overlay] = this.view.volumes;
    const channel = (c) => kindColours.map((colour) => colour?.[c] ?? 0);
    overlay.setColormapLabel({ R: channel(0), G: channel(1), B: channel(2), A: kindColours.map((colour) => (colour === null ? 0 : 255)),
      labels: ["", "agreement", "false", "missed", "wrong label"] });
    this.view.updateGLVolume();
    this.view.setInterpolation(true); // nearest neighbour, so that colours of two kinds do not mix
    this.view.setOpacity(1, 1);
    this.view.setSliceType(this.view.sliceTypeRender);
    this.canvas.dataset.ready = "yes";
  }

  close() {
    this.element.remove();
  }
}
