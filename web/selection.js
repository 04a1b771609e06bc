// SPDX-License-Identifier: Apache-2.0
// What is chosen, shared by figures, table and viewer: a case, a question, a metric or a label.

/** Notifies all listeners. A choice is {place} of a case, with the {model} whose mark was clicked, if any; {part, item} of a question; the key of a metric or label; or null. */
export class Selection {
  constructor() {
    this.chosen = null;
    this.listeners = [];
  }

  listen(listener) {
    this.listeners.push(listener);
  }

  choose(chosen, options = {}) {
    this.chosen = chosen;
    for (const listener of this.listeners) listener(chosen, options);
  }
}

export function isSame(a, b) {
  return a !== null && b !== null && a.place === b.place && a.part === b.part && a.item === b.item;
}
