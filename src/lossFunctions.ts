import { describe, refuse } from "./errors.ts";
import { resolveLoss, variants, type Loss } from "./losses.ts";
import { check, integer, number, oneOf } from "./constraints.ts";
import type { LossParameters, Variant, Vec } from "./types.ts";
import { readVector } from "./vectors.ts";
import { describeLoss } from "./wasm/problem.ts";
import { borrow } from "./wasm/shared.ts";

/** A loss laid out for the kernel: its value at m scores, and the gradient of the last value taken. */
function open(caller: string, loss: Loss, m: number) {
  const { instance, at } = borrow(caller, [16, m, m, m + 2, m + 2, 2 * m + 4]);
  const [lossAt, uAt, gradientAt, marginsAt, dualsAt, workAt] = at;
  const { kernels, memory } = instance;
  describeLoss(kernels, lossAt, loss, marginsAt, dualsAt, workAt);
  const u = new Float64Array(memory.buffer, uAt, m);
  return {
    gradient: new Float64Array(memory.buffer, gradientAt, m),
    value(scores: ArrayLike<number>, offset: number, y: number): number {
      for (let j = 0; j < m; j++) u[j] = scores[offset + j];
      return kernels.lossValue(lossAt, uAt, m, y, gradientAt);
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
  if (u.length < 2) refuse(RangeError, caller, "scores", `must have at least 2 entries, got ${u.length}`);
  if (typeof label !== "number") {
    refuse(TypeError, caller, "label", `must be a class index, got ${describe(label)}`);
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
    return kernel.gradient.slice();
  },
};
