// SPDX-License-Identifier: Apache-2.0
// One plane of the viewer: a canvas that is zoomed, moved and clicked, with a slider.
import { make, within } from "./dom.js";
import { outlineOf, painted, sliceOf } from "./planes.js";

export class PlaneView {
  /** `row` is the position of its model among those that are compared. */
  constructor(plane, viewer, row = 0) {
    Object.assign(this, { plane, viewer, row });
    this.fingers = new Map();
    this.canvas = make("canvas", { tabindex: "0", role: "img", "data-plane": plane.name });
    this.slider = make("input", { type: "range", min: 0, "aria-label": `Slice, ${plane.name}`,
      oninput: () => this.go(Number(this.slider.value)) });
    this.label = make("span", { class: "soft" });
    this.letters = ["left", "right", "low", "high"].map((place) => make("span", { class: `edge ${place}`, "aria-hidden": "true" }));
    this.element = make("div", { class: "plane" },
      make("div", { class: "frame" }, this.canvas, ...this.letters),
      make("div", { class: "slice" }, this.slider, this.label));
    this.listen();
  }

  listen() {
    const { canvas } = this;
    canvas.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
    canvas.addEventListener("keydown", (event) => this.onKey(event));
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.fingers.set(event.pointerId, event);
      this.last = [event.clientX, event.clientY];
      this.steps = 0;
      if (this.viewer.drag === "cross" && this.fingers.size === 1) this.point(event);
    });
    canvas.addEventListener("pointermove", (event) => this.onMove(event));
    canvas.addEventListener("pointerleave", () => this.viewer.read(null));
    for (const end of ["pointerup", "pointercancel"])
      canvas.addEventListener(end, (event) => {
        this.fingers.delete(event.pointerId);
        this.last = null;
      });
  }

  get slice() {
    return this.viewer.at[this.plane.through];
  }

  go(slice) {
    this.viewer.move(this.plane.through, slice);
  }

  /** Whether the patient's right is on the left of the screen. */
  get mirrored() {
    return this.viewer.radiological && this.plane.right === 0;
  }

  onWheel(event) {
    event.preventDefault();
    if (event.ctrlKey || event.metaKey) this.viewer.zoomBy(event.deltaY < 0 ? 1.25 : 0.8);
    else this.go(this.slice - Math.sign(event.deltaY));
  }

  onKey(event) {
    const step = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 10, PageDown: -10 }[event.key];
    const act = { "+": () => this.viewer.zoomBy(1.25), "-": () => this.viewer.zoomBy(0.8), 0: () => this.viewer.reset(), e: () => this.viewer.nextError() }[event.key];
    if (step === undefined && (act === undefined || event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (step !== undefined) this.go(this.slice + step);
    else act();
  }

  /** The visible part of the slice: its first column and row, canvas pixels per voxel, and the size of a screen pixel in voxels. */
  get view() {
    const { volume, centre, zoom } = this.viewer;
    const { right, up } = this.plane;
    const [width, height] = [volume.shape[right], volume.shape[up]];
    const first = (middle, count) => within(middle - count / zoom / 2, 0, count - count / zoom);
    const column = this.mirrored ? width - centre[right] : centre[right];
    const scale = this.factor * zoom, shown = this.canvas.getBoundingClientRect().width || this.canvas.width;
    return { left: first(column, width), top: first(height - centre[up], height), scale, pixel: Math.max(this.canvas.width / shown, 1) / scale };
  }

  /** The voxel under the pointer, in the order of the axes. */
  voxelAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const { volume, at } = this.viewer;
    const { right, up } = this.plane;
    const { left, top, scale } = this.view;
    const column = Math.floor(left + (event.clientX - box.left) / box.width * this.canvas.width / scale);
    const row = Math.floor(top + (event.clientY - box.top) / box.height * this.canvas.height / scale);
    const out = [...at];
    out[right] = within(this.mirrored ? volume.shape[right] - 1 - column : column, 0, volume.shape[right] - 1);
    out[up] = within(volume.shape[up] - 1 - row, 0, volume.shape[up] - 1);
    return out;
  }

  /** Moves the other planes to the voxel under the pointer. */
  point(event) {
    this.viewer.goTo(this.voxelAt(event));
  }

  onMove(event) {
    this.viewer.read(this.voxelAt(event));
    if (this.fingers.size === 2 && this.fingers.has(event.pointerId)) this.pinch(event);
    if (!this.last || this.fingers.size > 1) return;
    const [dx, dy] = [event.clientX - this.last[0], event.clientY - this.last[1]];
    this.last = [event.clientX, event.clientY];
    const act = { cross: () => this.point(event), slices: () => this.leaf(dy), contrast: () => this.viewer.contrastBy(dx, dy), pan: () => this.pan(dx, dy) };
    act[this.viewer.drag]();
  }

  /** Two fingers that move apart zoom in. */
  pinch(event) {
    const apart = () => {
      const [a, b] = [...this.fingers.values()];
      return Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
    };
    const before = apart();
    this.fingers.set(event.pointerId, event);
    if (before > 0) this.viewer.zoomBy(apart() / before);
  }

  /** Moving six pixels up goes one slice up. */
  leaf(dy) {
    this.steps -= dy / 6;
    const whole = Math.trunc(this.steps);
    this.steps -= whole;
    if (whole !== 0) this.go(this.slice + whole);
  }

  pan(dx, dy) {
    const box = this.canvas.getBoundingClientRect();
    const voxels = this.canvas.width / box.width / this.view.scale;
    const { right, up } = this.plane;
    this.viewer.panBy([[right, (this.mirrored ? dx : -dx) * voxels], [up, dy * voxels]]);
  }

  draw() {
    const { volume, layers, look, style } = this.viewer;
    const model = this.viewer.models[this.row];
    const { right, up, through } = this.plane;
    const [width, height] = [volume.shape[right], volume.shape[up]];
    this.factor = Math.max(1, Math.floor(480 / Math.max(width, height)));
    const cut = (voxels) => sliceOf(voxels, volume.shape, this.plane, this.slice);
    const slices = { image: layers.image && style.image ? cut(layers.image) : null,
      prediction: cut(layers.predictions.get(model)), reference: cut(layers.reference) };
    Object.assign(this.canvas, { width: width * this.factor, height: height * this.factor });
    Object.assign(this.canvas.dataset, { factor: this.factor, slice: this.slice });
    this.canvas.style.aspectRatio = `${width * volume.spacing[right]} / ${height * volume.spacing[up]}`;
    this.canvas.setAttribute("aria-label", `${this.plane.name} slice ${this.slice + 1} of ${volume.shape[through]}`);
    const small = new OffscreenCanvas(width, height);
    small.getContext("2d").putImageData(new ImageData(painted(slices, look, style), width, height), 0, 0);
    const context = this.canvas.getContext("2d");
    const { left, top, scale } = this.view;
    context.imageSmoothingEnabled = false;
    context.setTransform(this.mirrored ? -scale : scale, 0, 0, scale, this.mirrored ? (width - left) * scale : -left * scale, -top * scale);
    context.drawImage(small, 0, 0);
    if (style.reference) this.stroke(context, outlineOf(slices.reference, look, width, height), "#ffffff", []);
    if (style.prediction) this.stroke(context, outlineOf(slices.prediction, look, width, height), "#f0e442", [5, 4]);
    if (style.cross) this.cross(context, width, height);
    this.captions(volume);
  }

  captions(volume) {
    const { through } = this.plane;
    const [left, right, low, high] = this.plane.edges;
    const shown = this.mirrored ? [right, left, low, high] : [left, right, low, high];
    this.letters.forEach((letter, i) => { letter.textContent = shown[i]; });
    this.slider.max = volume.shape[through] - 1;
    this.slider.value = this.slice;
    this.label.textContent = `${this.plane.name} ${this.slice + 1}/${volume.shape[through]}`;
  }

  /** Light lines with dark edges, which are visible on bright and on dark tissue. */
  stroke(context, segments, colour, dashes) {
    const { pixel } = this.view;
    const path = new Path2D();
    for (const [x0, y0, x1, y1] of segments) {
      path.moveTo(x0, y0);
      path.lineTo(x1, y1);
    }
    context.lineCap = "round";
    for (const [width, style, dash] of [[3.6, "rgb(0 0 0 / .75)", []], [1.5, colour, dashes]]) {
      context.setLineDash(dash.map((length) => length * pixel));
      context.lineWidth = width * pixel;
      context.strokeStyle = style;
      context.stroke(path);
    }
  }

  /** Lines where the other planes intersect this one, with a gap around the voxel itself. */
  cross(context, width, height) {
    const { at, volume } = this.viewer;
    const { right, up } = this.plane;
    const [x, y] = [at[right] + 0.5, volume.shape[up] - at[up] - 0.5];
    const { pixel } = this.view;
    const gap = 10 * pixel + 0.5;
    const path = new Path2D();
    for (const [x0, y0, x1, y1] of [[0, y, x - gap, y], [x + gap, y, width, y], [x, 0, x, y - gap], [x, y + gap, x, height]]) {
      path.moveTo(x0, y0);
      path.lineTo(x1, y1);
    }
    context.setLineDash([]);
    context.lineWidth = 1.2 * pixel;
    context.strokeStyle = "rgb(140 200 255 / .75)";
    context.stroke(path);
  }
}
