/**
 * Top-k entropy (alpha): the step and the loss over {0 <= z_j <= s/k, s <= 1}, s = sum z, z over the classes other than y.
 * Source: Lapin, Hein, Schiele, "Analysis and Optimization of Loss Functions for Multiclass, Top-k, and Multilabel
 * Classification", Propositions 4 and 15 to 17. Scores hold -Infinity in the slot of y.
 *
 * In both U, the entries at their bound s/k, are the u largest, the smallest prefix after which the next entry stays below it;
 * u < k. So only the k largest need an order.
 */
import { lambertV } from "./entropy.mjs";

export const createEntropyWork = (m, k) => ({
  order: new Int32Array(k),
  shares: new Float64Array(m),
  tail: new Float64Array(k + 1),
});

/** The indices of the k largest of b, in falling order. */
function orderInto(order, b) {
  const k = order.length;
  let count = 0;
  for (let j = 0; j < b.length; j++) {
    if (count === k && !(b[j] > b[order[k - 1]])) continue;
    let place = count < k ? count++ : k - 1;
    for (; place > 0 && b[order[place - 1]] < b[j]; place--) order[place] = order[place - 1];
    order[place] = j;
  }
}

/**
 * min_z alpha/2 (||z||^2 + s^2) - <b, z> + <z, log z> + (1 - s) log(1 - s). With t the multiplier, z_j = V(b_j - t)/alpha cut
 * at c = s/k, k c = sum_j min(z_j, c), and with p = u/k
 *
 *     alpha (1 - s) = V(alpha - (1/k) sum_U b - (1 - p) t + p (alpha c + log(alpha c))).
 *
 * The t at which the two s agree: Newton's method inside a bracket, which bisects where a step does not halve the difference.
 *
 * @param {Float64Array} z m values, overwritten; z[y] = 0
 * @param {number} start guess of t, or NaN
 */
export function topKEntropyStep(z, b, k, alpha, start, { order, shares, tail }) {
  const m = b.length;
  orderInto(order, b);
  const pivot = b[order[k - 1]];
  let bound = 0;
  let slope = 0;

  /** s(t) + (1 - s)(t) - 1, t relative to the pivot; leaves shares, bound and slope. Decreasing. */
  function balanceAt(t) {
    let below = 0;
    let slopeM = 0;
    for (let j = 0; j < m; j++) {
      const v = lambertV(b[j] - pivot - t);
      shares[j] = v / alpha;
      below += v;
      slopeM -= v / (1 + v);
    }
    below /= alpha;
    slopeM /= alpha;
    for (let i = 0; i < k; i++) below -= shares[order[i]];
    below = Math.max(below, 0); // rounding; what is left is small beside the k largest
    tail[k] = below;
    for (let i = k - 1; i >= 0; i--) tail[i] = tail[i + 1] + shares[order[i]];

    let u = 0;
    let sumU = 0;
    while (u < k - 1 && shares[order[u]] * (k - u) > tail[u]) {
      const v = alpha * shares[order[u]];
      slopeM += v / (1 + v) / alpha;
      sumU += b[order[u]] - pivot;
      u++;
    }
    bound = tail[u] / (k - u);
    const p = u / k;
    const slopeS = slopeM / (1 - p);
    const cut = alpha * bound;
    const own = alpha - pivot - sumU / k - (1 - p) * t + (u > 0 ? p * (cut + Math.log(cut)) : 0);
    const slopeOwn = p - 1 + (u > 0 ? (p * (1 + 1 / cut) * alpha * slopeS) / k : 0);
    const v = lambertV(own);
    slope = slopeS + ((v / (1 + v)) * slopeOwn) / alpha;
    return k * bound + v / alpha - 1;
  }

  let t = start - pivot;
  if (!(Math.abs(t) < Infinity)) t = -alpha / m - Math.log(alpha / m);
  let balance = balanceAt(t);
  let lo = -Infinity;
  let hi = Infinity;
  let last = Infinity;
  let reach = 1;
  for (let pass = 0; pass < 200 && Math.abs(balance) > 1e-13; pass++) {
    if (balance > 0) lo = t;
    else hi = t;
    let next = t - balance / slope;
    // Where all V are flat, far away, Newton's step is much too long.
    const lost = !(next > lo && next < hi) || Math.abs(next - t) > 64 * reach;
    if (lost || Math.abs(balance) > 0.5 * last) {
      if (lo === -Infinity) next = t - reach;
      else if (hi === Infinity) next = t + reach;
      else next = (lo + hi) / 2;
      reach *= 2;
    }
    last = Math.abs(balance);
    if (next === t || next === lo || next === hi) break;
    t = next;
    balance = balanceAt(t);
  }
  let sum = 0;
  for (let j = 0; j < m; j++) {
    z[j] = Math.min(shares[j], bound);
    sum += z[j];
  }
  if (sum > 1) for (let j = 0; j < m; j++) z[j] /= sum;
}

const softplus = (v) => (v > 0 ? v + Math.log1p(Math.exp(-v)) : Math.log1p(Math.exp(v)));

/** max_z <g, z> - <z, log z> - (1 - s) log(1 - s), in logarithms: closed-form once U is known. */
export function topKEntropyLoss(g, k, { order, tail }) {
  const m = g.length;
  orderInto(order, g);
  const pivot = g[order[k - 1]];
  let below = 0;
  for (let j = 0; j < m; j++) if (g[j] <= pivot) below += Math.exp(g[j] - pivot);
  for (let i = 0; i < k; i++) if (g[order[i]] === pivot) below -= 1; // those in order are not below
  // tail[i] = log sum exp over what follows the first i
  tail[k] = below > 0 ? Math.log(below) : -Infinity;
  for (let i = k - 1; i >= 0; i--) {
    const own = g[order[i]] - pivot;
    tail[i] = own + softplus(tail[i + 1] - own);
  }
  let sumU = 0;
  for (let u = 0; ; u++) {
    const next = g[order[u]] - pivot;
    if (u === k - 1 || softplus(tail[u + 1] - next) >= Math.log(k - u)) {
      const p = u / k;
      const logQ = (1 - p) * (Math.log1p(-p) - tail[u]) - p * Math.log(k) - sumU / k - pivot;
      return softplus(-logQ);
    }
    sumU += next;
  }
}
