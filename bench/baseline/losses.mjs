/**
 * The losses: what SDCA needs to know of each. P(W) = C sum_i L(W x_i) + 1/2 ||W||^2. The dual row of an example is kept as
 * x = -a over the classes other than y, so x >= 0, with x[y] = 0 and a_y = sum x.
 *
 * A loss is an object of
 *   stepInto(x, q, y, norm2, old)  the exact maximiser of the dual in x, given q = scores - norm2 * old row (overwritten)
 *   restInto(x, y)                 the same for an example of zeros, whose row is a constant
 *   primal(u, y)                   L at the scores u (overwritten)
 *   dual(x, y)                     -C L*(-a/C), x feasible
 *   repair(x, y)                   moves x to a feasible point no further away than rounding took it; returns sum x
 *
 * Source: Lapin, Hein, Schiele, "Analysis and Optimization of Loss Functions for Multiclass, Top-k, and Multilabel
 * Classification": Propositions 2 (smoothed losses), 14 (step of the hinges), 3 and 16 (softmax).
 */
import { softmaxStep } from "./entropy.mjs";
import { boxSimplexInto, createWork, largestInto, simplexInto, topKInclusiveInto, topKSimplexInto } from "./prox.mjs";
import { createEntropyWork, topKEntropyLoss, topKEntropyStep } from "./topKEntropy.mjs";

/** @param {{ loss: string, k?: number, variant?: string, gamma?: number }} spec */
export function createLoss({ loss, k = 1, variant = "alpha", gamma = 0 }, m, C) {
  if (loss === "softmax") return softmax(m, C);
  if (loss === "topk-entropy" && variant === "alpha" && k < m - 1) return topKEntropy(m, C, k);
  if (loss === "hinge") return hinge(m, C, gamma, 1, simplex);
  if (loss === "topk-hinge" && domains[variant]) return hinge(m, C, gamma, k, domains[variant]);
  throw new RangeError(`baseline: no loss "${loss}" (variant "${variant}")`);
}

/**
 * The sets of the hinge losses at radius r:
 *   lift     what h_y counts as in the sum over the k largest h
 *   cap      x_j <= cap(r, k)
 *   share    x_j <= (sum x) / share(k); 0 is no bound
 *   value    the loss, given the k largest h in falling order
 */
const meanOfLargest = (top, k) => {
  let sum = 0;
  for (let j = 0; j < k; j++) sum += top[j];
  return Math.max(0, sum / k);
};
const simplex = {
  lift: -Infinity,
  cap: () => Infinity,
  share: () => 0,
  value: (top) => Math.max(0, top[0]),
  projectInto: simplexInto,
};
const domains = {
  alpha: {
    lift: -Infinity,
    cap: () => Infinity,
    share: (k) => k,
    value: meanOfLargest,
    projectInto: topKSimplexInto,
  },
  "alpha-inclusive": {
    lift: 0,
    cap: (r, k) => (k === 1 ? Infinity : r / k),
    share: (k) => k - 1,
    value: meanOfLargest,
    projectInto: topKInclusiveInto,
  },
  beta: {
    lift: -Infinity,
    cap: (r, k) => r / k,
    share: () => 0,
    value: (top, k) => {
      let sum = 0;
      for (let j = 0; j < k && top[j] > 0; j++) sum += top[j];
      return sum / k;
    },
    projectInto: boxSimplexInto,
  },
};

/**
 * Hinge losses on h_j = 1 + u_j - u_y. Step: x = projection of (q_j + 1 - q_y) / (norm2 + gamma/C) onto the set of radius C,
 * with bias rho = norm2 / (norm2 + gamma/C). Smoothed value: <h, p> - gamma/2 ||p||^2, p the projection of h/gamma onto the
 * set of radius 1. Dual: sum x - gamma/(2C) ||x||^2.
 */
function hinge(m, C, gamma, k, domain) {
  const projectInto = domain.projectInto;
  const work = createWork(m, k);
  const cap = domain.cap(C, k);
  const share = domain.share(k);
  const count = Math.min(k, m);
  const top = new Float64Array(k).fill(-Infinity);
  const p = new Float64Array(m);

  /** h with `other` in y's place, over the scores u, divided by scale. */
  function marginsInto(u, y, scale, other) {
    const shift = 1 - u[y];
    for (let j = 0; j < m; j++) u[j] = (u[j] + shift) / scale;
    u[y] = other;
  }

  function stepInto(x, q, y, norm2) {
    const scale = norm2 + gamma / C;
    marginsInto(q, y, scale, -Infinity);
    projectInto(x, q, k, C, norm2 / scale, work);
  }

  /** All h are 1 and the row is free of W: any maximiser of the dual will do, and one is the same for all classes. */
  function restInto(x, y) {
    if (gamma > 0) {
      x.fill(C / gamma);
      x[y] = -Infinity;
      projectInto(x, Float64Array.from(x), k, C, 0, work);
      return;
    }
    x.fill(share > m - 1 ? 0 : Math.min(C / (m - 1), cap));
    x[y] = 0;
  }

  function primal(u, y) {
    if (gamma === 0) {
      marginsInto(u, y, 1, domain.lift);
      largestInto(top, u, m, count);
      return domain.value(top, k);
    }
    marginsInto(u, y, gamma, -Infinity);
    projectInto(p, u, k, 1, 0, work);
    let value = 0;
    for (let j = 0; j < m; j++) {
      if (p[j] > 0) value += p[j] * (u[j] - p[j] / 2);
    }
    return gamma * value;
  }

  function dual(x) {
    let sum = 0;
    let squares = 0;
    for (let j = 0; j < m; j++) {
      sum += x[j];
      squares += x[j] * x[j];
    }
    return sum - (gamma / (2 * C)) * squares;
  }

  const repair = (x, y) => repairInto(x, y, C, cap, share);

  return { stepInto, restInto, primal, dual, repair };
}

/** Into {0 <= x_j <= cap, x_j <= (sum x)/share, sum x <= C}: entries clipped, those below lifted, the whole scaled. Returns sum x. */
function repairInto(x, y, C, cap, share) {
  const m = x.length;
  let sum = 0;
  let largest = 0;
  for (let j = 0; j < m; j++) {
    const value = Math.min(Math.max(x[j], 0), cap);
    x[j] = value;
    sum += value;
    if (value > largest) largest = value;
  }
  if (largest === 0) return 0;
  if (share > m - 1) {
    x.fill(0); // too few classes for any share: the set is {0}
    return 0;
  }
  if (share > 0 && sum < share * largest) {
    // Some entry exceeds its share of the sum: lift the others towards it, those in use first.
    let missing = share * largest - sum;
    for (let inUse = 1; inUse >= 0; inUse--) {
      for (let j = 0; j < m && missing > 0; j++) {
        if (j === y || x[j] > 0 !== (inUse === 1)) continue;
        const lift = Math.min(missing, largest - x[j]);
        x[j] += lift;
        missing -= lift;
      }
    }
    sum = share * largest;
  }
  if (sum > C) {
    for (let j = 0; j < m; j++) x[j] *= C / sum; // keeps caps and shares
    sum = C;
  }
  return sum;
}

/**
 * Softmax: L = log sum_j exp(u_j - u_y). With z = x/C and s = sum z the dual is -C (<z, log z> + (1-s) log(1-s)); the step is
 * softmaxStep of b_j = q_j - q_y, b_y = alpha = norm2 C, started from the t that the largest old share implies.
 */
function softmax(m, C) {
  const work = new Float64Array(m);

  function stepInto(x, q, y, norm2, old) {
    const alpha = norm2 * C;
    const own = q[y];
    let largest = y;
    let share = 1;
    for (let j = 0; j < m; j++) {
      q[j] -= own;
      share -= old[j] / C;
    }
    q[y] = alpha;
    for (let j = 0; j < m; j++) {
      if (old[j] > C * share) {
        largest = j;
        share = old[j] / C;
      }
    }
    softmaxStep(q, alpha, share < 1 ? q[largest] - alpha * share - Math.log(alpha * share) : NaN, work);
    for (let j = 0; j < m; j++) x[j] = C * q[j];
    x[y] = 0;
  }

  function restInto(x, y) {
    x.fill(C / m);
    x[y] = 0;
  }

  function primal(u, y) {
    let largest = u[0];
    for (let j = 1; j < m; j++) {
      if (u[j] > largest) largest = u[j];
    }
    let sum = 0;
    for (let j = 0; j < m; j++) sum += Math.exp(u[j] - largest);
    return Math.log(sum) + largest - u[y];
  }

  const dual = (x) => entropyDual(x, C);
  const repair = (x, y) => repairInto(x, y, C, Infinity, 0);

  return { stepInto, restInto, primal, dual, repair };
}

const xLogX = (v) => (v > 0 ? v * Math.log(v) : 0);

/** -C (<z, log z> + (1 - s) log(1 - s)), z = x/C, s = sum z. */
function entropyDual(x, C) {
  let entropy = 0;
  let rest = 1;
  for (let j = 0; j < x.length; j++) {
    const z = x[j] / C;
    entropy += xLogX(z);
    rest -= z;
  }
  return -C * (entropy + xLogX(rest));
}

/** Top-k entropy, alpha: softmax's dual value over the top-k simplex. The step starts from the t that an old share below the bound implies. */
function topKEntropy(m, C, k) {
  const work = createEntropyWork(m, k);

  function marginsInto(u, y) {
    const own = u[y];
    for (let j = 0; j < m; j++) u[j] -= own;
    u[y] = -Infinity;
  }

  function stepInto(x, q, y, norm2, old) {
    const alpha = norm2 * C;
    marginsInto(q, y);
    let sum = 0;
    for (let j = 0; j < m; j++) sum += old[j];
    let largest = -1;
    for (let j = 0; j < m; j++) {
      if (old[j] < (0.999 * sum) / k && (largest < 0 || old[j] > old[largest]) && j !== y) largest = j;
    }
    const share = sum > 0 && largest >= 0 ? old[largest] / C : 0;
    const start = share > 0 ? q[largest] - alpha * share - Math.log(alpha * share) : NaN;
    topKEntropyStep(x, q, k, alpha, start, work);
    for (let j = 0; j < m; j++) x[j] *= C;
    x[y] = 0;
  }

  function restInto(x, y) {
    x.fill(C / m);
    x[y] = 0;
  }

  function primal(u, y) {
    marginsInto(u, y);
    return topKEntropyLoss(u, k, work);
  }

  const dual = (x) => entropyDual(x, C);
  const repair = (x, y) => repairInto(x, y, C, Infinity, k);

  return { stepInto, restInto, primal, dual, repair };
}
