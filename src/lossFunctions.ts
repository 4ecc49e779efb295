import { describe } from "./errors.ts";
import { resolveLoss, variants, type Loss } from "./losses.ts";
import { check, integer, number, oneOf } from "./settings.ts";
import type { LossParameters, Variant, Vec } from "./types.ts";
import { readVector } from "./vectors.ts";
import { borrow } from "./wasm/shared.ts";

/** A loss and the margins g_j = u_j - u_y of one example, laid out for the kernel. */
function open(caller: string, loss: Loss, m: number) {
  const n = m - 1;
  const { instance, at } = borrow(caller, [8, n + 2, n + 2, 2 * n + 4]);
  const [lossAt, gAt, xAt, workAt] = at;
  const { kernels, memory } = instance;
  kernels.describeLoss(lossAt, kernels[loss.family].value, kernels[loss.domain].value, loss.k, loss.gamma);
  const g = new Float64Array(memory.buffer, gAt, n);
  const gradient = new Float64Array(memory.buffer, xAt, n);
  return {
    gradient,
    value(scores: ArrayLike<number>, offset: number, y: number): number {
      for (let j = 0; j < n; j++) g[j] = scores[offset + (j < y ? j : j + 1)] - scores[offset + y];
      return kernels.lossValue(lossAt, gAt, n, xAt, workAt);
    },
  };
}

/** Sum of the loss over rows of m scores. */
export function lossAtScores(loss: Loss, scores: Float64Array, labels: Int32Array): number {
  const m = scores.length / labels.length;
  const kernel = open("evaluate", loss, m);
  let total = 0;
  labels.forEach((y, i) => (total += kernel.value(scores, i * m, y)));
  return total;
}

function prepare(caller: string, name: string, scores: Vec, label: number, parameters: LossParameters) {
  const { k, gamma, variant } = parameters;
  if (k !== undefined) check(caller, "k", k, integer(1, Infinity));
  if (gamma !== undefined) check(caller, "gamma", gamma, number("[", 0, Infinity, ")"));
  if (variant !== undefined) check(caller, "variant", variant, oneOf(variants));
  const loss = resolveLoss(caller, name, { k, gamma, variant: variant as Variant | undefined });
  const u = readVector(caller, "scores", scores);
  if (u.length < 2) throw new RangeError(`${caller}: "scores" must have at least 2 entries, got ${u.length}`);
  if (typeof label !== "number") {
    throw new TypeError(`${caller}: "label" must be a class index, got ${describe(label)}`);
  }
  check(caller, "label", label, integer(0, u.length - 1));
  return { kernel: open(caller, loss, u.length), u };
}

/**
 * The loss functions at a vector u of m scores, label = index of the true class; formulas in the README.
 * k of the top-k losses may be any integer >= 1 here. Needs `await init()`.
 */
export const losses = {
  /** The loss. @throws TypeError or RangeError for unknown losses, foreign options, non-finite scores. */
  value(loss: string, scores: Vec, label: number, o: LossParameters = {}): number {
    const { kernel, u } = prepare("losses.value", loss, scores, label, o);
    return kernel.value(u, 0, label);
  },

  /** Its gradient with respect to the m scores, a subgradient where it has a kink. */
  gradient(loss: string, scores: Vec, label: number, o: LossParameters = {}): Float64Array {
    const { kernel, u } = prepare("losses.gradient", loss, scores, label, o);
    kernel.value(u, 0, label);
    const out = new Float64Array(u.length);
    let total = 0;
    kernel.gradient.forEach((x, j) => {
      out[j < label ? j : j + 1] = x;
      total += x;
    });
    out[label] = total === 0 ? 0 : -total;
    return out;
  },
};
