// SPDX-License-Identifier: Apache-2.0
// Elements made by script. Text is always text, never markup.

/** An element with attributes ("on…" are listeners) and children (nodes or text). */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** A choice of one; `options` are [value, text]. */
export function makeSelect(label, options, onChange) {
  const select = make("select", { "aria-label": label, onchange: () => onChange(select.value) });
  for (const [value, text] of options) select.append(make("option", { value }, text));
  return select;
}

/** Lets the reader download text as a file. */
export function download(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = make("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** A number for people: three decimals, or two significant digits if it is too small for that. */
export function plainNumber(value) {
  if (value === null || value === undefined) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  const text = size !== 0 && size < 0.01 ? value.toPrecision(2) : value.toFixed(size >= 1000 ? 0 : size >= 100 ? 1 : 3);
  return text.replace("-", "−");
}

/** The nearest value between two limits. */
export function within(value, low, high) {
  return Math.min(Math.max(value, low), high);
}

/** Whether the reader asked for less movement. */
export function movesLittle() {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}

export function scrollTo(element) {
  element.scrollIntoView({ behavior: movesLittle() ? "auto" : "smooth", block: "start" });
}
