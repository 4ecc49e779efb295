/**
 * The maps that are timed: `prepare` returns what to call for vector i, one function per way (see index.mjs). All but `kernel`, whose
 * answer is in WebAssembly memory, return the answer.
 */
import { prox } from "../../dist/index.js";
import { lambertV, softmaxStep } from "../baseline/entropy.mjs";
import { createWork, simplexInto, topKSimplexInto } from "../baseline/prox.mjs";

/** Baseline maps write into x and keep their input. */
const baselineMap = (map, k, rho, n, vectors) => {
  const x = new Float64Array(n);
  const work = createWork(n, k);
  return (i) => {
    map(x, vectors[i], k, 1, rho, work);
    return x;
  };
};

const knapsack = {
  name: "knapsack, sum = 1",
  prepare: ({ n, vectors, wasm: { kernels, at, x, work } }) => ({
    prox: (i) => prox.knapsack(vectors[i], { equality: true }),
    kernel: (i) => kernels.knapsackEquality(at[i], n, Infinity, 1, x, work),
  }),
};

const topKSimplex = (k, rho, fits) => ({
  name: `top-k simplex, k = ${k}${rho > 0 ? `, biased (rho = ${rho})` : ""}`,
  fits,
  prepare: ({ n, vectors, wasm: { kernels, at, x, work } }) => ({
    prox: (i) => prox.topKSimplex(vectors[i], { k, rho }),
    kernel: (i) => kernels.projectOnto(kernels.TOPK.value, k, 0, at[i], n, 1, rho, 0, x, work),
    baseline: baselineMap(k === 1 ? simplexInto : topKSimplexInto, k, rho, n, vectors),
  }),
});

/** Half of the vector on either side. */
const bipartiteSimplex = {
  name: "bipartite simplex, halves",
  prepare({ n, vectors, wasm: { kernels, at, x, work } }) {
    const half = n / 2;
    const [a, b] = [vectors.map((v) => v.subarray(0, half)), vectors.map((v) => v.subarray(half))];
    return {
      prox: (i) => prox.bipartiteSimplex(a[i], b[i]),
      kernel: (i) => kernels.bipartiteSimplex(at[i], half, n - half, 0, 1, x, work),
    };
  },
};

const entropicSimplex = {
  name: "entropic simplex",
  prepare: ({ n, vectors, wasm: { kernels, at, x } }) => ({
    prox: (i) => prox.entropicSimplex(vectors[i]),
    kernel: (i) => kernels.entropicSimplex(at[i], n, 1, Infinity, x),
  }),
};

const softmax = {
  name: "softmax step, alpha = 1",
  prepare({ n, vectors, wasm: { kernels, at, x, work } }) {
    const b = new Float64Array(n + 1); // the baseline wants the true class among the others, at b = alpha
    const scratch = new Float64Array(n + 1);
    return {
      prox: (i) => prox.topKEntropy(vectors[i], { k: 1, alpha: 1 }),
      kernel: (i) => kernels.topKEntropyStep(at[i], n, 1, false, 1, NaN, false, x, work),
      baseline(i) {
        b.set(vectors[i]);
        b[n] = 1;
        softmaxStep(b, 1, NaN, scratch);
        return b.subarray(0, n);
      },
    };
  },
};

/** The kernel destroys its input: the time is with a copy made first, as steps make one. */
const multilabelSoftmax = (t) => ({
  name: `multilabel softmax step, ${t} true, alpha = 1`,
  prepare({ n, vectors, wasm: { kernels, copy, x, work } }) {
    const [own, others] = [vectors.map((v) => v.subarray(0, t)), vectors.map((v) => v.subarray(t))];
    return {
      prox: (i) => prox.multilabelEntropy(own[i], others[i], { alpha: 1 }),
      kernel(i) {
        copy(i, work);
        kernels.multilabelEntropyStep(work, t, n - t, 1, false, false, x);
      },
    };
  },
});

const lambert = {
  name: "V(t) = W(exp t)",
  prepare({ n, vectors, wasm: { kernels, at, x } }) {
    const out = new Float64Array(n);
    return {
      prox: (i) => prox.lambertWExp(vectors[i]),
      kernel: (i) => kernels.lambertWExp(at[i], n, x),
      baseline(i) {
        for (let j = 0; j < n; j++) out[j] = lambertV(vectors[i][j]);
        return out;
      },
    };
  },
};

export const cases = [
  knapsack,
  ...[1, 5, 10].flatMap((k) => [topKSimplex(k, 0), topKSimplex(k, 1)]),
  topKSimplex(1000, 0, (n) => n === 1e6),
  bipartiteSimplex,
  entropicSimplex,
  softmax,
  multilabelSoftmax(5),
  lambert,
];
