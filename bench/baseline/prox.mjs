/**
 * Proximal maps on vectors that skip the true class: the caller stores -Infinity in its slot, so that it is never among the
 * largest and its x is 0. All in float64. Every map solves
 *
 *   min 1/2 ||x||^2 + rho/2 (sum x)^2 - <b, x>   over a set of x >= 0 with sum x <= r
 *
 * and writes x = min(max(b - t, 0), hi) for a threshold t. Before any arithmetic a pivot near the solution's t is
 * subtracted from b: b - t itself would cancel where |b| is much larger than r, and leave x infeasible.
 *
 * Sources: Lapin, Hein, Schiele, "Top-k Multiclass SVM" (NIPS 2015), Lemmas 3-5 and Proposition 5; Kiwiel, "Variable fixing
 * algorithms for the continuous quadratic knapsack problem" (JOTA 136, 2008).
 */

/** One step of rounding: a bound that is missed by this much, relatively, counts as met. */
const ULP = 1 + 2 ** -52;

/**
 * The `count` largest of a[0..n), in falling order, into top; missing ones are -Infinity. Insertion into a short sorted list:
 * linear in n for the small counts that a top-k loss has.
 */
export function largestInto(top, a, n, count) {
  for (let j = 0; j < count; j++) top[j] = -Infinity;
  const last = count - 1;
  for (let i = 0; i < n; i++) {
    const value = a[i];
    if (value > top[last]) {
      let j = last;
      for (; j > 0 && top[j - 1] < value; j--) top[j] = top[j - 1];
      top[j] = value;
    }
  }
}

/**
 * Scratch for vectors of length m and top-k counts up to k. The maps take it as an argument, like everything else they touch:
 * a closure over it is compiled for its first owner, and runs slower for all later ones.
 */
export function createWork(m, k = 1) {
  return { top: new Float64Array(k + 1), free: new Float64Array(m) };
}

/**
 * Over {x >= 0, sum x <= r}. t solves t = rho sum x, or sum x = r where that asks for more; it is the larger of the two, and
 * both are bounded from below by their value on any set of entries, so entries at or below the bound drop out until none do.
 * Source: Kiwiel's variable fixing with only the lower bound in play.
 */
export function simplexInto(x, b, _k, r, rho, { free }) {
  const m = b.length;
  let pivot = b[0];
  for (let j = 1; j < m; j++) {
    if (b[j] > pivot) pivot = b[j];
  }
  if (!(pivot > 0)) {
    x.fill(0);
    return;
  }
  let t = Math.max(-r, -pivot / (1 + rho)); // the bounds of the largest entry alone
  let count = 0;
  let sum = 0;
  for (let j = 0; j < m; j++) {
    const c = b[j] - pivot;
    if (c > t) {
      free[count++] = c;
      sum += c;
    }
  }
  for (;;) {
    t = Math.max((sum - r) / count, (rho * sum - pivot) / (1 + rho * count));
    let kept = 0;
    let keptSum = 0;
    for (let j = 0; j < count; j++) {
      const c = free[j];
      if (c > t) {
        free[kept++] = c;
        keptSum += c;
      }
    }
    if (kept === count || kept === 0) break;
    count = kept;
    sum = keptSum;
  }
  for (let j = 0; j < m; j++) {
    const v = b[j] - pivot - t;
    x[j] = v > 0 ? v : 0;
  }
}

/**
 * Threshold of the box: t with sum min(max(c - t, 0), hi) = min(r, (t + pivot) / rho), c the first `count` entries of
 * `free`, which are overwritten. A pivot of Infinity asks for sum = r alone. Each pass solves as if no free entry were at a
 * bound, then fixes those whose bound the solution violates on the heavier side. Source: Kiwiel 2008.
 */
function boxThreshold(free, count, hi, r, rho, pivot) {
  let t = 0;
  let capped = 0; // sum of the entries fixed at hi
  while (count > 0) {
    let sum = 0;
    for (let j = 0; j < count; j++) sum += free[j];
    t = (sum + capped - r) / count;
    if (pivot !== Infinity) t = Math.max(t, (rho * (sum + capped) - pivot) / (1 + rho * count));
    let below = 0;
    let above = 0;
    for (let j = 0; j < count; j++) {
      const v = free[j] - t;
      if (v < 0) below -= v;
      else if (v > hi) above += v - hi;
    }
    if (below === above) break;
    let kept = 0;
    if (below > above) {
      for (let j = 0; j < count; j++) {
        if (free[j] > t) free[kept++] = free[j];
      }
    } else {
      for (let j = 0; j < count; j++) {
        if (free[j] - t < hi) free[kept++] = free[j];
        else capped += hi;
      }
    }
    if (kept === count) break;
    count = kept;
  }
  return t;
}

/** x = min(max(b - pivot - t, 0), hi); returns sum x. */
function clampInto(x, b, pivot, t, hi) {
  const m = b.length;
  let total = 0;
  for (let j = 0; j < m; j++) {
    const v = b[j] - pivot - t;
    const value = v > 0 ? (v < hi ? v : hi) : 0;
    x[j] = value;
    total += value;
  }
  return total;
}

/** Over {0 <= x <= r/k, sum x <= r}: top-k beta. Returns sum x. */
export function boxSimplexInto(x, b, k, r, rho, { top, free }) {
  const m = b.length;
  const hi = r / k;
  largestInto(top, b, m, k + 1);
  const pivot = Math.max(top[k], 0); // t >= 0, and at t = b_(k+1) at most k entries are positive: sum <= r
  const floor = -Math.min(pivot, hi); // t - pivot lies above: at -hi already k + 1 entries would be full
  let count = 0;
  for (let j = 0; j < m; j++) {
    const c = b[j] - pivot;
    if (c > floor) free[count++] = c < 4 * r ? c : 4 * r; // a clamped entry is full either way
  }
  if (count === 0) {
    x.fill(0);
    return 0;
  }
  return clampInto(x, b, pivot, boxThreshold(free, count, hi, r, rho, pivot), hi);
}

/**
 * Over {0 <= x_j <= (sum x)/k, sum x <= r}: top-k alpha. With s = sum x and U the entries at s/k, the cases are
 *   0           iff the sum T of the k largest b is <= 0;
 *   constant    s/k on the k largest, s = min(r, T/(1 + rho k)), iff b_(k) - s/k >= b_(k+1);
 *   s = r       a box of height r/k, iff its multiplier t + (1/k) sum_U (b - t - r/k) >= rho r;
 *   s < r       U = the u largest, p = u/k, M the other positive ones:
 *               (1-p) s = sum_M (b - t),   (1-p) t + (1/k) sum_U b - p s/k = rho s,
 *               for the first u with b_(u+1) - t <= s/k. For fixed u, s rises with t while sum_M falls: entries at or
 *               below the solution on too large an M drop out of M until none do.
 * Two bounds spare work: T <= s (1 + rho k) makes s = r certain once T >= r (1 + rho k), and s (rho + 1/|candidates|) <= T/k
 * rules it out. Source: NIPS 2015, Lemmas 3-5.
 */
export function topKSimplexInto(x, b, k, r, rho, work) {
  const { top, free } = work;
  const m = b.length;
  largestInto(top, b, m, k + 1);
  let sumTop = 0;
  for (let j = 0; j < k; j++) sumTop += top[j];
  if (!(sumTop > 0)) {
    x.fill(0);
    return;
  }
  const ray = sumTop / (1 + rho * k);
  const constant = Math.min(ray, r) / k;
  if (top[k - 1] - top[k] >= constant) {
    const least = top[k - 1];
    for (let j = 0; j < m; j++) x[j] = b[j] >= least ? constant : 0;
    return;
  }

  // From here b_(k) - b_(k+1) < s/k, and t - pivot lies in [-s/k, 0]: at 0 the sum is at most s, at -s/k at least (1 + 1/k) s.
  const pivot = top[k];
  const hi = r / k;
  let candidates = 0;
  for (let j = 0; j < m; j++) {
    if (b[j] - pivot > -hi) candidates++;
  }
  if (ray >= r || sumTop / k > r * (rho + 1 / candidates)) {
    let count = 0;
    for (let j = 0; j < m; j++) {
      const c = b[j] - pivot;
      if (c > -hi) free[count++] = c < 4 * r ? c : 4 * r;
    }
    const t = boxThreshold(free, count, hi, r, 0, Infinity);
    let multiplier = pivot + t;
    for (let j = 0; j < k; j++) {
      const excess = top[j] - pivot - t - hi;
      if (excess > 0) multiplier += excess / k;
    }
    if (ray >= r || multiplier >= rho * r) {
      clampInto(x, b, pivot, t, hi);
      return;
    }
  }
  coneInto(x, b, k, r, rho, pivot, work);
}

/** The case s < r of topKSimplexInto; `top` holds the k + 1 largest. */
function coneInto(x, b, k, r, rho, pivot, { top, free }) {
  const m = b.length;
  // The k largest stay above t for every u; `free` holds the candidates among the others, for all u alike.
  let spare = k; // entries equal to the pivot that belong to the k largest
  for (let j = 0; j < k; j++) {
    if (top[j] > pivot) spare--;
  }
  let others = 0;
  for (let j = 0; j < m; j++) {
    const c = b[j] - pivot;
    if (c > 0 || c <= -r / k) continue;
    if (c === 0 && spare > 0) spare--;
    else free[others++] = c;
  }

  let s = 0;
  let t = 0;
  let sumU = 0;
  for (let u = 0; u < k; u++) {
    const share = 1 - u / k;
    const slope = rho + u / (k * k);
    const capped = pivot + sumU / k; // t-free part of the second equation
    let sumFirst = 0;
    for (let j = u; j < k; j++) sumFirst += top[j] - pivot;
    let count = others;
    let sum = 0;
    for (let j = 0; j < count; j++) sum += free[j];
    for (;;) {
      const size = count + k - u;
      const sumM = sum + sumFirst;
      s = (share * sumM + size * capped) / (share * share + size * slope);
      t = (sumM - share * s) / size; // from the first equation, so that sum x = s whatever s has lost to rounding
      let kept = 0;
      let keptSum = 0;
      for (let j = 0; j < count; j++) {
        const c = free[j];
        if (c > t) {
          // A swap keeps the dropped ones behind the kept ones for the next u.
          free[j] = free[kept];
          free[kept++] = c;
          keptSum += c;
        }
      }
      if (kept === count) break;
      count = kept;
      sum = keptSum;
    }
    const largest = top[u] - pivot;
    if (largest - t <= (s / k) * ULP) break;
    sumU += largest;
  }
  if (!(s > 0)) {
    x.fill(0);
    return;
  }
  clampInto(x, b, pivot, t, Math.min(s, r) / k);
}

/**
 * Over {0 <= x_j <= min(r/k, (sum x)/(k-1)), sum x <= r}: top-k with the true class in the sum. The box is the answer while
 * its sum is at least r (k-1)/k; otherwise only the cone of k - 1 binds, below that radius.
 */
export function topKInclusiveInto(x, b, k, r, rho, work) {
  if (k === 1) {
    simplexInto(x, b, k, r, rho, work);
    return;
  }
  const least = (r * (k - 1)) / k;
  if (boxSimplexInto(x, b, k, r, rho, work) < least) topKSimplexInto(x, b, k - 1, least, rho, work);
}
