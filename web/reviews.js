// SPDX-License-Identifier: Apache-2.0
// The reader's ratings and notes. They exist only in this window until they are saved to a file.
import { download, make } from "./dom.js";

export class Reviews {
  constructor(study) {
    this.study = study;
    this.byId = new Map();
    this.listeners = [];
    this.widgets = new Map();
  }

  listen(listener) {
    this.listeners.push(listener);
  }

  of(id) {
    return this.byId.get(id) ?? { rating: null, note: "" };
  }

  set(id, change) {
    const review = { ...this.of(id), ...change };
    if (review.rating === null && review.note === "") this.byId.delete(id);
    else this.byId.set(id, review);
    for (const listener of this.listeners) listener(id);
    for (const tell of this.widgets.values()) tell();
  }

  /** Rating and note of a case in one of the places that show them; all places stay the same. */
  widget(id, place) {
    const stars = [1, 2, 3, 4, 5].map((rating) => make("button", { type: "button", "aria-label": `Rating ${rating} of 5`,
      onclick: () => this.set(id, { rating: this.of(id).rating === rating ? null : rating }) }, String(rating)));
    const note = make("textarea", { rows: 2, placeholder: "Note", "aria-label": `Note on ${id}`, oninput: () => this.set(id, { note: note.value }) });
    const element = make("div", { class: "review" }, make("div", { class: "rating", role: "group", "aria-label": `Rating of ${id}` }, "Rating ", ...stars), note);
    const tell = () => {
      const review = this.of(id);
      stars.forEach((star, i) => star.setAttribute("aria-pressed", String(review.rating === i + 1)));
      if (note.value !== review.note) note.value = review.note;
    };
    tell();
    this.widgets.set(place, tell);
    return element;
  }

  text() {
    const reviews = [...this.byId].sort().map(([id, review]) => ({ id, ...review }));
    return JSON.stringify({ schema: "assay.reviews/1", title: this.study.title, reviews }, null, 2) + "\n";
  }

  save() {
    download("reviews.json", "application/json", this.text());
  }

  /** Loads what `save` wrote; returns a message that says what was wrong with anything else. */
  load(text) {
    let read;
    try {
      read = JSON.parse(text);
    } catch {
      return "This file is not JSON; choose one that was saved here.";
    }
    if (read?.schema !== "assay.reviews/1" || !Array.isArray(read.reviews))
      return "This file does not contain ratings; choose one that was saved here.";
    const known = new Set(this.study.ids);
    let taken = 0;
    for (const { id, rating, note } of read.reviews) {
      if (!known.has(id)) continue;
      this.set(id, { rating: [1, 2, 3, 4, 5].includes(rating) ? rating : null, note: String(note ?? "") });
      ++taken;
    }
    return `${taken} of ${read.reviews.length} loaded.`;
  }

  /** Buttons that save and load. */
  controls() {
    const said = make("span", { class: "soft", role: "status" });
    const file = make("input", { type: "file", accept: ".json,application/json", class: "unseen", tabindex: "-1", "aria-label": "File with ratings" });
    file.addEventListener("change", async () => {
      if (file.files.length === 1) said.textContent = this.load(await file.files[0].text());
      file.value = "";
    });
    return [make("button", { type: "button", onclick: () => this.save() }, "Save ratings"),
      make("button", { type: "button", onclick: () => file.click() }, "Load ratings"), file, said];
  }
}
