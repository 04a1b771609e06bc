// SPDX-License-Identifier: Apache-2.0
// The choice of a label and of a metric for the whole page. The page's address stores it.
import { readBlock } from "./data.js";
import { make, makeSelect } from "./dom.js";

/** Parts of the page and values, by label; those of a label are decompressed when it is first chosen. */
export class Views {
  constructor(study) {
    this.study = study;
    this.shown = this.wanted = "";
    this.places = [...document.querySelectorAll("[data-part]")];
    this.known = new Map([["", { metrics: study.metrics, values: study.values, failed: study.failed }]]);
  }

  async read(key) {
    if (this.known.has(key)) return this.known.get(key);
    const number = this.study.views.findIndex((view) => view.key === key);
    const { parts, ...values } = JSON.parse(new TextDecoder().decode(await readBlock(`view-${number}`)));
    const nodes = ([name, html]) => {
      const template = document.createElement("template"); // made and escaped by the program, like the rest of the page
      template.innerHTML = html;
      return [name, [...template.content.childNodes]];
    };
    this.known.set(key, { ...values, parts: new Map(Object.entries(parts).map(nodes)) });
    return this.known.get(key);
  }

  has(key) {
    return key === "" || this.study.views.some((view) => view.key === key);
  }

  /** Shows a label. Returns false if another one was chosen in the meantime. */
  async show(key) {
    this.wanted = key;
    const { metrics, values, failed, parts } = await this.read(key);
    if (this.wanted !== key) return false;
    if (this.shown === key) return true;
    const away = this.known.get(this.shown);
    away.parts = new Map(this.places.map((place) => [place.dataset.part, [...place.childNodes]]));
    for (const place of this.places) place.replaceChildren(...parts.get(place.dataset.part));
    Object.assign(this.study, { metrics, values, failed });
    this.shown = key;
    return true;
  }
}

/** "#viewer&label=2&metric=dice": the section, then what was chosen. */
function readAddress() {
  const parts = location.hash.slice(1).split("&");
  const chosen = new Map(parts.filter((part) => part.includes("=")).map((part) => part.split("=").map(decodeURIComponent)));
  return { section: parts[0].includes("=") ? "" : parts[0], label: chosen.get("label"), metric: chosen.get("metric") };
}

function writeAddress({ label, metric }) {
  const parts = [readAddress().section, label === "" ? "" : `label=${encodeURIComponent(label)}`,
    metric === null ? "" : `metric=${encodeURIComponent(metric)}`].filter((part) => part !== "");
  const address = parts.length === 0 ? location.href.split("#")[0] : `#${parts.join("&")}`;
  history.replaceState(history.state, "", address);
}

/** The two selectors at the top of the page; `label` and `metric` are selections that everything follows. */
export async function makeChoices(study, { label, metric }) {
  const views = new Views(study);
  const chooseLabel = async (key) => { if (await views.show(key)) label.choose(key); };
  const labels = makeSelect("Label", study.views.map((view) => [view.key, view.name]), chooseLabel);
  const metrics = makeSelect("Metric", [], (key) => metric.choose(key));
  const box = make("div", { class: "choices", role: "group", "aria-label": "What the page shows" });
  let offered = "";
  const tell = () => {
    const keys = study.metrics.map(({ key }) => key).join();
    if (offered !== keys) { // replacing the options of an open list would close it
      metrics.replaceChildren(...study.metrics.map(({ key, title }) => make("option", { value: key }, title)));
      offered = keys;
    }
    metrics.value = study.metrics.some(({ key }) => key === metric.chosen) ? metric.chosen : study.metrics[0]?.key;
    labels.value = views.shown;
    const sentences = [...document.querySelectorAll('[data-part="lead"] > [data-metric]')];
    const told = sentences.some(({ dataset }) => dataset.metric === metrics.value) ? metrics.value : sentences[0]?.dataset.metric;
    for (const sentence of sentences) sentence.hidden = sentence.dataset.metric !== told;
    for (const cell of document.querySelectorAll(".headline [data-metric]")) cell.classList.toggle("chosen", cell.dataset.metric === metric.chosen);
  };
  const remember = () => {
    tell();
    writeAddress({ label: views.shown, metric: metric.chosen });
  };
  if (study.views.length > 1) box.append(make("label", {}, "Label ", labels));
  if (study.metrics.length > 1) box.append(make("label", {}, "Metric ", metrics));
  if (box.children.length > 0) document.querySelector(".top nav").before(box);
  const follow = async () => {
    const wanted = readAddress();
    if (wanted.label !== undefined && wanted.label !== views.shown && views.has(wanted.label)) await chooseLabel(wanted.label);
    if (wanted.metric !== undefined && wanted.metric !== metric.chosen && study.metrics.some(({ key }) => key === wanted.metric)) metric.choose(wanted.metric);
  };
  return { tell, start: async () => {
    await follow();
    tell();
    const { section } = readAddress();
    if (location.hash.includes("&") && section !== "") document.getElementById(section)?.scrollIntoView({ behavior: "instant" });
    label.listen(remember);
    metric.listen(remember);
    window.addEventListener("hashchange", async () => {
      await follow();
      remember(); // a link to a section does not contain the choice
    });
  } };
}
