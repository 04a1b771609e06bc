// SPDX-License-Identifier: Apache-2.0
// The picture of the first screen: the worst case by the chosen metric, in the chosen label.
import { layersOf, valueOf } from "./data.js";
import { make, plainNumber } from "./dom.js";
import { kindOf, kinds, lookAt, outlineOf, painted, planes, sliceOf } from "./planes.js";

/** A value transformed so that more is better. */
function gainOf(value, better) {
  if (better === "lower") return -value;
  return better === "zero" ? -Math.abs(value) : value;
}

/** The axial slice in which most voxels are wrong. */
function worstSlice(prediction, reference, shape, look) {
  const size = shape[0] * shape[1];
  let worst = Math.floor(shape[2] / 2), most = 0;
  for (let slice = 0; slice < shape[2]; ++slice) {
    let wrong = 0;
    for (let i = slice * size; i < (slice + 1) * size; ++i) wrong += kindOf(prediction[i], reference[i], look) > kinds.both ? 1 : 0;
    if (wrong > most) [worst, most] = [slice, wrong];
  }
  return worst;
}

function drawSlice(canvas, { volume, layers, model, look }) {
  const [width, height] = volume.shape, [dx, dy] = volume.spacing;
  const slice = worstSlice(layers.predictions.get(model), layers.reference, volume.shape, look);
  const cut = (voxels) => sliceOf(voxels, volume.shape, planes[0], slice);
  const slices = { image: layers.image && cut(layers.image), prediction: cut(layers.predictions.get(model)), reference: cut(layers.reference) };
  const small = new OffscreenCanvas(width, height);
  const pixels = painted(slices, look, { opacity: 0.62, colouring: "agreement", low: 0, high: 255 });
  small.getContext("2d").putImageData(new ImageData(pixels, width, height), 0, 0);
  const scale = 600 / Math.max(width * dx, height * dy);
  Object.assign(canvas, { width: Math.round(width * dx * scale), height: Math.round(height * dy * scale) });
  const context = canvas.getContext("2d");
  context.imageSmoothingEnabled = false;
  context.scale(dx * scale, dy * scale);
  context.drawImage(small, 0, 0);
  const path = new Path2D();
  for (const [x0, y0, x1, y1] of outlineOf(slices.reference, look, width, height)) {
    path.moveTo(x0, y0);
    path.lineTo(x1, y1);
  }
  for (const [pixels, colour] of [[7, "rgb(0 0 0 / .6)"], [3, "#ffffff"]]) { // also visible on bright tissue
    context.lineWidth = pixels / (dx * scale);
    context.strokeStyle = colour;
    context.stroke(path);
  }
}

export class WorstCase {
  /** `figure` shows the worst case by the metric and label with which the page opens. */
  constructor(figure, study, { selection, metric, label }) {
    Object.assign(this, { figure, study, metric, label });
    this.made = [...figure.childNodes];
    this.legend = figure.querySelector(".legend");
    this.first = this.shown = { place: Number(figure.dataset.place), model: Number(figure.dataset.model) };
    figure.addEventListener("click", (event) => {
      if (event.target.closest("a") === null) return;
      event.preventDefault();
      selection.choose(this.shown, { open: true });
    });
    for (const choice of [metric, label]) choice.listen(() => this.refresh());
  }

  get metricPlace() {
    return Math.max(this.study.metrics.findIndex(({ key }) => key === this.metric.chosen), 0);
  }

  /** The mean over models, transformed so that more is better; null if no model has a value. */
  gainOf(place) {
    const { study, metricPlace } = this;
    const gains = study.models.map((_, model) => valueOf(study, metricPlace, model, place)).filter(Number.isFinite)
      .map((value) => gainOf(value, study.metrics[metricPlace].better));
    return gains.length === 0 ? null : gains.reduce((sum, gain) => sum + gain, 0) / gains.length;
  }

  /** The worst of these cases; the first one if several are equal. */
  worstOf(places) {
    let worst = null, least = Infinity;
    for (const place of places) {
      const gain = this.gainOf(place);
      if (gain !== null && gain < least) [worst, least] = [place, gain];
    }
    return worst;
  }

  worstModel(volume) {
    const { study, metricPlace } = this;
    const gain = (model) => {
      const value = valueOf(study, metricPlace, model, volume.case);
      return Number.isFinite(value) ? gainOf(value, study.metrics[metricPlace].better) : Infinity;
    };
    return volume.models.reduce((worst, model) => (gain(model) < gain(worst) ? model : worst), volume.models[0]);
  }

  /** Which part of the volume is shown: the chosen label, or everything. */
  lookOf(volume) {
    const chosen = volume.regions.filter(({ key }) => key === this.label.chosen);
    const regions = chosen.length === 0 ? volume.regions : chosen;
    return lookAt(regions.flatMap(({ codes }) => codes), regions.length === 1 && regions[0].codes.length > 1);
  }

  async refresh() {
    const { study, figure, metricPlace } = this;
    const wanted = `${this.label.chosen}\n${metricPlace}`;
    if (this.wanted === wanted) return;
    this.wanted = wanted;
    if (this.label.chosen === "" && metricPlace === 0) {
      this.shown = this.first;
      figure.replaceChildren(...this.made);
      return;
    }
    const worst = this.worstOf(study.ids.keys()), drawn = this.worstOf(study.volumes.map((volume) => volume.case));
    if (drawn === null) return;
    const volume = study.volumes.find((one) => one.case === drawn), model = this.worstModel(volume);
    const layers = await layersOf(volume);
    if (this.wanted !== wanted) return; // something else was chosen in the meantime
    this.shown = { place: drawn, model };
    const { title, words } = study.metrics[metricPlace];
    const label = this.label.chosen === "" ? "" : ` of ${study.views.find(({ key }) => key === this.label.chosen).name}`;
    const isWorst = this.gainOf(drawn) === this.gainOf(worst);
    const what = `${isWorst ? "Worst prediction" : "Worst prediction with an image"} by ${words}${label}: ${study.ids[drawn]}`;
    const score = `${study.models[model].name}, ${title} ${plainNumber(valueOf(study, metricPlace, model, drawn))}`;
    const canvas = make("canvas", { role: "img", "aria-label": `${what}; an axial slice. ${score}` });
    drawSlice(canvas, { volume, layers, model, look: this.lookOf(volume) });
    figure.replaceChildren(make("a", { href: "#viewer" }, canvas),
      make("figcaption", {}, make("b", {}, what), make("span", {}, score), this.legend?.cloneNode(true)));
  }
}
