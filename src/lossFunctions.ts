import { readVector } from "./arrays/vectors.ts";
import { check, integer, nonnegative, readParameters } from "./constraints.ts";
import { describe, refuse } from "./errors.ts";
import { numExamples, type Truth } from "./labels.ts";
import { aVariant, checkRanks, guesses, MAX_K, rankWeights, resolveLoss, type Loss } from "./losses.ts";
import type { LossParameters, Variant, Vec } from "./types.ts";
import { STRUCTURE_BYTES } from "./wasm/kernels.ts";
import { describeLoss } from "./wasm/loss.ts";
import { borrow } from "./wasm/shared.ts";

/** A loss laid out for the kernels: its value at m scores, and the gradient of the last value taken. */
function open(caller: string, loss: Loss, m: number) {
  const { instance, at } = borrow(caller, [STRUCTURE_BYTES.Loss / 8, m + 1, m + 1, m, m + 2, m + 2, 4 * m + 8]);
  const [lossAt, uAt, gradientAt, rankWeights, margins, duals, work] = at;
  const { kernels, memory } = instance;
  describeLoss(kernels, memory.buffer, loss, m, { loss: lossAt, rankWeights, margins, duals, work });
  const u = new Float64Array(memory.buffer, uAt, m);
  const gradient = new Float64Array(memory.buffer, gradientAt, m);
  let order = new Int32Array(0);
  return {
    gradient,
    value(scores: ArrayLike<number>, offset: number, y: number): number {
      for (let j = 0; j < m; j++) u[j] = scores[offset + j];
      return kernels.lossValue(lossAt, uAt, m, y, gradientAt);
    },
    /** The true classes go first. `gradientOfSet` puts its gradient back into the order of the scores. */
    valueOfSet(scores: ArrayLike<number>, offset: number, set: ArrayLike<number>): number {
      order = arrange(set, m);
      for (let c = 0; c < m; c++) u[c] = scores[offset + order[c]];
      return kernels.lossOfSet(lossAt, uAt, set.length, m - set.length, 0, gradientAt);
    },
    gradientOfSet(): Float64Array {
      const out = new Float64Array(m);
      order.forEach((j, c) => (out[j] = gradient[c]));
      return out;
    },
  };
}

/** The members of a set, then all other class indices. */
function arrange(set: ArrayLike<number>, m: number): Int32Array<ArrayBuffer> {
  const isTrue = new Uint8Array(m);
  const order = new Int32Array(m);
  for (let c = 0; c < set.length; c++) isTrue[(order[c] = set[c])] = 1;
  let to = set.length;
  for (let j = 0; j < m; j++) if (!isTrue[j]) order[to++] = j;
  return order;
}

/** Sum of the loss over rows of m scores. */
export function lossAtScores(loss: Loss, scores: Float64Array, truth: Truth): number {
  const { indices, offsets } = truth;
  const n = numExamples(truth);
  const m = scores.length / n;
  const kernel = open("evaluate", loss, m);
  let total = 0;
  for (let i = 0; i < n; i++) {
    total += offsets
      ? kernel.valueOfSet(scores, i * m, indices.subarray(offsets[i], offsets[i + 1]))
      : kernel.value(scores, i * m, indices[i]);
  }
  return total;
}

/** How much the loss of each example counts, and that of each label of a set. */
interface Weights {
  readonly C: Float64Array;
  readonly total: number;
  readonly ofLabels?: Float64Array;
}

/** P - D where all scores and dual variables are 0, as they are at W = 0. */
export function gapAtZero(loss: Loss, truth: Truth, { C, total, ofLabels }: Weights, m: number): number {
  const { offsets } = truth;
  const kernel = open("fit", loss, m);
  const zeros = new Float64Array(m);
  if (!offsets) return total * kernel.value(zeros, 0, 0);
  const indices = zeros.map((_, j) => j);
  const gapOf = new Float64Array(m + 1).fill(NaN); // of a set by how many there are in it
  let gap = 0;
  for (let i = 0; i < C.length; i++) {
    const size = offsets[i + 1] - offsets[i];
    if (Number.isNaN(gapOf[size])) {
      gapOf[size] = kernel.valueOfSet(zeros, 0, indices.subarray(0, size));
      if (loss.family === "ENTROPY" && size > 0) gapOf[size] -= Math.log(size); // D is that at p = 1/size
    }
    gap += C[i] * gapOf[size];
    for (let p = offsets[i]; ofLabels && p < offsets[i + 1]; p++) gap += ((C[i] * gapOf[size]) / m) * (ofLabels[p] - 1);
  }
  return gap;
}

const kinds = {
  class: "a class index",
  set: "an array of class indices",
  either: "a class index or an array of class indices",
};

/**
 * Refuses scores whose differences, of which all losses but the one-vs-all ones are made, overflow: nothing follows
 * from them.
 */
function refuseOverflow(caller: string, scores: ArrayLike<number>): void {
  let [lowest, highest] = [0, 0];
  for (let j = 1; j < scores.length; j++) {
    if (scores[j] < scores[lowest]) lowest = j;
    if (scores[j] > scores[highest]) highest = j;
  }
  if (Number.isFinite(scores[highest] - scores[lowest])) return;
  const entries = `entry ${highest} is ${scores[highest]} and entry ${lowest} ${scores[lowest]}`;
  refuse(RangeError, caller, "scores", `must not differ by more than ${Number.MAX_VALUE}, but ${entries}`);
}

/** Takes the value, so that the gradient is there too. */
function evaluate(caller: string, name: string, scores: Vec, label: unknown, parameters?: LossParameters) {
  const names = ["k", "gamma", "variant", "rankWeights"] as const;
  const { k, gamma, variant, rankWeights: weights } = readParameters(caller, parameters, names);
  if (k !== undefined) check(caller, "k", k, guesses);
  if (gamma !== undefined) check(caller, "gamma", gamma, nonnegative);
  if (variant !== undefined) check(caller, "variant", variant, aVariant);
  if (weights !== undefined) check(caller, "rankWeights", weights, rankWeights);
  const loss = resolveLoss(caller, name, {
    ...{ k: weights === undefined ? k && Math.min(k, MAX_K) : k, gamma, rankWeights: weights },
    variant: variant as Variant | undefined,
  });
  const u = readVector(caller, "scores", scores);
  if (u.length < 2) refuse(RangeError, caller, "scores", `must have at least 2 entries, got ${u.length}`);
  if (!loss.oneVsAll) refuseOverflow(caller, u);
  checkRanks(caller, loss, u.length);
  const classIndex = integer(0, u.length - 1);
  const isSet = Array.isArray(label);
  if (isSet ? loss.label === "class" : typeof label !== "number" || loss.label === "set") {
    const must = `must be ${kinds[loss.label]} with the loss "${loss.name}"`;
    refuse(TypeError, caller, "label", `${must}, got ${describe(label)}`);
  }
  const seen = new Set<unknown>();
  for (const j of isSet ? (label as unknown[]) : [label]) {
    const place = isSet ? `entry ${seen.size}` : "";
    check(caller, "label", j, classIndex, place);
    if (seen.has(j)) refuse(RangeError, caller, "label", `${place} repeats ${describe(j)}`);
    seen.add(j);
  }
  const kernel = open(caller, loss, u.length);
  const value = isSet ? kernel.valueOfSet(u, 0, label as number[]) : kernel.value(u, 0, label as number);
  return { value, gradient: () => (isSet ? kernel.gradientOfSet() : kernel.gradient.slice()) };
}

/**
 * The loss functions at a vector u of m >= 2 scores. label: index of the true class y; for the losses of label sets,
 * multilabel-hinge and multilabel-softmax, an array of the indices of all true classes Y, without repetition; the
 * one-vs-all losses take either. k of the top-k losses may be any integer >= 1 here, of weighted-topk-hinge up to m.
 * Needs `await init()`, else an Error. With g_j = u_j - u_y and h_j = 1 + g_j for j != y, h_(1) >= h_(2) >= ...:
 *
 *     softmax                   log(1 + sum exp g_j)
 *     hinge                     max(0, h_(1))
 *     topk-hinge                alpha             max(0, (h_(1) + ... + h_(k))/k)
 *                               alpha-inclusive   max(0, (z_(1) + ... + z_(k))/k),   z = the h_j and 0, for y
 *                               beta              (max(0, h_(1)) + ... + max(0, h_(k)))/k
 *     weighted-topk-hinge       max(0, rho_1 z_(1) + ... + rho_m z_(m)),   z as in alpha-inclusive
 *     topk-entropy              max over z of <g, z> - <z, log z> - (1 - s) log(1 - s),   s = sum z <= 1   and
 *                               alpha   0 <= z_j <= s/k          beta   0 <= z_j <= 1/k
 *     truncated-topk-entropy    log(1 + sum exp g_j over the m - k smallest g_j)
 *     ova-hinge                 sum over all j of max(0, 1 - t_j u_j),   t_j = 1 for true classes, -1 otherwise
 *     ova-logistic              sum over all j of log(1 + exp(-t_j u_j))
 *     multilabel-hinge          max(0, 1 + max of u outside Y - min of u in Y),   0 where Y or its complement is empty
 *     multilabel-softmax        log sum_j exp u_j - (mean of u in Y),   0 where Y is empty
 *
 * gamma > 0 smooths the hinge losses: max over p of <h, p> - gamma/2 ||p||^2, p in the domain of the dual variables,
 * which docs/losses.md has, as well as the form that this takes for weighted-topk-hinge, ova-hinge and
 * multilabel-hinge.
 *
 * Lapin, Hein, Schiele, PAMI 2018: sections 3.2 and 3.3, Prop. 4 (topk-entropy), Props 2 and 6 (gamma); NIPS 2015, Eq.
 * 3 (alpha-inclusive) and Eq. 5 (beta). weighted-topk-hinge: Hirohashi and Kato, 2020, Eqs 12 and 31.
 */
export const losses = {
  /**
   * The loss. `loss` is the name of one: "softmax", "hinge", "topk-hinge", "weighted-topk-hinge", "topk-entropy",
   * "truncated-topk-entropy", "ova-hinge", "ova-logistic", "multilabel-hinge" or "multilabel-softmax".
   *
   * @throws TypeError or RangeError for unknown losses, foreign, missing or illegal options, labels that are no class
   * indices or not of the loss's kind, scores that are not finite or, but for one-vs-all, whose differences are not.
   *
   * @example
   * losses.value("hinge", [2, 1, 0], 1); // 2
   * losses.value("topk-hinge", [3, 2, 1, 0], 2, { k: 2 }); // 2.5
   * losses.value("multilabel-hinge", [2, 1, 0], [0, 2]); // 2
   */
  value(loss: string, scores: Vec, label: number | readonly number[], o?: LossParameters): number {
    return evaluate("losses.value", loss, scores, label, o).value;
  },

  /**
   * The gradient of the same with respect to the m scores, a subgradient where it has a kink. But for one-vs-all its
   * entries sum to 0.
   *
   * @throws as `value`.
   *
   * @example
   * losses.gradient("softmax", [0, 0, 0, 0], 0); // [-0.75, 0.25, 0.25, 0.25]
   * losses.gradient("topk-hinge", [3, 2, 1, 0], 2, { k: 2 }); // [0.5, 0.5, -1, 0]
   */
  gradient(loss: string, scores: Vec, label: number | readonly number[], o?: LossParameters): Float64Array {
    return evaluate("losses.gradient", loss, scores, label, o).gradient();
  },
};
