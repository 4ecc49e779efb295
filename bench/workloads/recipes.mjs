/**
 * How the workloads are made. A recipe takes { n, d, m, seed, ... } and returns { data: Float32Array, n x d row-major, and
 * labels: Int32Array }; the first rows are for training, the rest for testing. What each stands for is said in catalogue.mjs.
 */
import { loadLetter } from "../../scripts/lib/letter.mjs";
import { prototypes, toUnitNorm } from "./prototypes.mjs";
import { createRandom } from "./random.mjs";

/** data/letter.csv.gz, as scripts/lib/letter.mjs reads it, in float32. */
function letter() {
  const { train, test } = loadLetter();
  const data = new Float32Array(train.features.data.length + test.features.data.length);
  data.set(train.features.data);
  data.set(test.features.data, train.features.data.length);
  const labels = Int32Array.from([...train.labels, ...test.labels], (letter) => letter.charCodeAt(0) - 65);
  return { data, labels };
}

/**
 * Silhouettes, side x side pixels: a smooth random field per class, shifted by up to 2 pixels, bent by a smooth field of its
 * own (weight `bend`), cut into black and white, a share of `flips` of the pixels inverted, every row of norm 1.
 */
function silhouettes({ n, m, seed, side = 28, cut = 2.2, bend = 0.8, level = 0.3, flips = 0.15 }) {
  const { uniform, integer, normal, balancedLabels } = createRandom(seed);
  const d = side * side;
  const smooth = smoother(side, cut);
  const field = () => standardised(smooth(Float64Array.from({ length: d }, normal)));
  const classes = Array.from({ length: m }, field);
  const labels = balancedLabels(n, m);
  const data = new Float32Array(n * d);
  for (let i = 0; i < n; i++) {
    const own = field();
    const shape = classes[labels[i]];
    const down = integer(5) - 2 + side;
    const right = integer(5) - 2 + side;
    for (let r = 0; r < side; r++) {
      for (let c = 0; c < side; c++) {
        const from = ((r + down) % side) * side + ((c + right) % side);
        const inside = shape[from] + bend * own[r * side + c] > level;
        data[i * d + r * side + c] = inside !== uniform() < flips ? 1 : 0;
      }
    }
    toUnitNorm(data, i * d, d);
  }
  return { data, labels };
}

/** Low-pass filter with the frequency response exp(-|k|^2 / (2 cut^2)), periodic: one convolution along rows, one along columns. */
function smoother(side, cut) {
  const kernel = Float64Array.from({ length: side }, (_, x) => {
    let sum = 0;
    for (let k = -side / 2; k < side / 2; k++) {
      sum += Math.exp(-(k * k) / (2 * cut * cut)) * Math.cos((2 * Math.PI * k * x) / side);
    }
    return sum / side;
  });
  const alongRows = (image) => {
    const out = new Float64Array(side * side);
    for (let r = 0; r < side; r++) {
      for (let c = 0; c < side; c++) {
        let sum = 0;
        for (let x = 0; x < side; x++) sum += kernel[(c - x + side) % side] * image[r * side + x];
        out[c * side + r] = sum; // transposed: the second pass then does the columns, and turns it back
      }
    }
    return out;
  };
  return (image) => alongRows(alongRows(image));
}

function standardised(field) {
  const mean = field.reduce((sum, v) => sum + v, 0) / field.length;
  const variance = field.reduce((sum, v) => sum + (v - mean) ** 2, 0) / field.length;
  const scale = 1 / Math.sqrt(variance);
  return field.map((v) => v * scale);
}

/**
 * What the last layer of a network gives: class means (weight `separation`) and noise in a shared subspace of `rank`
 * dimensions, noise of 0.7 in all directions, scaled to variance 1; then relu(h - 0.674)^1.5, which leaves a quarter of the
 * entries and a heavy tail; every row of norm 1.
 */
function activations({ n, d, m, seed, rank = 200, separation }) {
  const { normal, normals, balancedLabels } = createRandom(seed);
  const labels = balancedLabels(n, m);
  const basis = normals(rank * d);
  const means = normals(m * rank);
  const data = new Float32Array(n * d);
  const rows = new Float64Array(8 * rank);
  const h = new Float64Array(8 * d);
  const inSubspace = 1 / Math.sqrt(rank);
  const scale = 1 / Math.sqrt(separation ** 2 + 1 + 0.7 ** 2);
  for (let first = 0; first < n; first += 8) {
    const count = Math.min(8, n - first);
    for (let p = 0; p < count; p++) {
      const mean = labels[first + p] * rank;
      for (let r = 0; r < rank; r++) rows[p * rank + r] = (separation * means[mean + r] + normal()) * inSubspace;
    }
    for (let f = 0; f < count * d; f++) h[f] = 0.7 * normal();
    addProduct(h, rows, basis, count, rank, d);
    for (let p = 0; p < count; p++) {
      const at = (first + p) * d;
      for (let f = 0; f < d; f++) {
        const above = h[p * d + f] * scale - 0.674;
        data[at + f] = above > 0 ? above * Math.sqrt(above) : 0;
      }
      toUnitNorm(data, at, d);
    }
  }
  return { data, labels };
}

/** h += rows x basis, four rows of the basis at a time. */
function addProduct(h, rows, basis, count, rank, d) {
  for (let r = 0; r < rank; r += 4) {
    for (let p = 0; p < count; p++) {
      const [s0, s1, s2, s3] = rows.subarray(p * rank + r, p * rank + r + 4);
      const b0 = r * d;
      const b1 = b0 + d;
      const b2 = b1 + d;
      const b3 = b2 + d;
      const to = p * d;
      for (let f = 0; f < d; f++) {
        h[to + f] += s0 * basis[b0 + f] + s1 * basis[b1 + f] + s2 * basis[b2 + f] + s3 * basis[b3 + f];
      }
    }
  }
}

/** Prototypes and noise, of which each entry stays with probability `density`; every row of norm 1, unless it is empty. */
function thinned({ n, d, m, seed, density, noise = 2 }) {
  const { uniform, normal, normals, balancedLabels } = createRandom(seed);
  const centres = normals(m * d);
  const labels = balancedLabels(n, m);
  const data = new Float32Array(n * d);
  for (let i = 0; i < n; i++) {
    const centre = labels[i] * d;
    for (let f = 0; f < d; f++) if (uniform() < density) data[i * d + f] = centres[centre + f] + noise * normal();
    toUnitNorm(data, i * d, d);
  }
  return { data, labels };
}

/** Normal clouds that overlap, as a table of measurements scaled to variance 1: class means `separation` from 0, noise of 1. */
function overlapping({ n, d, m, seed, separation }) {
  const { normal, normals, balancedLabels } = createRandom(seed);
  const means = normals(m * d);
  const labels = balancedLabels(n, m);
  const scale = separation / Math.sqrt(d);
  const data = Float32Array.from({ length: n * d }, (_, at) => {
    const [i, f] = [Math.floor(at / d), at % d];
    return scale * means[labels[i] * d + f] + normal();
  });
  return { data, labels };
}

export const recipes = { letter, silhouettes, activations, prototypes, thinned, overlapping };
