// SPDX-License-Identifier: Apache-2.0
// Slices of a volume as pixels. Voxels run x fastest; axes run right, front, up. Masks are codes of labels, 0 for the background.

export const planes = [
  { name: "axial", right: 0, up: 1, through: 2, edges: ["L", "R", "P", "A"] },
  { name: "coronal", right: 0, up: 2, through: 1, edges: ["L", "R", "I", "S"] },
  { name: "sagittal", right: 1, up: 2, through: 0, edges: ["P", "A", "I", "S"] },
];

/** Kinds of voxels and their colours: background, agreement, false, missed, wrong label. Safe for colour-blind readers; the still images of the page have the same colours. */
export const kinds = { background: 0, both: 1, prediction: 2, reference: 3, wrong: 4 };
export const kindColours = [null, [0, 158, 115], [213, 94, 0], [86, 180, 233], [204, 121, 167]];

/** Colours of labels, the first for code 1; they repeat. */
export const labelColours = [[240, 228, 66], [0, 114, 178], [230, 97, 1], [94, 201, 98], [178, 102, 255], [255, 120, 160], [64, 200, 200], [170, 120, 60]];

/** `own`: colours that the files define for regions, by code. */
export function labelColour(code, own) {
  return own?.get(code) ?? labelColours[(code - 1) % labelColours.length];
}

/** Which codes are shown. `merged`: they form one region, in which any code agrees with any other. */
export function lookAt(codes, merged) {
  const on = new Uint8Array(256);
  for (const code of codes) on[code] = 1;
  return { on, merged };
}

export function kindOf(prediction, reference, { on, merged }) {
  const drawn = on[prediction] === 1, truth = on[reference] === 1;
  if (!drawn && !truth) return kinds.background;
  if (drawn && truth && (merged || prediction === reference)) return kinds.both;
  if (prediction !== 0 && reference !== 0) return kinds.wrong;
  return drawn ? kinds.prediction : kinds.reference;
}

/** One slice, starting with the top row on the screen. */
export function sliceOf(voxels, shape, plane, slice) {
  const strides = [1, shape[0], shape[0] * shape[1]];
  const width = shape[plane.right], height = shape[plane.up];
  const out = new Uint8Array(width * height);
  for (let row = 0; row < height; ++row) {
    const start = slice * strides[plane.through] + (height - 1 - row) * strides[plane.up];
    for (let column = 0; column < width; ++column) out[row * width + column] = voxels[start + column * strides[plane.right]];
  }
  return out;
}

/** The colour over a voxel, or null. */
function overlay(prediction, reference, look, { colouring, own }) {
  if (colouring === "agreement") return kindColours[kindOf(prediction, reference, look)];
  const code = colouring === "prediction" ? prediction : reference;
  return look.on[code] === 1 ? labelColour(code, own) : null;
}

/** Greys within a window, with colours over them, as RGBA. */
export function painted({ image, prediction, reference }, look, style) {
  const { opacity, low, high } = style;
  const count = reference.length;
  const out = new Uint8ClampedArray(4 * count);
  for (let i = 0; i < count; ++i) {
    const grey = image === null ? 38 : Math.min(Math.max(255 * (image[i] - low) / (high - low), 0), 255);
    const colour = opacity === 0 ? null : overlay(prediction[i], reference[i], look, style);
    for (let c = 0; c < 3; ++c)
      out[4 * i + c] = colour === null ? grey : Math.round((1 - opacity) * grey + opacity * colour[c]);
    out[4 * i + 3] = 255;
  }
  return out;
}

/** The borders of what is shown, and those between its labels, as [x0, y0, x1, y1] along the edges of pixels. */
export function outlineOf(mask, { on, merged }, width, height) {
  const label = (x, y) => {
    if (x < 0 || y < 0 || x >= width || y >= height) return 0;
    const code = mask[y * width + x];
    return on[code] === 0 ? 0 : merged ? 1 : code;
  };
  const out = [];
  for (let y = 0; y <= height; ++y)
    for (let x = 0; x <= width; ++x) {
      if (x < width && label(x, y) !== label(x, y - 1)) out.push([x, y, x + 1, y]);
      if (y < height && label(x, y) !== label(x - 1, y)) out.push([x, y, x, y + 1]);
    }
  return out;
}

/** Connected errors (by faces), the largest first: {size, at}, where `at` is the voxel nearest to the middle of the error. */
export function errorsOf(prediction, reference, shape, look) {
  const [width, height, depth] = shape, slab = width * height;
  const open = new Uint8Array(prediction.length);
  for (let i = 0; i < open.length; ++i) open[i] = kindOf(prediction[i], reference[i], look) > kinds.both ? 1 : 0;
  const place = (i) => [i % width, Math.floor(i / width) % height, Math.floor(i / slab)];
  const found = [];
  for (let start = 0; start < open.length; ++start) {
    if (open[start] === 0) continue;
    open[start] = 0;
    const members = [start];
    for (let next = 0; next < members.length; ++next) {
      const i = members[next], [x, y, z] = place(i);
      const reach = (inside, neighbour) => { if (inside && open[neighbour] === 1) { open[neighbour] = 0; members.push(neighbour); } };
      reach(x > 0, i - 1); reach(x < width - 1, i + 1);
      reach(y > 0, i - width); reach(y < height - 1, i + width);
      reach(z > 0, i - slab); reach(z < depth - 1, i + slab);
    }
    found.push(members);
  }
  return found.sort((a, b) => b.length - a.length).slice(0, 20).map((members) => {
    const middle = [0, 0, 0];
    for (const i of members) place(i).forEach((value, axis) => { middle[axis] += value / members.length; });
    const distance = (i) => Math.hypot(...place(i).map((value, axis) => value - middle[axis]));
    return { size: members.length, at: place(members.reduce((best, i) => (distance(i) < distance(best) ? i : best), members[0])) };
  });
}
