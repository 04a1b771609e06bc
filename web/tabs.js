// SPDX-License-Identifier: Apache-2.0
// Panels as tabs: one metric at a time on the screen. On paper all of them are shown.
import { make, scrollTo } from "./dom.js";

/** Makes tabs of the panels; `metric` is the choice of a metric that the whole page follows. */
export function makeTabs(section, metric) {
  const panels = [...section.querySelectorAll(".panel")];
  const choose = (at) => {
    show(at);
    if (panels[at].dataset.metric !== "") metric.choose(panels[at].dataset.metric);
  };
  const tabs = panels.map((panel, at) => make("button", { type: "button", role: "tab", id: `tab-${at}`, "aria-controls": panel.id,
    onclick: () => choose(at) }, panel.dataset.title));
  const show = (at) => {
    panels.forEach((panel, i) => {
      panel.classList.toggle("away", i !== at);
      tabs[i].setAttribute("aria-selected", String(i === at));
      tabs[i].tabIndex = i === at ? 0 : -1;
    });
    document.dispatchEvent(new Event("figures-shown"));
  };
  panels.forEach((panel, at) => {
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", `tab-${at}`);
  });
  const list = make("div", { class: "tabs", role: "tablist", "aria-label": "Figures by metric" }, ...tabs);
  list.addEventListener("keydown", (event) => {
    const now = tabs.indexOf(document.activeElement);
    const next = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (next === undefined || now < 0) return;
    event.preventDefault();
    const at = (next + tabs.length) % tabs.length;
    choose(at);
    tabs[at].focus();
  });
  panels[0].before(list);
  show(0);
  metric.listen((key) => {
    const at = panels.findIndex((panel) => panel.dataset.metric === key);
    if (at >= 0 && panels[at].classList.contains("away")) show(at);
  });
}

/** The heads of the headline table choose their metric. */
export function liveHeads(metric) {
  for (const head of document.querySelectorAll(".headline th[data-metric]")) {
    const button = make("button", { type: "button", class: "plain", title: head.title, onclick: () => {
      metric.choose(head.dataset.metric);
      scrollTo(document.getElementById("figures"));
    } }, ...head.childNodes);
    head.removeAttribute("title");
    head.append(button);
  }
}
