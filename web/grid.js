// SPDX-License-Identifier: Apache-2.0
// A table of any length: only the visible rows exist.
import { make, within } from "./dom.js";

const rowHeight = 34; // pixels; the same as in the style sheet
const spare = 12; // rows above and below the visible ones

/** Columns: {title, number, cell(row), text?(row)}; rows are any values. */
export class Grid {
  constructor({ label, none, onSort, onChoose, opensByClick = true }) {
    this.none = none; // what an empty table says
    this.columns = [];
    this.rows = [];
    this.isChosen = () => false;
    this.onSort = onSort;
    this.onChoose = onChoose;
    this.head = make("thead");
    this.body = make("tbody");
    this.table = make("table", { class: "grid" }, make("caption", { class: "unseen" }, label), this.head, this.body);
    this.element = make("div", { class: "scroller", tabindex: "0", role: "region", "aria-label": label }, this.table);
    this.element.addEventListener("scroll", () => this.draw(), { passive: true });
    this.element.addEventListener("keydown", (event) => this.onKey(event));
    const choose = (event, open) => {
      const row = event.target.closest("tr[data-at]");
      if (row !== null) this.onChoose(this.rows[Number(row.dataset.at)], open);
    };
    this.body.addEventListener("click", (event) => choose(event, opensByClick));
    this.body.addEventListener("dblclick", (event) => choose(event, true));
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  setColumns(columns, sorted) {
    this.columns = columns;
    const cells = columns.map((column, i) => make("th",
      { scope: "col", class: column.number ? "number" : null,
        "aria-sort": sorted.column === i ? (sorted.descending ? "descending" : "ascending") : null },
      make("button", { type: "button", onclick: () => this.onSort(i) }, column.title,
        make("span", { class: "arrow", "aria-hidden": "true" }, sorted.column === i ? (sorted.descending ? " ↓" : " ↑") : ""))));
    const focused = [...this.head.querySelectorAll("button")].indexOf(document.activeElement);
    this.head.replaceChildren(make("tr", {}, ...cells));
    cells[focused]?.querySelector("button").focus(); // the button that was pressed has been replaced
  }

  setRows(rows) {
    this.rows = rows;
    this.table.setAttribute("aria-rowcount", rows.length + 1);
    this.draw();
  }

  spacer(rows) {
    const cell = make("td", { colspan: this.columns.length });
    cell.style.height = `${rows * rowHeight}px`;
    return make("tr", { class: "spacer", "aria-hidden": "true" }, cell);
  }

  draw() {
    const first = Math.max(0, Math.floor(this.element.scrollTop / rowHeight) - spare);
    const count = Math.ceil((this.element.clientHeight || 480) / rowHeight) + 2 * spare;
    const last = Math.min(this.rows.length, first + count);
    const shown = [];
    if (first > 0) shown.push(this.spacer(first));
    for (let at = first; at < last; ++at) shown.push(this.drawRow(at));
    if (this.rows.length === 0) shown.push(make("tr", { class: "spacer" }, make("td", { colspan: this.columns.length, class: "soft none" }, this.none)));
    if (last < this.rows.length) shown.push(this.spacer(this.rows.length - last));
    this.body.replaceChildren(...shown);
  }

  drawRow(at) {
    const row = this.rows[at];
    const cells = this.columns.map((column, i) => {
      const content = column.cell(row);
      const attributes = { class: column.number ? "number" : null, title: column.hint?.(row) };
      return i === 0 ? make("th", { ...attributes, scope: "row" }, content) : make("td", attributes, content);
    });
    return make("tr", { "data-at": at, "aria-rowindex": at + 2, "aria-selected": this.isChosen(row) ? "true" : null }, ...cells);
  }

  /** Scrolls to a row. */
  reveal(at) {
    const top = at * rowHeight, room = this.element.clientHeight - 2 * rowHeight;
    if (top < this.element.scrollTop || top > this.element.scrollTop + room)
      this.element.scrollTop = Math.max(0, top - room / 2);
    this.draw();
  }

  onKey(event) {
    const page = Math.max(Math.floor(this.element.clientHeight / rowHeight) - 2, 1), all = this.rows.length;
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -all, End: all, Enter: 0 }[event.key];
    if (event.target !== this.element || step === undefined) return;
    const now = this.rows.findIndex((row) => this.isChosen(row));
    if (now < 0 && event.key === "Enter") return;
    event.preventDefault();
    const next = within(now + step, 0, all - 1);
    if (all === 0) return;
    this.onChoose(this.rows[next], event.key === "Enter");
    this.reveal(next);
  }
}
