// SPDX-License-Identifier: Apache-2.0
// The data in the page: values in columns, volumes in compressed blocks.

/** Bytes of a base64 text. */
export function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** Bytes of a zlib stream. */
export async function inflated(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The bytes of a compressed block of the page. */
export function readBlock(id) {
  return inflated(bytesOf(document.getElementById(id).textContent));
}

async function readJson(id) {
  const element = document.getElementById(id);
  if (element.type === "application/json") return JSON.parse(element.textContent);
  return JSON.parse(new TextDecoder().decode(await readBlock(id)));
}

/** The study: values[metric][model][case], null if there is no value. */
export async function readStudy() {
  const study = await readJson("data");
  study.volumes = await readJson("volumes");
  study.views = await readJson("views"); // labels that can be chosen; the page opens with the first
  study.reasons = new Map();
  for (const [place, model, reason] of study.lost) {
    if (!study.reasons.has(place)) study.reasons.set(place, []);
    study.reasons.get(place).push([model, reason]);
  }
  return study;
}

/** The layers of an embedded volume. */
export async function layersOf(volume) {
  const block = (name) => readBlock(`volume-${volume.number}-${name}`);
  const [image, reference, ...predictions] = await Promise.all(
    [volume.image ? block("image") : null, block("reference"), ...volume.models.map(block)]);
  return { image, reference, predictions: new Map(volume.models.map((model, i) => [model, predictions[i]])) };
}

export function valueOf(study, metric, model, place) {
  const column = study.values[metric][model];
  return column === null ? null : column[place];
}

const failures = { prediction_empty: "empty prediction", reference_empty: "false alarm on an empty reference", missing_prediction: "missing prediction" };

/** What went wrong with a case: [model, kind, words] for each model that was not scored or has no value through its own fault. */
export function faultsOf(study, place) {
  if (study.failed !== study.countedFailed) { // another label was chosen
    study.countedFailed = study.failed;
    study.faults = new Map([...study.reasons].map(([at, reasons]) => [at, reasons.map(([model, reason]) => [model, "not scored", reason])]));
    for (const [at, model, reason] of study.failed) {
      if (!study.faults.has(at)) study.faults.set(at, []);
      const words = failures[reason] ?? reason.replaceAll("_", " ");
      study.faults.get(at).push([model, words, words]);
    }
  }
  return study.faults.get(place) ?? [];
}

/** What is known about a case besides its values: [name, text] of each group column. */
export function groupsOf(study, place) {
  return study.groups.filter((group) => group.codes[place] >= 0)
    .map((group) => [group.name, group.levels[group.codes[place]]]);
}
