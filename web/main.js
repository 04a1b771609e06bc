// SPDX-License-Identifier: Apache-2.0
// Makes the page interactive.
import { CaseTable } from "./case_table.js";
import { readStudy, valueOf } from "./data.js";
import { make, plainNumber, scrollTo } from "./dom.js";
import { LiveFigures } from "./figures.js";
import { Grid } from "./grid.js";
import { Reviews } from "./reviews.js";
import { isSame, Selection } from "./selection.js";
import { liveHeads, Tabs } from "./tabs.js";
import { CaseViewer } from "./viewer.js";
import { makeChoices } from "./views.js";
import { WorstCase } from "./worst_case.js";

/** "sub-017 · good · Dice 0.83": the text next to the pointer. */
function nameOf(study, { place, part, item }, model) {
  if (place === undefined) {
    const [id, outcome, truth, label] = study.qa[part].items[item];
    return `${id} · ${outcome} · truth ${truth}, answer ${label ?? "none"}`;
  }
  const parts = [study.ids[place]];
  if (model !== null) {
    parts.push(study.models[model].name);
    study.metrics.slice(0, 3).forEach((metric, i) => parts.push(`${metric.title} ${plainNumber(valueOf(study, i, model, place))}`));
  }
  return parts.join(" · ");
}

/** A bar at the bottom of the window that names what is chosen. */
function chosenBar(study, selection) {
  const text = make("span", {});
  const open = make("button", { type: "button", onclick: () => selection.choose(selection.chosen, { open: true }) }, "Open");
  const bar = make("div", { class: "chosen-bar", role: "status" }, text, open,
    make("button", { type: "button", onclick: () => selection.choose(null), "aria-label": "Clear the selection" }, "×"));
  bar.hidden = true;
  document.body.append(bar);
  selection.listen((chosen) => {
    bar.hidden = chosen === null;
    if (chosen !== null) text.textContent = nameOf(study, chosen, chosen.model ?? null);
  });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") selection.choose(null); });
}

/** The questions of all benchmarks; wrong answers first. */
function itemTable(root, study, selection) {
  const rows = study.qa.flatMap(({ items }, part) => items.map((_, item) => ({ part, item })));
  const field = (at) => ({ part, item }) => study.qa[part].items[item][at];
  const text = (title, of, number = false) => ({ title, number, of, cell: (row) => String(of(row) ?? "–") });
  const columns = [text("Question", field(0)), text("Benchmark", ({ part }) => study.qa[part].benchmark),
    text("Outcome", field(1)), text("Truth", field(2), true), text("Answer", field(3), true),
    { ...text("Right", field(4)), cell: (row) => make("span", { class: field(4)(row) ? "good" : "bad" }, field(4)(row) ? "yes" : "no") },
    { ...text("Cost $", field(5), true), cell: (row) => plainNumber(field(5)(row)) }, text("Words", field(6))];
  let sorted = { column: 5, descending: false };
  const refresh = () => {
    const key = columns[sorted.column].of, sign = sorted.descending ? -1 : 1;
    grid.setColumns(columns, sorted);
    grid.setRows(rows.toSorted((a, b) => {
      const [x, y] = [key(a) ?? -Infinity, key(b) ?? -Infinity];
      return sign * (typeof x === "string" ? x.localeCompare(y, undefined, { numeric: true }) : x - y);
    }));
  };
  const grid = new Grid({ label: "Questions", none: "no question", onChoose: (row, open) => selection.choose(row, { open }),
    onSort: (column) => { sorted = { column, descending: sorted.column === column && !sorted.descending }; refresh(); } });
  grid.isChosen = (row) => isSame(row, selection.chosen);
  const absent = make("p", { class: "soft absent", role: "status" });
  absent.hidden = true;
  root.append(grid.element, absent);
  refresh();
  selection.listen((chosen, { open }) => {
    grid.draw();
    if (chosen?.part === undefined || !open) return;
    const steps = document.querySelector(`.trajectory[data-part="${chosen.part}"][data-item="${chosen.item}"]`);
    absent.hidden = steps !== null;
    if (steps === null) {
      absent.textContent = `The steps of this question are not on this page. assay report … --cases ${field(0)(chosen)} adds them.`;
      return;
    }
    steps.closest(".answers").open = steps.open = true;
    scrollTo(steps);
  });
}

function copyButtons() {
  for (const button of document.querySelectorAll("button.copy"))
    button.addEventListener("click", () => {
      const text = button.parentElement.querySelector("pre");
      getSelection().selectAllChildren(text);
      document.execCommand("copy"); // works from file://, where the newer interface may not
      button.textContent = "Copied";
    });
}

async function start() {
  document.documentElement.classList.add("alive");
  const study = await readStudy();
  const selection = new Selection();
  const metric = new Selection(); // the key of a metric, which figures, table and viewer follow
  const label = new Selection(); // the same for a label
  label.chosen = "";
  copyButtons();
  const choices = await makeChoices(study, { label, metric });
  const figures = document.getElementById("figures");
  const tabs = figures === null ? null : new Tabs(figures, metric);
  liveHeads(metric);
  const drawings = new LiveFigures(selection, (place, model) => nameOf(study, place, model));
  label.listen(() => {
    liveHeads(metric);
    drawings.refresh();
    tabs?.refresh();
  });
  if (study.models.length > 0) {
    const reviews = new Reviews(study);
    const shared = { selection, reviews, metric, label };
    const table = new CaseTable(document.getElementById("case-table"), study, shared);
    new CaseViewer(document.getElementById("case-view"), study, { ...shared, side: table.side });
    const picture = document.querySelector(".worst");
    if (picture !== null) new WorstCase(picture, study, shared);
  }
  if (study.qa.length > 0) itemTable(document.getElementById("item-table"), study, selection);
  chosenBar(study, selection);
  await choices.start();
  document.documentElement.dataset.ready = "yes";
}

start();
