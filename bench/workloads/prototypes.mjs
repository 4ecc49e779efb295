// A recipe that a page can follow as well: no Node API is used.
import { createRandom } from "./random.mjs";

/**
 * A normal prototype per class and normal noise around it, every row of norm 1. The noise grows with sqrt(d), as does the
 * distance of the prototypes: about as hard at every d.
 */
export function prototypes({ n, d, m, seed, noise = 2.1 * Math.sqrt(d / 128) }) {
  const { normal, normals, balancedLabels } = createRandom(seed);
  const centres = normals(m * d);
  const labels = balancedLabels(n, m);
  const data = new Float32Array(n * d);
  for (let i = 0; i < n; i++) {
    const centre = labels[i] * d;
    for (let f = 0; f < d; f++) data[i * d + f] = centres[centre + f] + noise * normal();
    toUnitNorm(data, i * d, d);
  }
  return { data, labels };
}

/** Divides the row of d numbers that begins at `at` by its length; a row of zeros stays. */
export function toUnitNorm(data, at, d) {
  let norm2 = 0;
  for (let f = 0; f < d; f++) norm2 += data[at + f] ** 2;
  const scale = norm2 > 0 ? 1 / Math.sqrt(norm2) : 0;
  for (let f = 0; f < d; f++) data[at + f] *= scale;
}
