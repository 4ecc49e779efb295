/**
 * What a layout of the features costs: processor milliseconds of one pass over all n examples and of one evaluation, on a
 * resident problem, and of a whole fit, for the same rows in each layout.
 *
 *   first         pass over every class
 *   later         pass after an evaluation, over the candidates it has listed for the losses that have them
 *   estimate      evaluation at the weights as they are
 *   certificate   evaluation from the dual variables alone
 *   fit           to the usual tolerance
 */
import { rowReader } from "../lib/nonzeros.mjs";
import { summarise } from "../lib/statistics.mjs";
import { startClock } from "../lib/usage.mjs";
import { common } from "../losses.mjs";
import { recipes } from "../workloads/recipes.mjs";
import { importWith, layouts } from "./bundle.mjs";

const LATER_PASSES = 4;
const losses = ["hinge", "softmax"];

export async function layoutBench({ n, d, m, density, repeats, seed = 3000 }) {
  const { data, labels } = recipes.thinned({ n, d, m, seed, density });
  const features = toCsr({ data, rows: n, cols: d });
  const shape = { numExamples: n, numFeatures: d, numClasses: m, precision: common.precision };
  const from = {};
  for (const layout of layouts) {
    from[layout] = await importWith(layout);
    await from[layout].init();
  }

  const milliseconds = {};
  for (const name of losses) {
    milliseconds[name] = Object.fromEntries(layouts.map((layout) => [layout, []]));
    // One turn for the compiler, which is not counted.
    for (let turn = -1; turn < repeats; turn++) {
      for (const layout of turn % 2 === 0 ? layouts : [...layouts].reverse()) {
        const { fit, ...solver } = from[layout];
        const problem = await openProblem({ solver, layout, shape, features, labels, loss: name });
        const times = timeRound(solver, problem, n);
        const options = { ...common, loss: name, seed: Math.max(turn, 0) };
        const stop = startClock();
        await fit(features, labels, options);
        times.fit = 1000 * stop().cpuSeconds;
        if (turn >= 0) milliseconds[name][layout].push(times);
      }
    }
  }
  const summary = (turns) =>
    Object.fromEntries(Object.keys(turns[0]).map((what) => [what, summarise(turns.map((times) => times[what]))]));
  for (const name of losses)
    for (const layout of layouts) milliseconds[name][layout] = summary(milliseconds[name][layout]);
  return { nonzeros: features.data.length / (n * d), milliseconds };
}

/** A problem of its own for every turn: passes change what later ones have to do. */
export async function openProblem({ solver, layout, shape, features, labels, loss }) {
  const { ResidentProblem, resolveLoss } = solver;
  const nonzeros = layout === "sparse" ? features.data.length : undefined;
  const wanted = { ...shape, nonzeros, skipsZeros: layout === "skipping" };
  const problem = await ResidentProblem.create("bench", wanted, resolveLoss("bench", loss, {}), 0);
  problem.y.set(labels);
  problem.C.fill(common.C);
  const { data, indices, indptr, rows } = features;
  problem.features.storeBlock(0, rows, { values: data, indices, indptr });
  problem.measureRows(0, rows);
  return problem;
}

function timeRound({ finish }, problem, n) {
  const time = (act) => {
    const stop = startClock();
    act();
    return 1000 * stop().cpuSeconds;
  };
  const pass = (everyClass) => {
    finish(problem.visits.shuffle(n));
    problem.sweep(0, n, everyClass);
  };
  const first = time(() => pass(true));
  const estimate = time(() => {
    problem.clear(false);
    problem.measure();
    problem.estimate(0, n);
  });
  const later = time(() => {
    for (let p = 0; p < LATER_PASSES; p++) pass(false);
  });
  const certificate = time(() => {
    problem.clear(true);
    problem.rebuild(0, n);
    problem.settle();
    problem.evaluate(0, n);
  });
  return { first, later: later / LATER_PASSES, estimate, certificate };
}

export function toCsr(dense) {
  const { columns, values, read } = rowReader(dense);
  const indptr = new Int32Array(dense.rows + 1);
  const count = dense.data.reduce((sum, value) => sum + (value !== 0 ? 1 : 0), 0);
  const data = new Float32Array(count);
  const indices = new Int32Array(count);
  for (let i = 0; i < dense.rows; i++) {
    const inRow = read(i);
    data.set(values.subarray(0, inRow), indptr[i]);
    indices.set(columns.subarray(0, inRow), indptr[i]);
    indptr[i + 1] = indptr[i] + inRow;
  }
  return { data, indices, indptr, rows: dense.rows, cols: dense.cols };
}
