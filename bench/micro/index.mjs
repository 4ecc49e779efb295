/**
 * Microseconds per vector of the proximal maps against the dimension, three ways:
 *
 *   prox       the public map: checks, copying in, the kernel, copying out
 *   kernel     the export of dist/core.wasm alone, its vectors in WebAssembly memory already, as in training
 *   baseline   the same map of bench/baseline, in plain JavaScript
 *
 * Vectors are standard normal, as in the papers (NIPS 2015, Figure 3; PAMI 2018, Figure 3a); many, so that none is learnt by
 * heart by the branch predictor, which does learn eight of a thousand numbers.
 */
import { init } from "../../dist/index.js";
import { summarise } from "../lib/statistics.mjs";
import { createRandom } from "../workloads/random.mjs";
import { cases } from "./cases.mjs";
import { instantiateKernels } from "./kernels.mjs";

const TURNS = 5;
/** All vectors together have so many numbers, a megabyte; but there are so many at least, and two of those that are larger. */
const NUMBERS = 2 ** 17;
const FEWEST = 8;
const WARM_MILLISECONDS = 50;

export async function microBench({ quick }) {
  await init();
  const dimensions = quick ? [1e3, 1e4] : [1e3, 1e4, 1e5, 1e6];
  const turnSeconds = quick ? 0.01 : 0.2;
  const rows = [];
  for (const n of dimensions) {
    const vectors = normalVectors(n, n > NUMBERS ? 2 : Math.max(Math.floor(NUMBERS / n), FEWEST));
    const wasm = await instantiateKernels(vectors);
    for (const one of cases.filter(({ fits }) => fits?.(n) ?? true)) {
      const ways = one.prepare({ n, vectors, wasm });
      const row = { name: one.name, n };
      for (const [way, call] of Object.entries(ways)) row[way] = timeCalls(call, vectors.length, turnSeconds);
      rows.push(row);
    }
  }
  return { turns: TURNS, unit: "microseconds per vector", rows };
}

function normalVectors(n, count) {
  const { normal } = createRandom(n);
  return Array.from({ length: count }, () => Float64Array.from({ length: n }, normal));
}

/** Microseconds per call: median and spread over turns, each of whole rounds through the vectors. */
function timeCalls(call, count, turnSeconds) {
  const round = () => {
    for (let i = 0; i < count; i++) call(i);
  };
  const began = performance.now();
  let warm = 0;
  // Compiled code settles after some calls; a round may take longer than a turn, and then one has to do.
  while (warm < 1 || (performance.now() - began < WARM_MILLISECONDS && warm < 1000)) {
    round();
    warm++;
  }
  const rounds = Math.max(1, Math.round((1000 * turnSeconds * warm) / (performance.now() - began)));
  const turns = Array.from({ length: TURNS }, () => {
    const start = performance.now();
    for (let r = 0; r < rounds; r++) round();
    return (1000 * (performance.now() - start)) / (rounds * count);
  });
  return summarise(turns);
}
