// SPDX-License-Identifier: Apache-2.0
// Slices of a volume as pixels. Voxels run x fastest; axes run right, front, up.

export const planes = [
  { name: "axial", right: 0, up: 1, through: 2, edges: ["L", "R", "P", "A"] },
  { name: "coronal", right: 0, up: 2, through: 1, edges: ["L", "R", "I", "S"] },
  { name: "sagittal", right: 1, up: 2, through: 0, edges: ["P", "A", "I", "S"] },
];

/** Safe for colour-blind readers; the still images of the page have the same colours. */
export const colours = { both: [0, 158, 115], prediction: [213, 94, 0], reference: [86, 180, 233] };

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

/** Greys with agreement over them, as RGBA; masks are bits, and `bits` selects those that count. */
export function painted({ image, prediction, reference }, bits, opacity) {
  const count = reference.length;
  const out = new Uint8ClampedArray(4 * count);
  for (let i = 0; i < count; ++i) {
    const grey = image === null ? 38 : image[i];
    const drawn = (prediction[i] & bits) !== 0, truth = (reference[i] & bits) !== 0;
    const colour = drawn && truth ? colours.both : drawn ? colours.prediction : truth ? colours.reference : null;
    for (let c = 0; c < 3; ++c)
      out[4 * i + c] = colour === null ? grey : Math.round((1 - opacity) * grey + opacity * colour[c]);
    out[4 * i + 3] = 255;
  }
  return out;
}

/** The borders of a mask as [x0, y0, x1, y1] along the edges of pixels. */
export function outlineOf(mask, bits, width, height) {
  const inside = (x, y) => x >= 0 && y >= 0 && x < width && y < height && (mask[y * width + x] & bits) !== 0;
  const out = [];
  for (let y = 0; y <= height; ++y)
    for (let x = 0; x <= width; ++x) {
      if (x < width && inside(x, y) !== inside(x, y - 1)) out.push([x, y, x + 1, y]);
      if (y < height && inside(x, y) !== inside(x - 1, y)) out.push([x, y, x, y + 1]);
    }
  return out;
}
