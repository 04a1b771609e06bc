// SPDX-License-Identifier: Apache-2.0
// Panels as tabs: one metric at a time on the screen. On paper all of them are shown.
import { make, scrollTo } from "./dom.js";

/** The panels as tabs; `metric` is the chosen metric, which the whole page follows. */
export class Tabs {
  constructor(section, metric) {
    this.place = section.querySelector("[data-part]");
    this.metric = metric;
    this.list = make("div", { class: "tabs", role: "tablist", "aria-label": "Figures by metric" });
    this.list.addEventListener("keydown", (event) => this.onKey(event));
    this.place.before(this.list);
    metric.listen((key) => this.onMetric(key));
    this.refresh();
  }

  /** Reads the panels again. */
  refresh() {
    this.panels = [...this.place.querySelectorAll(".panel")];
    this.tabs = this.panels.map((panel, at) => make("button", { type: "button", role: "tab", id: `tab-${at}`, "aria-controls": panel.id,
      onclick: () => this.choose(at) }, panel.dataset.title));
    this.list.replaceChildren(...this.tabs);
    this.panels.forEach((panel, at) => {
      panel.setAttribute("role", "tabpanel");
      panel.setAttribute("aria-labelledby", `tab-${at}`);
    });
    this.show(Math.max(this.placeOf(this.metric.chosen), 0));
  }

  placeOf(key) {
    return this.panels.findIndex((panel) => panel.dataset.metric === key);
  }

  choose(at) {
    this.show(at);
    if (this.panels[at].dataset.metric !== "") this.metric.choose(this.panels[at].dataset.metric);
  }

  show(at) {
    this.panels.forEach((panel, i) => {
      panel.classList.toggle("away", i !== at);
      this.tabs[i].setAttribute("aria-selected", String(i === at));
      this.tabs[i].tabIndex = i === at ? 0 : -1;
    });
    document.dispatchEvent(new Event("figures-shown"));
  }

  onKey(event) {
    const { tabs } = this;
    const now = tabs.indexOf(document.activeElement);
    const next = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (next === undefined || now < 0) return;
    event.preventDefault();
    const at = (next + tabs.length) % tabs.length;
    this.choose(at);
    this.tabs[at].focus();
  }

  onMetric(key) {
    const at = this.placeOf(key);
    if (at >= 0 && this.panels[at].classList.contains("away")) this.show(at);
  }
}

/** A click on a column heading of the headline table chooses its metric. */
export function liveHeads(metric) {
  for (const head of document.querySelectorAll(".headline th[data-metric]")) {
    if (head.querySelector("button") !== null) continue;
    const button = make("button", { type: "button", class: "plain", title: head.title, onclick: () => {
      metric.choose(head.dataset.metric);
      scrollTo(document.getElementById("figures"));
    } }, ...head.childNodes);
    head.removeAttribute("title");
    head.append(button);
  }
}
