// SPDX-License-Identifier: Apache-2.0
// Interactive figures: hovering names the case under the pointer, a click chooses it everywhere.
import { isSame } from "./selection.js";

const reach = 9; // a mark is hit if the pointer is within this many pixels

/** The marks of one figure, each with its position in the figure. */
class LiveDrawing {
  constructor(svg) {
    this.svg = svg;
    this.found = null;
  }

  get points() {
    if (this.found === null) this.found = [...this.marks(), ...this.manyMarks()];
    return this.found;
  }

  /** Whether it is on the screen, or can be scrolled there. Hidden figures have no coordinates. */
  get isShown() {
    return this.svg.getClientRects().length > 0;
  }

  /** From an element's own coordinates to those of the figure. */
  toDrawing(element) {
    return this.svg.getScreenCTM().inverse().multiply(element.getScreenCTM());
  }

  marks() {
    return [...this.svg.querySelectorAll(".mark")].map((element) => {
      const box = element.getBBox();
      const centre = new DOMPoint(box.x + box.width / 2, box.y + box.height / 2);
      return this.point(element, this.placeIn(element.dataset), centre.matrixTransform(this.toDrawing(element)));
    });
  }

  manyMarks() {
    const points = [];
    for (const path of this.svg.querySelectorAll("path.marks")) {
      const names = (path.dataset.cases ?? path.dataset.items ?? "").split(" ");
      const matrix = this.toDrawing(path);
      const starts = path.getAttribute("d").split("M").slice(1);
      starts.forEach((start, i) => {
        const [x, y] = start.match(/-?[\d.]+(?:e-?\d+)?/g).map(Number);
        const place = path.dataset.items === undefined
          ? { place: Number(names[i]) } : { part: Number(path.dataset.part), item: Number(names[i]) };
        points.push(this.point(path, place, new DOMPoint(x, y).matrixTransform(matrix)));
      });
    }
    return points;
  }

  placeIn(data) {
    return data.case === undefined ? { part: Number(data.part), item: Number(data.item) } : { place: Number(data.case) };
  }

  point(element, place, { x, y }) {
    const model = element.dataset.model;
    return { place, x, y, model: model === undefined ? null : Number(model) };
  }

  /** The mark nearest to a point on the screen, if it is near. */
  under(clientX, clientY) {
    const matrix = this.svg.getScreenCTM();
    if (matrix === null) return null;
    const at = new DOMPoint(clientX, clientY).matrixTransform(matrix.inverse());
    let best = null, nearest = reach / matrix.a;
    for (const point of this.points) {
      const distance = Math.hypot(point.x - at.x, point.y - at.y);
      if (distance <= nearest) [best, nearest] = [point, distance];
    }
    return best;
  }

  /** Draws rings around the marks of the chosen case or question. */
  ring(chosen) {
    this.svg.querySelectorAll("circle.chosen").forEach((ring) => ring.remove());
    if (chosen === null || !this.isShown) return;
    for (const point of this.points) {
      if (!isSame(point.place, chosen)) continue;
      const ring = document.createElementNS("http://www.w3.org/2000/svg", "circle");
      ring.setAttribute("class", "chosen");
      ring.setAttribute("cx", point.x);
      ring.setAttribute("cy", point.y);
      ring.setAttribute("r", 6);
      this.svg.append(ring);
    }
  }
}

/** The drawings of the page; `name(place, model)` is the text that is shown next to the pointer. */
export class LiveFigures {
  constructor(selection, name) {
    Object.assign(this, { selection, name });
    this.known = new WeakMap();
    this.tip = document.createElement("div");
    this.tip.className = "tip";
    this.tip.hidden = true;
    document.body.append(this.tip);
    const ringAll = () => this.drawings.forEach((drawing) => drawing.ring(selection.chosen));
    this.refresh();
    selection.listen(ringAll);
    document.addEventListener("figures-shown", ringAll);
    document.addEventListener("toggle", ringAll, { capture: true });
  }

  /** Finds the drawings that are on the page now. */
  refresh() {
    this.drawings = [...document.querySelectorAll(".drawing svg")].map((svg) => {
      if (!this.known.has(svg)) this.known.set(svg, this.enliven(new LiveDrawing(svg)));
      return this.known.get(svg);
    });
  }

  enliven(drawing) {
    const { tip } = this;
    drawing.svg.addEventListener("pointermove", (event) => {
      const point = drawing.under(event.clientX, event.clientY);
      tip.hidden = point === null;
      drawing.svg.classList.toggle("near", point !== null);
      if (point === null) return;
      tip.textContent = this.name(point.place, point.model);
      const left = Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8);
      tip.style.left = `${Math.max(left, 8)}px`;
      tip.style.top = `${event.clientY + 18}px`;
    });
    drawing.svg.addEventListener("pointerleave", () => { tip.hidden = true; });
    drawing.svg.addEventListener("click", (event) => {
      const point = drawing.under(event.clientX, event.clientY);
      if (point !== null) this.selection.choose(point.model === null ? point.place : { ...point.place, model: point.model });
    });
    return drawing;
  }
}
