// SPDX-License-Identifier: Apache-2.0
// One case in detail: facts, rating, and three planes through its voxels.
import { compareValues } from "./case_table.js";
import { groupsOf, readBlock, valueOf } from "./data.js";
import { make, makeSelect, plainNumber, scrollTo } from "./dom.js";
import { outlineOf, painted, planes, sliceOf } from "./planes.js";
import { hasSolid, SolidView } from "./solid.js";

/** The layers of an embedded volume, unpacked once. */
async function layersOf(volume) {
  const block = (name) => readBlock(`volume-${volume.number}-${name}`);
  const [image, reference, ...predictions] = await Promise.all(
    [volume.image ? block("image") : null, block("reference"), ...volume.models.map(block)]);
  return { image, reference, predictions: new Map(volume.models.map((model, i) => [model, predictions[i]])) };
}

/** One plane: a canvas with a slider. */
class PlaneView {
  constructor(plane, viewer) {
    this.plane = plane;
    this.viewer = viewer;
    this.canvas = make("canvas", { tabindex: "0", role: "img", "data-plane": plane.name });
    this.slider = make("input", { type: "range", min: 0, "aria-label": `Slice, ${plane.name}`,
      oninput: () => this.go(Number(this.slider.value)) });
    this.label = make("span", { class: "soft" });
    const [left, right, low, high] = plane.edges;
    const letter = (text, place) => make("span", { class: `edge ${place}`, "aria-hidden": "true" }, text);
    this.element = make("div", { class: "plane" },
      make("div", { class: "frame" }, this.canvas, letter(left, "left"), letter(right, "right"), letter(high, "high"), letter(low, "low")),
      make("div", { class: "slice" }, this.slider, this.label));
    this.canvas.addEventListener("wheel", (event) => { event.preventDefault(); this.go(this.slice - Math.sign(event.deltaY)); }, { passive: false });
    this.canvas.addEventListener("keydown", (event) => this.onKey(event));
    this.canvas.addEventListener("click", (event) => this.onClick(event));
  }

  get slice() {
    return this.viewer.at[this.plane.through];
  }

  go(slice) {
    this.viewer.move(this.plane.through, slice);
  }

  onKey(event) {
    const step = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 10, PageDown: -10 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    this.go(this.slice + step);
  }

  /** The other planes go through the voxel that was clicked. */
  onClick(event) {
    const box = this.canvas.getBoundingClientRect();
    const { shape } = this.viewer.volume;
    const { right, up } = this.plane;
    this.viewer.move(right, Math.floor((event.clientX - box.left) / box.width * shape[right]));
    this.viewer.move(up, shape[up] - 1 - Math.floor((event.clientY - box.top) / box.height * shape[up]));
  }

  draw() {
    const { volume, layers, model, bits, style } = this.viewer;
    const { right, up, through } = this.plane;
    const [width, height] = [volume.shape[right], volume.shape[up]];
    const factor = Math.max(1, Math.floor(480 / Math.max(width, height)));
    const cut = (voxels) => sliceOf(voxels, volume.shape, this.plane, this.slice);
    const slices = { image: layers.image && style.image ? cut(layers.image) : null,
      prediction: cut(layers.predictions.get(model)), reference: cut(layers.reference) };
    Object.assign(this.canvas, { width: width * factor, height: height * factor });
    Object.assign(this.canvas.dataset, { factor, slice: this.slice });
    this.canvas.style.aspectRatio = `${width * volume.spacing[right]} / ${height * volume.spacing[up]}`;
    this.canvas.setAttribute("aria-label", `${this.plane.name} slice ${this.slice + 1} of ${volume.shape[through]}`);
    const small = new OffscreenCanvas(width, height);
    small.getContext("2d").putImageData(new ImageData(painted(slices, bits, style.agreement ? 0.62 : 0), width, height), 0, 0);
    const context = this.canvas.getContext("2d");
    context.imageSmoothingEnabled = false;
    context.drawImage(small, 0, 0, width * factor, height * factor);
    if (style.reference) this.stroke(context, outlineOf(slices.reference, bits, width, height), factor, "#ffffff", []);
    if (style.prediction) this.stroke(context, outlineOf(slices.prediction, bits, width, height), factor, "#f0e442", [4, 3]);
    this.slider.max = volume.shape[through] - 1;
    this.slider.value = this.slice;
    this.label.textContent = `${this.plane.name} ${this.slice + 1}/${volume.shape[through]}`;
  }

  stroke(context, segments, factor, colour, dashes) {
    context.beginPath();
    for (const [x0, y0, x1, y1] of segments) {
      context.moveTo(x0 * factor, y0 * factor);
      context.lineTo(x1 * factor, y1 * factor);
    }
    context.setLineDash(dashes);
    context.lineWidth = 1.5;
    context.strokeStyle = colour;
    context.stroke();
  }
}

export class CaseViewer {
  constructor(root, study, selection, reviews) {
    Object.assign(this, { root, study, selection, reviews });
    this.place = null;
    this.volume = null;
    this.model = null;
    this.wanted = null; // the model that the reader asked for last
    this.bits = 255;
    this.at = [0, 0, 0];
    this.style = { image: true, agreement: true, reference: true, prediction: false };
    this.planes = planes.map((plane) => new PlaneView(plane, this));
    this.chips = make("div", { class: "chips", role: "group", "aria-label": "Cases with images" });
    this.stage = make("div", { class: "case" });
    root.append(this.chips, this.stage);
    for (const volume of study.volumes)
      this.chips.append(make("button", { type: "button", "data-place": volume.case,
        onclick: () => selection.choose({ place: volume.case }, { open: true }) },
      study.ids[volume.case], make("span", { class: "soft" }, ` ${volume.why}`)));
    selection.listen((chosen, { open }) => {
      if (chosen?.place === undefined) return;
      this.wanted = chosen.model ?? this.wanted;
      this.show(chosen.place);
      if (open) scrollTo(document.getElementById("viewer"));
    });
    if (study.volumes.length > 0) this.show(study.volumes[0].case);
    else this.stage.append(make("p", { class: "soft" }, "Choose a case in a figure or in the table."));
  }

  async show(place) {
    this.place = place;
    for (const chip of this.chips.children) chip.setAttribute("aria-pressed", String(Number(chip.dataset.place) === place));
    const volume = this.study.volumes.find((one) => one.case === place) ?? null;
    const layers = volume === null ? null : await layersOf(volume);
    if (this.place !== place) return; // another case was chosen meanwhile
    const parts = [this.heading(), make("div", { class: "facts" }, this.values(), this.review())];
    if (volume === null) parts.push(make("p", { class: "soft absent" }, `The images of this case are not on this page. `
      + `assay report … --cases ${this.study.ids[place]} adds them.`));
    Object.assign(this, { volume, layers });
    if (volume !== null) parts.push(this.controls(), this.planesRow(), this.legend());
    this.stage.replaceChildren(...parts);
    if (volume !== null) this.drawAll();
  }

  /** The planes side by side at one scale. */
  planesRow() {
    const extent = this.volume.shape.map((count, axis) => count * this.volume.spacing[axis]);
    const row = make("div", { class: "planes" }, ...this.planes.map(({ element }) => element));
    row.style.setProperty("--tracks", planes.map(({ right }) => `${extent[right].toFixed(1)}fr`).join(" "));
    const widths = planes.reduce((sum, { right }) => sum + extent[right], 0);
    row.style.setProperty("--widest", `${(26 * widths / Math.max(extent[1], extent[2])).toFixed(1)}rem`);
    return row;
  }

  heading() {
    const groups = groupsOf(this.study, this.place).map(([name, text]) => `${name} ${text}`).join(" · ");
    return make("div", {}, make("h3", {}, this.study.ids[this.place]), groups === "" ? null : make("p", { class: "soft" }, groups));
  }

  values() {
    const { study, place } = this;
    const metrics = study.metrics.map((metric, i) => [metric, i]).slice(0, 8);
    const rows = study.models.map((model, m) => {
      const reason = study.reasons.get(place)?.find(([lost]) => lost === m)?.[1];
      const cells = reason === undefined
        ? metrics.map(([, i]) => make("td", { class: "number" }, plainNumber(valueOf(study, i, m, place))))
        : [make("td", { colspan: metrics.length, class: "bad" }, reason)];
      return make("tr", {}, make("th", { scope: "row" }, make("i", { class: `key k${m % 7}` }), model.name), ...cells);
    });
    return make("div", { class: "wide" }, make("table", {}, make("caption", { class: "unseen" }, "Values of this case"),
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "Model"),
        ...metrics.map(([metric]) => make("th", { scope: "col", class: "number" }, metric.title)))),
      make("tbody", {}, ...rows)));
  }

  review() {
    const id = this.study.ids[this.place];
    const review = this.reviews.of(id);
    const stars = [1, 2, 3, 4, 5].map((rating) => {
      const button = make("button", { type: "button", "aria-pressed": String(review.rating === rating), "aria-label": `Rating ${rating} of 5`,
        onclick: () => {
          this.reviews.set(id, { rating: this.reviews.of(id).rating === rating ? null : rating });
          stars.forEach((star, i) => star.setAttribute("aria-pressed", String(this.reviews.of(id).rating === i + 1)));
        } }, String(rating));
      return button;
    });
    const note = make("textarea", { rows: 2, placeholder: "Note", "aria-label": `Note on ${id}`, oninput: () => this.reviews.set(id, { note: note.value }) });
    note.value = review.note;
    return make("div", { class: "review" }, make("div", { class: "rating", role: "group", "aria-label": "Rating" }, "Rating ", ...stars), note);
  }

  /** The model that did worst in the first metric, among those with images of this case. */
  worstModel() {
    const { study, volume, place } = this;
    if (study.metrics.length === 0) return volume.models[0];
    const value = (model) => valueOf(study, 0, model, place);
    return volume.models.toSorted((a, b) => compareValues(value(a), value(b), study.metrics[0].better))[0];
  }

  controls() {
    const { study, volume } = this;
    this.model = volume.models.includes(this.wanted) ? this.wanted : this.worstModel();
    this.at = [...volume.focus];
    this.bits = 255;
    const tools = [];
    if (volume.models.length > 1) {
      const select = makeSelect("Prediction of", volume.models.map((model) => [model, study.models[model].name]),
        (value) => { this.model = this.wanted = Number(value); this.drawAll(); });
      select.value = this.model;
      tools.push(select);
    }
    if (volume.regions.length > 1)
      tools.push(makeSelect("Region", [[255, "all regions"], ...volume.regions.map((name, bit) => [1 << bit, name])],
        (value) => { this.bits = Number(value); this.drawAll(); }));
    const toggles = [["image", "image"], ["agreement", "agreement"], ["reference", "reference outline"], ["prediction", "prediction outline"]]
      .filter(([key]) => key !== "image" || volume.image);
    for (const [key, text] of toggles) {
      const box = make("input", { type: "checkbox", onchange: () => { this.style[key] = box.checked; this.drawAll(); } });
      box.checked = this.style[key];
      tools.push(make("label", { class: "toggle" }, box, ` ${text}`));
    }
    this.solid?.close();
    this.solid = null;
    if (hasSolid())
      tools.push(make("button", { type: "button", onclick: () => this.showSolid() }, "3-D"));
    return make("div", { class: "tools" }, ...tools);
  }

  async showSolid() {
    this.solid ??= new SolidView(this.stage);
    await this.solid.show(this.volume, this.layers, this.model, this.bits);
  }

  legend() {
    const swatch = (kind, text) => make("span", {}, make("i", { class: `swatch ${kind}` }), ` ${text} `);
    return make("p", { class: "soft legend" }, swatch("both", "both"), swatch("over", "only the prediction"), swatch("under", "only the reference"),
      "· wheel, arrow keys or slider move through slices, a click moves the other planes", ...this.volume.notes.map((note) => make("span", { class: "note" }, ` · ${note}`)));
  }

  move(axis, slice) {
    this.at[axis] = Math.min(Math.max(slice, 0), this.volume.shape[axis] - 1);
    this.drawAll();
  }

  drawAll() {
    for (const plane of this.planes) plane.draw();
    this.stage.dataset.place = this.place;
  }
}
