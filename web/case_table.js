// SPDX-License-Identifier: Apache-2.0
// The table of cases: sorted, searched, filtered, exported. Cases that failed come first.
import { faultsOf, groupsOf, valueOf } from "./data.js";
import { download, make, makeSelect, plainNumber } from "./dom.js";
import { Grid } from "./grid.js";
import { isSame } from "./selection.js";

/** One cell of a CSV file; text that a spreadsheet would run as a formula is escaped. */
export function csvCell(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : value > 0 ? "inf" : "-inf";
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Worst first: cases without a value, then by value. */
export function compareValues(a, b, better) {
  if (a === null || b === null) return a === b ? 0 : a === null ? -1 : 1;
  if (better === "lower") return b - a;
  return better === "zero" ? Math.abs(b) - Math.abs(a) : a - b;
}

export class CaseTable {
  constructor(root, study, { selection, reviews, metric, label }) {
    Object.assign(this, { study, selection, reviews });
    this.metric = 0;
    this.search = "";
    this.only = "all";
    this.filters = new Map();
    this.sorted = { column: null, descending: false };
    this.searchable = study.ids.map((id, place) => [id, ...groupsOf(study, place).map(([, text]) => text)].join("\n").toLowerCase());
    this.grid = new Grid({ label: "Cases", none: "no case matches", onSort: (column) => this.sortBy(column), opensByClick: false,
      onChoose: (place, open) => selection.choose({ place }, { open }) });
    this.grid.isChosen = (place) => isSame({ place }, selection.chosen);
    this.side = make("aside", { class: "side", "aria-label": "The chosen case" });
    root.append(this.toolbar(), make("div", { class: "beside" }, this.grid.element, this.side));
    selection.listen((chosen) => this.onChosen(chosen));
    reviews.listen(() => this.grid.draw());
    metric.listen((key) => this.onMetric(key));
    label.listen(() => this.onMetric(study.metrics[this.metric]?.key));
    this.refresh();
  }

  toolbar() {
    const { study } = this;
    const search = make("input", { type: "search", placeholder: "Search cases", "aria-label": "Search cases",
      oninput: () => { this.search = search.value.toLowerCase(); this.refresh(); } });
    this.count = make("span", { class: "soft count", role: "status" });
    this.which = makeSelect("Which cases", [], (value) => { this.only = value; this.refresh(); });
    const tools = [search, this.which];
    for (const group of study.groups.filter(({ levels }) => levels.length > 1 && levels.length <= Math.min(30, study.ids.length / 2)))
      tools.push(makeSelect(group.name, [["", `${group.name}: all`], ...group.levels.map((text, code) => [code, `${group.name}: ${text}`])],
        (value) => { this.filters.set(group, value); this.refresh(); }));
    return make("div", { class: "tools" }, ...tools, this.count, ...this.reviews.controls(),
      make("button", { type: "button", onclick: () => download("cases.csv", "text/csv", this.csv()) }, "Export CSV"));
  }

  /** The kinds of errors that occur, with the number of cases that have each. */
  kinds() {
    const counts = new Map();
    faultsOf(this.study, 0); // counts the errors that are listed below
    for (const faults of this.study.faults.values())
      for (const kind of new Set(faults.map(([, kind]) => kind))) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    return counts;
  }

  tellKinds() {
    const kinds = this.kinds();
    const options = [["all", "All cases"], ...[...kinds].map(([kind, count]) => [`kind ${kind}`, `${kind} (${count})`]), ["rated", "rated or noted"]];
    if (!options.some(([value]) => value === this.only)) this.only = "all";
    this.which.replaceChildren(...options.map(([value, text]) => make("option", { value }, text)));
    this.which.value = this.only;
    return kinds.size > 0;
  }

  columns() {
    const { study } = this;
    const value = (title, metric, model) => ({ title, number: true, better: study.metrics[metric].better,
      of: (place) => valueOf(study, metric, model, place), hint: (place) => this.reason(place, model),
      cell: (place) => this.valueCell(place, metric, model) });
    const columns = [{ title: "Case", of: (place) => study.ids[place], hint: (place) => study.ids[place],
      cell: (place) => make("span", { class: "id" }, study.ids[place]) }];
    if (study.models.length > 1) study.models.forEach((model, i) => columns.push(value(model.name, this.metric, i)));
    else study.metrics.forEach((metric, i) => columns.push(value(metric.title, i, 0)));
    if (this.hasFaults) columns.push({ title: "Status", of: (place) => this.status(place), hint: (place) => this.status(place),
      cell: (place) => make("span", { class: faultsOf(study, place).length > 0 ? "bad" : "soft" }, this.status(place)) });
    for (const group of study.groups)
      columns.push({ title: group.name, of: (place) => group.levels[group.codes[place]] ?? "",
        cell: (place) => group.levels[group.codes[place]] ?? "–" });
    columns.push({ title: "Rating", number: true, of: (place) => this.reviews.of(study.ids[place]).rating,
      cell: (place) => String(this.reviews.of(study.ids[place]).rating ?? "–") });
    return columns;
  }

  reason(place, model) {
    return this.study.reasons.get(place)?.find(([lost]) => lost === model)?.[1] ?? null;
  }

  /** What happened to a case, model by model. */
  status(place) {
    const { models } = this.study;
    const faults = faultsOf(this.study, place);
    return faults.length === 0 ? "ok" : faults.map(([model, , words]) => (models.length > 1 ? `${models[model].name}: ${words}` : words)).join("; ");
  }

  valueCell(place, metric, model) {
    const value = valueOf(this.study, metric, model, place);
    if (value === null) return make("span", { class: "soft" }, this.reason(place, model) === null ? "–" : "failed");
    const cell = make("span", { class: "bar" }, plainNumber(value));
    if (value >= 0 && value <= 1) cell.style.setProperty("--share", `${100 * value}%`);
    return cell;
  }

  sortBy(column) {
    const again = this.sorted.column === column;
    this.sorted = again && this.sorted.descending ? { column: null, descending: false } : { column, descending: again };
    this.refresh();
  }

  /** Positions of the cases that pass the filters, in order. */
  order(columns) {
    const { study } = this;
    const places = [];
    for (let place = 0; place < study.ids.length; ++place) if (this.passes(place)) places.push(place);
    const column = this.sorted.column === null ? columns[1] : columns[this.sorted.column];
    const keys = places.map((place) => column.of(place));
    const sign = this.sorted.descending ? -1 : 1;
    const rank = new Map(places.map((place, i) => [place, keys[i]]));
    const lost = (place) => (this.sorted.column === null && faultsOf(study, place).length > 0 ? 0 : 1);
    return places.sort((a, b) => lost(a) - lost(b)
      || sign * (column.number ? compareValues(rank.get(a), rank.get(b), this.sorted.column === null ? column.better : "higher")
        : String(rank.get(a)).localeCompare(String(rank.get(b)), undefined, { numeric: true })) || a - b);
  }

  passes(place) {
    if (this.search !== "" && !this.searchable[place].includes(this.search)) return false;
    if (this.only.startsWith("kind ") && !faultsOf(this.study, place).some(([, kind]) => `kind ${kind}` === this.only)) return false;
    if (this.only === "rated" && !this.reviews.byId.has(this.study.ids[place])) return false;
    for (const [group, value] of this.filters) if (value !== "" && group.codes[place] !== Number(value)) return false;
    return true;
  }

  refresh() {
    this.hasFaults = this.tellKinds();
    const columns = this.columns();
    this.grid.setColumns(columns, this.sorted);
    this.grid.setRows(this.order(columns));
    this.count.textContent = `${this.grid.rows.length} of ${this.study.ids.length}`;
  }

  onMetric(key) {
    this.metric = Math.max(this.study.metrics.findIndex((metric) => metric.key === key), 0);
    this.refresh();
  }

  onChosen(chosen) {
    const at = chosen?.place === undefined ? -1 : this.grid.rows.indexOf(chosen.place);
    if (at >= 0) this.grid.reveal(at);
    else this.grid.draw();
  }

  /** The rows shown, with every model and metric; six digits. */
  csv() {
    const { study } = this;
    const header = ["case", ...study.groups.map(({ name }) => name)];
    for (const model of study.models) for (const metric of study.metrics) header.push(`${model.name} ${metric.key}`);
    header.push("not_scored", "rating", "note");
    const lines = [header];
    for (const place of this.grid.rows) {
      const line = [study.ids[place], ...study.groups.map((group) => group.levels[group.codes[place]] ?? "")];
      study.models.forEach((_, model) => study.metrics.forEach((_, metric) => line.push(valueOf(study, metric, model, place))));
      const reasons = (study.reasons.get(place) ?? []).map(([model, reason]) => `${study.models[model].name}: ${reason}`);
      const review = this.reviews.of(study.ids[place]);
      lines.push([...line, reasons.join("; "), review.rating, review.note]);
    }
    return lines.map((line) => line.map(csvCell).join(",")).join("\r\n") + "\r\n";
  }
}
