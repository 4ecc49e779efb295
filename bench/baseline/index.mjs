/**
 * Plain SDCA in JavaScript: typed arrays, sparse updates, loops unrolled, written to be as fast as JavaScript makes it. Every epoch
 * takes a step for every example over every class, from 0 on; no candidates, active sets, momentum or detours, which `fit` has. It
 * is what the benchmark compares with, and shares no code with src/ or assembly/.
 */
import { createLoss } from "./losses.mjs";

/** One copy of the array code per storage type: see linalg.mjs. Imported by literal names, which bundlers follow. */
const copies = {
  float32: {
    Store: Float32Array,
    linalg: { store: await import("./linalg.mjs?float32"), exact: await import("./linalg.mjs?exact-float32") },
    solver: await import("./solver.mjs?float32"),
  },
  float64: {
    Store: Float64Array,
    linalg: { store: await import("./linalg.mjs?float64"), exact: await import("./linalg.mjs?exact-float64") },
    solver: await import("./solver.mjs?float64"),
  },
};

const compare = (a, b) => (typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : 1);

/**
 * Minimises C sum_i L(W x_i) + 1/2 ||W||^2 over W, m x d, without an intercept.
 *
 * @param {{ data: Float32Array | Float64Array, rows: number, cols: number }} features row-major
 * @param {readonly (number | string)[]} labels
 * @param {object} options loss ("softmax", "hinge", "topk-hinge", "topk-entropy"), k, variant ("alpha", "alpha-inclusive",
 *   "beta"; of "topk-entropy" only "alpha"), gamma (default 0), C (1), classes (those of the labels, in order), precision
 *   ("float32"), tolerance (1e-3), maxEpochs (1000), maxSeconds (Infinity; looked at after each epoch), seed (0), onProgress
 *   (called with each record of the history)
 * @returns {{ classes, certificate, history, weights, dualVariables }} weights m x d; dualVariables n x m, as stored
 */
export function fitBaseline(features, labels, options = {}) {
  const start = performance.now();
  const { tolerance = 1e-3, maxEpochs = 1000, maxSeconds = Infinity, seed = 0, onProgress, ...rest } = options;
  const { solver, problem, known } = openProblem(features, labels, rest);
  const { certificate, history } = solver.run(problem, { tolerance, maxEpochs, maxSeconds, seed, onProgress, start });
  return {
    classes: known,
    certificate,
    history,
    weights: { data: problem.W, rows: problem.m, cols: problem.d },
    dualVariables: { data: problem.A, rows: problem.n, cols: problem.m },
  };
}

/** The problem at 0, the module whose `sweep` takes steps on it, and the classes. */
export function openProblem(features, labels, { C = 1, precision = "float32", classes, ...spec }) {
  if (spec.intercept) throw new RangeError("baseline: has no intercept; append a constant feature");
  const { Store, linalg, solver } = copies[precision];
  const { rows: n, cols: d } = features;
  const known = classes ?? [...new Set(labels)].sort(compare);
  const indexOf = new Map(known.map((label, j) => [label, j]));
  const target = Int32Array.from(labels, (label) => indexOf.get(label));
  const m = known.length;
  const X = Store.from(features.data);
  const loss = createLoss({ loss: "softmax", ...spec }, m, C);
  return { solver, problem: solver.createProblem({ linalg, Store, X, target, n, d, m, C, loss }), known };
}
