/**
 * Stochastic dual coordinate ascent in plain JavaScript:
 *
 *   P(W) = C sum_i L(W x_i) + 1/2 ||W||^2,   D(A) = -C sum_i L*(-a_i/C) - 1/2 ||W||^2,   W = sum_i a_i x_i^T
 *
 * Every epoch visits the examples in a fresh random order, and each visit maximises D in the row a_i exactly. Source:
 * Shalev-Shwartz and Zhang, "Accelerated Proximal Stochastic Dual Coordinate Ascent for Regularized Loss Minimization" (ICML 2014);
 * Lapin, Hein, Schiele, "Analysis and Optimization of Loss Functions for Multiclass, Top-k, and Multilabel Classification",
 * section 5.
 */

/** Uniform in {0, ..., bound - 1}, from 32 bits of a counter mixed by Murmur3's finaliser. */
export function createRandom(seed) {
  let counter = seed >>> 0;
  return (bound) => {
    counter = (counter + 0x9e3779b9) >>> 0;
    let h = counter;
    h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
    h ^= h >>> 16;
    return Math.floor(((h >>> 0) / 2 ** 32) * bound);
  };
}

export function shuffle(order, random) {
  for (let i = order.length - 1; i > 0; i--) {
    const j = random(i + 1);
    const swapped = order[i];
    order[i] = order[j];
    order[j] = swapped;
  }
}

/**
 * The dual point, the weights and the scratch of one problem. X is n x d, A is n x m, W is m x d, all row-major and of the type
 * Store; `target` holds class indices; `linalg.store` works on that type, `linalg.exact` adds rows of X into float64.
 */
export function createProblem({ linalg, Store, X, target, n, d, m, C, loss }) {
  const problem = { linalg, X, target, n, d, m, C, loss, A: new Store(n * m), W: new Store(m * d) };
  problem.exactW = new Float64Array(m * d);
  problem.scores = new Float64Array(m);
  problem.old = new Float64Array(m);
  problem.x = new Float64Array(m);
  problem.norms = Float64Array.from(target, (_, i) => linalg.store.dot(X, i * d, X, i * d, d));
  problem.norms.forEach((norm2, i) => {
    if (norm2 > 0) return;
    loss.restInto(problem.x, target[i]);
    storeRow(problem.A, i * m, problem.x, target[i], loss.repair(problem.x, target[i]));
  });
  return problem;
}

/** The row of A at `row` := the dual row that x stands for. */
function storeRow(A, row, x, y, sum) {
  for (let j = 0; j < x.length; j++) A[row + j] = -x[j];
  A[row + y] = sum;
}

/** Visits the examples of `order`. W changes only in the rows of classes whose dual variable did. */
export function sweep({ linalg, X, target, norms, d, m, loss, A, W, scores, old, x }, order) {
  const { scoresInto, addScaled } = linalg.store;
  for (let p = 0; p < order.length; p++) {
    const i = order[p];
    const norm2 = norms[i];
    if (norm2 === 0) continue; // its row is set once and for all
    const y = target[i];
    const row = i * m;
    const at = i * d;
    scoresInto(scores, W, X, at, m, d);
    for (let j = 0; j < m; j++) {
      const a = A[row + j];
      old[j] = -a;
      scores[j] -= norm2 * a;
    }
    old[y] = 0;
    loss.stepInto(x, scores, y, norm2, old);

    let sum = 0;
    for (let j = 0; j < m; j++) {
      if (x[j] === 0 && old[j] === 0) continue;
      A[row + j] = -x[j];
      const stored = A[row + j]; // as rounded: W must follow what A holds
      sum -= stored;
      const change = stored + old[j];
      if (change !== 0) addScaled(W, j * d, change, X, at, d);
    }
    const before = A[row + y];
    A[row + y] = sum;
    const change = A[row + y] - before;
    if (change !== 0) addScaled(W, y * d, change, X, at, d);
  }
}

/**
 * The certificate at the current A. Rounding may have left A a little outside its domain, and W a little away from A^T X:
 * every row is made feasible first, and W is computed anew from the rows in float64. D is claimed for exactly those; P for
 * W as it is stored, which is a valid primal point whatever its rounding.
 */
export function evaluate({ linalg, X, target, n, d, m, C, loss, A, W, exactW, scores, x }) {
  const { scoresInto, dot } = linalg.store;
  const { addScaled } = linalg.exact;
  let lossSum = 0;
  let dualSum = 0;
  exactW.fill(0);
  for (let i = 0; i < n; i++) {
    const row = i * m;
    const y = target[i];
    for (let j = 0; j < m; j++) x[j] = -A[row + j];
    x[y] = 0;
    const sum = loss.repair(x, y);
    dualSum += loss.dual(x, y);
    for (let j = 0; j < m; j++) {
      if (x[j] !== 0) addScaled(exactW, j * d, -x[j], X, i * d, d);
    }
    if (sum !== 0) addScaled(exactW, y * d, sum, X, i * d, d);
    storeRow(A, row, x, y, sum);
  }
  W.set(exactW);
  for (let i = 0; i < n; i++) {
    scoresInto(scores, W, X, i * d, m, d);
    lossSum += loss.primal(scores, target[i]);
  }
  const primalObjective = C * lossSum + dot(W, 0, W, 0, m * d) / 2;
  let exactNorm2 = 0;
  for (let j = 0; j < exactW.length; j++) exactNorm2 += exactW[j] * exactW[j];
  const dualObjective = dualSum - exactNorm2 / 2;
  const dualityGap = primalObjective - dualObjective;
  const scale = Math.max(Math.abs(primalObjective), Math.abs(dualObjective));
  return { primalObjective, dualObjective, dualityGap, relativeGap: scale === 0 ? 0 : dualityGap / scale };
}

/** Epochs until the gap is certified or epochs or time run out; evaluated after 1, 2, 3, ... and then ever more rarely. */
export function run(problem, { tolerance, maxEpochs, maxSeconds, seed, onProgress, start }) {
  const random = createRandom(seed);
  const order = Int32Array.from({ length: problem.n }, (_, i) => i);
  const history = [];
  let evaluateSeconds = 0;
  let nextEvaluation = maxEpochs === 0 ? 0 : 1;
  let status = "max-epochs";
  let measured;
  for (let epoch = 0; epoch <= maxEpochs; epoch++) {
    if (epoch > 0) {
      shuffle(order, random);
      sweep(problem, order);
    }
    const late = performance.now() - start >= 1000 * maxSeconds;
    if (epoch !== nextEvaluation && !late) continue;
    const before = performance.now();
    measured = evaluate(problem);
    evaluateSeconds += (performance.now() - before) / 1000;
    history.push({ epoch, seconds: (performance.now() - start) / 1000, ...measured });
    onProgress?.(history.at(-1));
    // A gap below zero by more than rounding would mean an infeasible A: no certificate.
    if (measured.relativeGap <= tolerance && measured.relativeGap > -1e-9) {
      status = "solved";
      break;
    }
    if (late) {
      status = "max-seconds";
      break;
    }
    nextEvaluation = Math.min(epoch + Math.max(1, Math.floor(epoch / 8)), Math.max(maxEpochs, epoch + 1));
  }
  const solveSeconds = (performance.now() - start) / 1000;
  const epochs = history.at(-1).epoch;
  return { certificate: { status, epochs, ...measured, tolerance, solveSeconds, evaluateSeconds }, history };
}
