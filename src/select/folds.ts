import { numExamples, type Truth } from "../labels.ts";
import { downwards, STEP, upwards, type Steps } from "../pace/steps.ts";

/** The fold in [0, folds) of each row. */
export type Folds = Uint32Array;

/** Numbers in [0, 1) from a 32-bit seed: mulberry32, of Tommy Ettinger. */
function uniforms(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let z = Math.imul(state ^ (state >>> 15), state | 1);
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
    return ((z ^ (z >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** 0 ... count - 1 in random order, Fisher and Yates. */
function* shuffled(count: number, seed: number): Steps<Uint32Array> {
  const next = uniforms(seed);
  const order = new Uint32Array(count);
  yield* upwards(count, (from, end) => {
    for (let i = from; i < end; i++) order[i] = i;
  });
  yield* downwards(count, (from, end) => {
    for (let i = end - 1; i >= Math.max(from, 1); i--) {
      const j = Math.floor(next() * (i + 1));
      [order[i], order[j]] = [order[j], order[i]];
    }
  });
  return order;
}

/**
 * The class of each row; of a set its rarest label, since that is the one that uneven folds would miss, and m of an
 * empty set.
 */
function stratumOf({ indices, offsets }: Truth, m: number): (i: number) => number {
  if (!offsets) return (i) => indices[i];
  const counts = new Uint32Array(m);
  for (const y of indices) counts[y]++;
  return (i) => {
    let rarest = m;
    for (let p = offsets[i]; p < offsets[i + 1]; p++) {
      if (rarest === m || counts[indices[p]] < counts[rarest]) rarest = indices[p];
    }
    return rarest;
  };
}

/**
 * Deals the rows out, class after class, each in random order and where the one before it left off: the rows of a
 * class, and all rows, are as many in one fold as in another, or one more. Label sets are dealt out by their rarest
 * labels, of which that is true.
 */
export function* stratifiedFolds(truth: Truth, m: number, folds: number, seed: number): Steps<Folds> {
  const n = numExamples(truth);
  const stratum = stratumOf(truth, m);
  const strata: number[][] = Array.from({ length: m + 1 }, () => []);
  const order = yield* shuffled(n, seed);
  yield* upwards(n, (from, end) => order.subarray(from, end).forEach((i) => strata[stratum(i)].push(i)));
  const fold = new Uint32Array(n);
  let dealt = 0;
  for (const rows of strata) {
    yield* upwards(rows.length, (from, end) => {
      for (let p = from; p < end; p++) fold[rows[p]] = dealt++ % folds;
    });
  }
  return fold;
}

/**
 * The same with the rows of a group in one fold. Groups go one by one, the largest first and equally large ones in
 * random order, where they raise least
 *
 *     sum over folds of  |rows|^2 / n  +  sum over classes of  |rows of the class|^2 / |all rows of the class|,
 *
 * which even folds make small. With as many groups as folds or more no fold stays empty.
 *
 * @param groups the group of each row, in [0, number of groups).
 */
export function* groupedFolds(truth: Truth, m: number, folds: number, seed: number, groups: Uint32Array): Steps<Folds> {
  const { indices, offsets } = truth;
  const n = groups.length;
  const members: number[][] = [];
  yield* upwards(n, (from, end) => {
    for (let i = from; i < end; i++) (members[groups[i]] ??= []).push(i);
  });
  const bySize: number[][] = [];
  const order = yield* shuffled(members.length, seed);
  yield* upwards(order.length, (from, end) => {
    for (const group of order.subarray(from, end)) (bySize[members[group].length] ??= []).push(group);
  });

  const totals = new Float64Array(m);
  for (const y of indices) totals[y]++;
  const sizes = new Float64Array(folds);
  const filled = Array.from({ length: folds }, () => new Float64Array(m)); // rows of each class so far
  const fold = new Uint32Array(n);
  let work = 0;
  for (const group of bySize.reverse().flat()) {
    const rows = members[group];
    const labels = rows.flatMap((i) => [...indices.subarray(offsets?.[i] ?? i, offsets?.[i + 1] ?? i + 1)]);
    let best = 0;
    let least = Infinity;
    for (let f = 0; f < folds; f++) {
      let rise = (sizes[f] * rows.length) / n; // half of it, less what is the same in every fold
      for (const y of labels) rise += filled[f][y] / totals[y];
      if (rise >= least) continue;
      best = f;
      least = rise;
    }
    sizes[best] += rows.length;
    for (const y of labels) filled[best][y]++;
    for (const i of rows) fold[i] = best;
    work += folds * (labels.length + 1);
    if (work < STEP) continue;
    work = 0;
    yield;
  }
  return fold;
}
