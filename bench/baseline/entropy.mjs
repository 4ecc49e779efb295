/**
 * V(t) = W(e^t), the solution v of v + log v = t (W is Lambert's function), and the softmax step that is built on it.
 * Source: Lapin, Hein, Schiele, "Analysis and Optimization of Loss Functions for Multiclass, Top-k, and Multilabel
 * Classification", section 5 and Proposition 16.
 */

const LO = -36; // below: V(t) = e^t to the last bit
const HI = 40;
const PER_UNIT = 32;

/**
 * V by iteration: w <- w (1 + z/(1+w) (q - z)/(q - 2z)) with z = t - w - log w and q = 2 (1+w) (1 + w + 2z/3), of order four
 * (Fritsch, Shafer, Crowley, "Solution of the transcendental equation we^w = x", CACM 16, 1973).
 */
function iterateV(t) {
  const e = Math.exp(Math.min(t, 1));
  let w = t > 1 ? t - Math.log(t) + Math.log(t) / t : e / (1 + e * 0.65);
  for (let i = 0; i < 3; i++) {
    const z = t - w - Math.log(w);
    const q = 2 * (1 + w) * (1 + w + (2 / 3) * z);
    w *= 1 + ((z / (1 + w)) * (q - z)) / (q - 2 * z);
  }
  return w;
}

/** At t = LO + i / PER_UNIT: [2 i] = V(t), [2 i + 1] = 1 / (1 + V(t))^2. 38 kB. */
const nodes = new Float64Array(2 * ((HI - LO) * PER_UNIT + 2));
for (let i = 0; i < nodes.length; i += 2) {
  nodes[i] = iterateV(LO + i / (2 * PER_UNIT));
  nodes[i + 1] = 1 / (1 + nodes[i]) ** 2;
}

/**
 * V(t), relative error below 3e-14: neither exp nor log, but Taylor's series of order five around the nearest of a table's
 * nodes. With w = V at the node, e = dt / (1 + w)^2 and V^(n) = w (1 + w) p_n(w) / (1 + w)^(2n), it reads
 * w + w (1 + w) (e + e^2/2 + (1 - 2w) e^3/6 + (1 - 8w + 6w^2) e^4/24 + (1 - 22w + 58w^2 - 24w^3) e^5/120).
 */
export function lambertV(t) {
  if (t < LO) return Math.exp(t);
  if (!(t < HI)) return iterateV(t);
  const scaled = (t - LO) * PER_UNIT + 0.5;
  const i = scaled | 0;
  const w = nodes[2 * i];
  const e = ((scaled - i - 0.5) / PER_UNIT) * nodes[2 * i + 1];
  const p3 = (1 - 2 * w) * (1 / 6);
  const p4 = (1 - w * (8 - 6 * w)) * (1 / 24);
  const p5 = (1 - w * (22 - w * (58 - 24 * w))) * (1 / 120);
  return w + w * (1 + w) * e * (1 + e * (0.5 + e * (p3 + e * (p4 + e * p5))));
}

/**
 * The softmax step: min_z alpha/2 (||z||^2 + s^2) - <b, z> + <z, log z> + (1-s) log(1-s), s = sum z, over the classes other
 * than y. With b_y = alpha and 1 - s in y's place the conditions are alike for all classes: alpha z_j = V(b_j - t), and t
 * makes them sum to alpha. Written with c = b - max b and tau = max b - t, F(tau) = sum V(c_j + tau) - alpha rises and is
 * convex, and its root lies between V^-1(alpha/m) and V^-1(alpha), V^-1(v) = v + log v.
 *
 * Iteration: Householder's of order four, held inside a bracket, with all derivatives from w = V alone. It ends with a step so
 * short that w follows by Taylor's series.
 *
 * @param {Float64Array} b m values, b[y] = alpha; overwritten with the shares z, that of y included
 * @param {number} alpha > 0
 * @param {number} start guess of t, or NaN
 * @param {Float64Array} v m values of scratch
 */
export function softmaxStep(b, alpha, start, v) {
  const m = b.length;
  let pivot = b[0];
  for (let j = 1; j < m; j++) {
    if (b[j] > pivot) pivot = b[j];
  }
  for (let j = 0; j < m; j++) b[j] -= pivot;

  let lo = alpha / m + Math.log(alpha / m);
  let hi = alpha + Math.log(alpha);
  let tau = pivot - start;
  if (!(tau > lo)) tau = lo;
  if (tau > hi) tau = hi;
  for (let pass = 0; ; pass++) {
    let f = -alpha;
    let f1 = 0;
    let f2 = 0;
    let f3 = 0;
    for (let j = 0; j < m; j++) {
      const w = lambertV(b[j] + tau);
      v[j] = w;
      const r = 1 / (1 + w);
      const d1 = w * r;
      const d2 = d1 * r * r;
      f += w;
      f1 += d1;
      f2 += d2;
      f3 += d2 * r * r * (1 - 2 * w);
    }
    if (f > 0) hi = tau;
    else lo = tau;
    const newton = -f / f1;
    let step = (-f * (6 * f1 * f1 - 3 * f * f2)) / (6 * f1 * f1 * f1 - 6 * f * f1 * f2 + f * f * f3);
    if (!(tau + step >= lo && tau + step <= hi)) step = newton;
    if (!(tau + step >= lo && tau + step <= hi)) step = (lo + hi) / 2 - tau;
    if (Math.abs(step) < 1e-4 || pass === 60) {
      for (let j = 0; j < m; j++) {
        const w = v[j];
        const r = 1 / (1 + w);
        const e = step * r * r;
        b[j] = (w + w * (1 + w) * e * (1 + e * (0.5 + e * ((1 - 2 * w) / 6)))) / alpha;
      }
      return;
    }
    tau += step;
  }
}
