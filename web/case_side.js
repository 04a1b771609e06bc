// SPDX-License-Identifier: Apache-2.0
// The chosen case beside the table: what happened to it, its scores, one slice, its rating.
import { faultsOf, groupsOf, valueOf } from "./data.js";
import { make, plainNumber } from "./dom.js";
import { PlaneView } from "./plane_view.js";
import { planes } from "./planes.js";

/** Shows the case of the viewer; its slice moves with the viewer's planes. */
export class CaseSide {
  constructor(root, viewer) {
    Object.assign(this, { root, viewer });
    this.plane = new PlaneView(planes[0], viewer);
    root.append(make("p", { class: "soft" }, "Choose a case in the table or in a figure."));
  }

  /** `seen`: the reader asked for it, so it is scrolled into view. */
  show(seen) {
    const { study, place, volume, reviews, selection } = this.viewer;
    const groups = groupsOf(study, place).map(([name, text]) => `${name} ${text}`).join(" · ");
    const open = make("button", { type: "button", onclick: () => selection.choose({ place }, { open: true }) }, "Open");
    const parts = [make("div", { class: "title" }, make("h3", {}, study.ids[place]), open),
      groups === "" ? null : make("p", { class: "soft groups", title: groups }, groups), this.scores(),
      volume === null ? make("p", { class: "soft" }, "Its images are not on this page.") : this.plane.element,
      reviews.widget(study.ids[place], "side")];
    this.root.replaceChildren(...parts.filter((part) => part !== null));
    if (seen && this.root.getBoundingClientRect().top > window.innerHeight - 120) this.root.scrollIntoView({ block: "nearest" });
  }

  /** What became of the case, model by model. */
  scores() {
    const { study, place, metricPlace } = this.viewer;
    const faults = faultsOf(study, place);
    const rows = study.models.map((model, m) => {
      const value = study.metrics.length === 0 ? null : valueOf(study, metricPlace, m, place);
      const words = faults.filter(([of]) => of === m).map(([, , reason]) => reason).join("; ");
      const cell = words === "" ? make("td", { class: "number" }, plainNumber(value))
        : make("td", { class: "number" }, value === null ? null : `${plainNumber(value)} `, make("span", { class: "bad" }, words));
      return make("tr", { "data-model": m }, make("th", { scope: "row" }, make("i", { class: `key k${m % 7}` }), model.name), cell);
    });
    return make("table", {}, make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "Model"),
      make("th", { scope: "col", class: "number" }, study.metrics[metricPlace]?.title ?? ""))), make("tbody", {}, ...rows));
  }

  draw() {
    if (!this.plane.element.isConnected) return;
    this.plane.draw();
    for (const row of this.root.querySelectorAll("tbody tr")) row.classList.toggle("drawn", Number(row.dataset.model) === this.viewer.model);
  }
}
