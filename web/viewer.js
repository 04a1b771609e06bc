// SPDX-License-Identifier: Apache-2.0
// One case in detail: three planes through its voxels, its values, its rating.
import { compareValues } from "./case_table.js";
import { CaseSide } from "./case_side.js";
import { groupsOf, layersOf, valueOf } from "./data.js";
import { make, makeSelect, plainNumber, scrollTo, within } from "./dom.js";
import { PlaneView } from "./plane_view.js";
import { errorsOf, labelColour, lookAt, planes } from "./planes.js";
import { hasSolid, SolidView } from "./solid.js";

export class CaseViewer {
  constructor(root, study, { selection, reviews, metric, label, side }) {
    Object.assign(this, { root, study, selection, reviews, metric, label });
    this.place = null;
    this.volume = null;
    this.models = [null]; // one, or two side by side
    this.wanted = [null, null]; // the models that the reader asked for last
    this.chosen = new Set(); // regions that are shown
    this.at = [0, 0, 0];
    this.centre = [0, 0, 0];
    this.zoom = 1;
    this.drag = "cross";
    this.radiological = false;
    this.style = { image: true, opacity: 0.62, colouring: "agreement", reference: true, prediction: false, cross: true, low: 0, high: 255 };
    this.rows = [0, 1].map((row) => planes.map((plane) => new PlaneView(plane, this, row)));
    this.chips = make("div", { class: "chips", role: "group", "aria-label": "Cases with images" });
    this.stage = make("div", { class: "case" });
    this.side = new CaseSide(side, this);
    root.append(this.chips, this.stage);
    if (study.volumes.length > 0) this.chips.append(make("span", { class: "soft" }, this.chosenBy()));
    for (const volume of study.volumes.filter(({ why }) => why !== ""))
      this.chips.append(make("button", { type: "button", "data-place": volume.case,
        onclick: () => selection.choose({ place: volume.case }, { open: true }) },
      study.ids[volume.case], make("span", { class: "soft" }, ` ${volume.why}`)));
    selection.listen((chosen, { open }) => {
      if (chosen?.place === undefined) return;
      this.wanted[0] = chosen.model ?? this.wanted[0];
      this.show(chosen.place, { seen: true });
      if (open) scrollTo(document.getElementById("viewer"));
    });
    for (const choice of [metric, label]) choice.listen(() => { if (this.place !== null) this.show(this.place); });
    if (study.volumes.length > 0) this.show(study.volumes[0].case);
    else this.stage.append(make("p", { class: "soft" }, "Choose a case in a figure or in the table."));
  }

  get model() {
    return this.models[0];
  }

  /** The metric by which the cases with images were chosen, with which the page opens. */
  chosenBy() {
    const { metrics, views } = this.study;
    return metrics.length === 0 ? "" : `By ${metrics[0].title}${views.length > 1 ? ` (${views[0].name})` : ""}:`;
  }

  /** The position of the chosen metric among those of the study. */
  get metricPlace() {
    return Math.max(this.study.metrics.findIndex(({ key }) => key === this.metric.chosen), 0);
  }

  async show(place, { seen = false } = {}) {
    const isNew = this.place !== place;
    this.place = place;
    for (const chip of this.chips.querySelectorAll("button")) chip.setAttribute("aria-pressed", String(Number(chip.dataset.place) === place));
    const volume = this.study.volumes.find((one) => one.case === place) ?? null;
    const layers = volume === null || volume === this.volume ? this.layers : await layersOf(volume);
    if (this.place !== place) return; // another case was chosen in the meantime
    Object.assign(this, { volume, layers });
    const parts = [this.heading()];
    if (volume === null) parts.push(make("p", { class: "soft absent" }, this.absence()));
    else {
      const tools = this.start(isNew);
      this.planesBox = make("div", { class: "rows" });
      parts.push(tools, this.planesBox, this.legend(), this.controls());
      this.planesRows();
    }
    parts.push(make("div", { class: "facts" }, this.values(), this.reviews.widget(this.study.ids[place], "viewer")));
    this.stage.replaceChildren(...parts);
    this.side.show(seen);
    if (volume !== null) this.drawAll();
  }

  absence() {
    return `The images of this case are not on this page. assay report … --cases ${this.study.ids[this.place]} adds them.`;
  }

  /** The planes of each model side by side at one scale. */
  planesRows() {
    const { study, volume } = this;
    const extent = volume.shape.map((count, axis) => count * volume.spacing[axis]);
    const widths = planes.reduce((sum, { right }) => sum + extent[right], 0);
    const rows = this.models.map((model, row) => {
      const planesRow = make("div", { class: "planes" }, ...this.rows[row].map(({ element }) => element));
      planesRow.style.setProperty("--tracks", planes.map(({ right }) => `${extent[right].toFixed(1)}fr`).join(" "));
      planesRow.style.setProperty("--widest", `${((this.models.length > 1 ? 14 : 23) * widths / Math.max(extent[1], extent[2])).toFixed(1)}rem`);
      return this.models.length === 1 ? planesRow
        : make("div", { class: "of-model" }, make("h4", {}, make("i", { class: `key k${model % 7}` }), `${study.models[model].name} `,
          make("small", {}, this.scoreText(model))), planesRow);
    });
    this.planesBox.replaceChildren(...rows);
  }

  /** "Dice 0.81" of the case, in the chosen metric. */
  scoreText(model) {
    const { study, metricPlace } = this;
    return study.metrics.length === 0 ? "" : `${study.metrics[metricPlace].title} ${plainNumber(valueOf(study, metricPlace, model, this.place))}`;
  }

  heading() {
    const groups = groupsOf(this.study, this.place).map(([name, text]) => `${name} ${text}`).join(" · ");
    return make("h3", {}, this.study.ids[this.place], groups === "" ? null : make("small", {}, ` ${groups}`));
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
    const label = study.views.find(({ key }) => key === this.label.chosen)?.name ?? "";
    return make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Values of this case" },
      make("table", {}, make("caption", { class: label === "" ? "unseen" : "soft" }, `Values of this case${label === "" ? "" : `, ${label}`}`),
        make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "Model"),
          ...metrics.map(([metric]) => make("th", { scope: "col", class: "number" }, metric.title)))),
        make("tbody", {}, ...rows)));
  }

  /** The model that did worst in the chosen metric, among those with images of this case. */
  worstModel() {
    const { study, volume, place, metricPlace } = this;
    if (study.metrics.length === 0) return volume.models[0];
    const value = (model) => valueOf(study, metricPlace, model, place);
    return volume.models.toSorted((a, b) => compareValues(value(a), value(b), study.metrics[metricPlace].better))[0];
  }

  /** Regions of the chosen label; all regions if no label is chosen, or if the case has none of that name. */
  regionsToShow() {
    const at = this.volume.regions.findIndex(({ key }) => key === this.label.chosen);
    return new Set(at < 0 ? this.volume.regions.keys() : [at]);
  }

  /** Shows the whole of a new case; returns the selector of what is compared. */
  start(isNew) {
    const { volume } = this;
    const models = this.wanted.map((model) => (volume.models.includes(model) ? model : null));
    const first = models[0] ?? (isNew || !volume.models.includes(this.model) ? this.worstModel() : this.model);
    this.models = models[1] === null || models[1] === first ? [first] : [first, models[1]];
    const regions = this.regionsToShow();
    this.style.own = new Map(volume.regions.filter(({ codes, color }) => codes.length === 1 && color).map(({ codes, color }) => [codes[0], color]));
    const isSame = !isNew && this.lookedFor === this.label.chosen;
    if (!isSame) {
      Object.assign(this, { chosen: regions, errors: null, lookedFor: this.label.chosen });
      this.at = this.errorsHere()[0]?.at ?? [...volume.focus]; // the largest error, or else the slices with most foreground
    }
    if (isNew) {
      this.centre = volume.shape.map((count) => count / 2);
      this.zoom = 1;
    }
    return this.choiceTools();
  }

  /** Says which of two models is shown in which row. */
  setModel(row, model) {
    this.wanted[row] = model;
    this.models = this.wanted[1] === null || !this.volume.models.includes(this.wanted[1]) ? [this.models[0]] : [this.models[0], this.wanted[1]];
    if (row === 0) this.models[0] = model;
    this.errors = null;
    this.labelScores();
    this.planesRows();
    this.drawAll();
  }

  choiceTools() {
    const { study, volume } = this;
    const tools = [];
    if (volume.models.length > 1) {
      const options = volume.models.map((model) => [model, study.models[model].name]);
      const first = makeSelect("Prediction of", options, (value) => this.setModel(0, Number(value)));
      const second = makeSelect("Second model", [["", "beside it: no other"], ...options.map(([model, name]) => [model, `beside it: ${name}`])],
        (value) => this.setModel(1, value === "" ? null : Number(value)));
      first.value = this.model;
      second.value = this.models[1] ?? "";
      tools.push(first, second);
    }
    if (volume.regions.length > 1) tools.push(this.regionToggles());
    if (volume.labels.length > 1) {
      const select = makeSelect("Colours", [["agreement", "colours: agreement"], ["prediction", "colours: predicted labels"], ["reference", "colours: reference labels"]],
        (value) => { this.style.colouring = value; this.tellColours(); this.drawAll(); });
      select.value = this.style.colouring;
      tools.push(select);
    }
    tools.push(make("button", { type: "button", class: "jump", onclick: () => this.nextError() }, "Largest error"),
      make("span", { class: "soft found", role: "status" }));
    return make("div", { class: "tools" }, ...tools);
  }

  /** A switch per label or region, with its score in this case. */
  regionToggles() {
    this.toggles = this.volume.regions.map((region, at) => {
      const swatch = make("i", { class: "swatch" });
      if (region.codes.length === 1) swatch.style.background = `rgb(${labelColour(region.codes[0], this.style.own).join(" ")})`;
      const button = make("button", { type: "button", "aria-pressed": String(this.chosen.has(at)), onclick: () => {
        if (!this.chosen.delete(at)) this.chosen.add(at);
        button.setAttribute("aria-pressed", String(this.chosen.has(at)));
        this.errors = null;
        this.drawAll();
      } }, region.codes.length === 1 ? swatch : null, ` ${region.name} `, make("span", { class: "soft score" }));
      return button;
    });
    this.labelScores();
    return make("span", { class: "regions", role: "group", "aria-label": "Labels" }, ...this.toggles);
  }

  /** Scores in the chosen metric, or in the first metric if labels do not have the chosen one. */
  labelScores() {
    const metric = this.study.metrics[this.metricPlace]?.key.split(" of ")[0];
    this.volume.regions.forEach((region, at) => {
      const score = this.toggles?.[at]?.querySelector(".score");
      const values = region.values[metric] ?? Object.values(region.values)[0] ?? [];
      if (score) score.textContent = this.models.map((model) => plainNumber(values[model])).join(" | ");
    });
  }

  get look() {
    const regions = [...this.chosen].map((at) => this.volume.regions[at]);
    return lookAt(regions.flatMap(({ codes }) => codes), regions.length === 1 && regions[0].codes.length > 1);
  }

  controls() {
    const { volume, style } = this;
    const tools = [];
    const dragging = [["cross", "Point"], ["slices", "Slices"], ["pan", "Move"], ["contrast", "Contrast"]].filter(([key]) => key !== "contrast" || volume.image);
    const modes = dragging.map(([key, text]) => make("button", { type: "button", "data-drag": key, "aria-pressed": String(this.drag === key), onclick: () => {
      this.drag = key;
      modes.forEach((mode) => mode.setAttribute("aria-pressed", String(mode.dataset.drag === key)));
      this.root.dataset.drag = key;
    } }, text));
    tools.push(make("span", { class: "modes", role: "group", "aria-label": "What dragging does" }, ...modes),
      make("span", { class: "modes", role: "group", "aria-label": "Zoom" },
        make("button", { type: "button", "aria-label": "Zoom out", onclick: () => this.zoomBy(0.8) }, "−"),
        make("button", { type: "button", "aria-label": "Zoom in", onclick: () => this.zoomBy(1.25) }, "+"),
        make("button", { type: "button", onclick: () => this.reset() }, "Reset")));
    const flip = make("button", { type: "button", "aria-pressed": String(this.radiological), onclick: () => {
      this.radiological = !this.radiological;
      flip.setAttribute("aria-pressed", String(this.radiological));
      this.drawAll();
    }, title: "The patient's right is on the left of the screen" }, "Radiological");
    const opacity = make("input", { type: "range", min: 0, max: 100, "aria-label": "Opacity of the colours",
      oninput: () => { style.opacity = Number(opacity.value) / 100; this.drawAll(); } });
    opacity.value = 100 * style.opacity;
    tools.push(flip, make("label", { class: "toggle" }, "colour ", opacity));
    for (const [key, text] of [["image", "image"], ["reference", "reference line"], ["prediction", "prediction line"], ["cross", "cross-hair"]]) {
      if (key === "image" && !volume.image) continue;
      const box = make("input", { type: "checkbox", onchange: () => { style[key] = box.checked; this.drawAll(); } });
      box.checked = style[key];
      tools.push(make("label", { class: "toggle" }, box, ` ${text}`));
    }
    this.solid?.close();
    this.solid = null;
    if (hasSolid()) {
      this.solidButton = make("button", { type: "button", "aria-pressed": "false", onclick: () => this.toggleSolid() }, "3-D");
      tools.push(this.solidButton);
    }
    return make("div", { class: "tools" }, ...tools);
  }

  /** Switches between the planes and the case in 3-D. */
  async toggleSolid() {
    const isShown = this.solid !== null;
    this.solidButton.setAttribute("aria-pressed", String(!isShown));
    this.planesBox.classList.toggle("solid-only", !isShown);
    if (isShown) {
      this.solid.close();
      this.solid = null;
    } else {
      this.solid = new SolidView(this.planesBox);
      await this.solid.show(this.volume, this.layers, this.model, this.look);
    }
  }

  legend() {
    this.colours = make("span", { class: "legend" });
    this.readout = make("span", { class: "readout" });
    this.tellColours();
    return make("p", { class: "soft legend" }, this.colours, this.readout,
      ...this.volume.notes.map((note) => make("span", { class: "note" }, note)));
  }

  /** What the colours mean: kinds of agreement, or labels. */
  tellColours() {
    const { volume, style } = this;
    const entry = (swatch, text) => make("span", {}, swatch, ` ${text} `);
    const kind = (css, text) => entry(make("i", { class: `swatch ${css}` }), text);
    const entries = style.colouring === "agreement" ? [kind("both", "agreement"), kind("under", "missed"), kind("over", "false")]
      : volume.labels.map((name, i) => {
        const swatch = make("i", { class: "swatch" });
        swatch.style.background = `rgb(${labelColour(i + 1, style.own).join(" ")})`;
        return entry(swatch, name);
      });
    if (style.colouring === "agreement" && volume.labels.length > 1) entries.push(kind("wrong", "wrong label"));
    this.colours.replaceChildren(...entries, kind("line", "reference"));
    this.root.dataset.colouring = style.colouring;
  }

  /** Says what is at a voxel; for null, only how to navigate. */
  read(voxel) {
    const { volume, layers } = this;
    if (volume === null || this.readout === undefined) return;
    if (voxel === null) {
      this.readout.textContent = "wheel, arrow keys or a drag: slices · + and −: zoom · e: next error";
      return;
    }
    const i = voxel[0] + volume.shape[0] * (voxel[1] + volume.shape[1] * voxel[2]);
    const name = (code) => (code === 0 ? "background" : volume.labels[code - 1]);
    const millimetres = voxel.map((value, axis) => ((value - this.at[axis]) * volume.spacing[axis]));
    const parts = [`reference ${name(layers.reference[i])}`];
    for (const model of this.models)
      parts.push(`${this.models.length > 1 ? this.study.models[model].name : "prediction"} ${name(layers.predictions.get(model)[i])}`);
    if (layers.image !== null) parts.push(`grey ${layers.image[i]}`);
    parts.push(`${Math.hypot(...millimetres).toFixed(1)} mm from the cross-hair`);
    this.readout.textContent = parts.join(" · ");
  }

  move(axis, slice) {
    const voxel = [...this.at];
    voxel[axis] = slice;
    this.goTo(voxel);
  }

  goTo(voxel) {
    this.at = voxel.map((value, axis) => within(value, 0, this.volume.shape[axis] - 1));
    this.drawAll();
  }

  zoomBy(factor) {
    this.zoom = within(this.zoom * factor, 1, 16);
    if (factor > 1) this.centre = this.at.map((value) => value + 0.5);
    this.drawAll();
  }

  panBy(steps) {
    for (const [axis, step] of steps) this.centre[axis] = within(this.centre[axis] + step, 0, this.volume.shape[axis]);
    this.drawAll();
  }

  /** Moving right increases the contrast, moving up the brightness. */
  contrastBy(dx, dy) {
    const { style } = this;
    const width = within((style.high - style.low) * (1 - dx / 200), 8, 1024), middle = (style.low + style.high) / 2 + dy;
    Object.assign(style, { low: middle - width / 2, high: middle + width / 2 });
    this.drawAll();
  }

  reset() {
    Object.assign(this.style, { low: 0, high: 255 });
    this.zoom = 1;
    this.centre = this.volume.shape.map((count) => count / 2);
    this.drawAll();
  }

  /** Connected errors in what is shown, the largest first. */
  errorsHere() {
    const { layers, volume } = this;
    if (this.errors === null) {
      this.errors = errorsOf(layers.predictions.get(this.model), layers.reference, volume.shape, this.look);
      this.nextOne = 0;
    }
    return this.errors;
  }

  /** Goes to the largest connected error, then to the next, and from the last back to the first. */
  nextError() {
    const { volume } = this;
    const found = this.errorsHere(), next = this.nextOne;
    const said = this.stage.querySelector(".found");
    if (found.length === 0) {
      said.textContent = "no error";
      return;
    }
    this.nextOne = (next + 1) % found.length;
    const ml = found[next].size * volume.spacing.reduce((product, side) => product * side, 1) / 1000;
    said.textContent = `error ${next + 1} of ${found.length}: ${plainNumber(ml)} mL`;
    this.stage.querySelector(".jump").textContent = found.length > 1 ? "Next error" : "Largest error";
    this.centre = found[next].at.map((value) => value + 0.5);
    this.goTo(found[next].at);
  }

  drawAll() {
    for (const row of this.rows.slice(0, this.models.length)) for (const plane of row) plane.draw();
    this.side.draw();
    this.read(null);
    this.stage.dataset.place = this.place;
  }
}
