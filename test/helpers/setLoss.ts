import { resolveLoss } from "../../src/losses.ts";
import { describeLoss } from "../../src/wasm/loss.ts";
import { borrow } from "../../src/wasm/shared.ts";
import type { SetLossSpec } from "../reference/multilabel.ts";

interface Ways {
  float32?: boolean;
  /** Of the true classes, if they have any. */
  weights?: readonly number[];
}

/** The kernels of a loss of label sets on one example: arrays of the t true classes, then the others. */
export function openSetLoss(spec: SetLossSpec, t: number, n: number, { float32 = false, weights: given }: Ways = {}) {
  const { loss: name, gamma } = spec;
  const m = t + n;
  const { instance, at } = borrow("test", [16, m + 2, m + 2, m + 2, m + 2, 4 * m + 8, t]);
  const [lossAt, firstAt, secondAt, margins, duals, work, givenAt] = at;
  const weights = given ? givenAt : 0;
  const { kernels, memory } = instance;
  const layout = { loss: lossAt, rankWeights: 0, margins, duals, work };
  describeLoss(kernels, memory.buffer, resolveLoss("test", name, { gamma }), m, layout, float32);
  const [first, second] = [firstAt, secondAt].map((pointer) => new Float64Array(memory.buffer, pointer, m));
  if (given) new Float64Array(memory.buffer, givenAt, t).set(given);
  const put = (target: Float64Array, values: readonly number[]): void => target.set(values);
  return {
    value(u: readonly number[]): { value: number; gradient: number[]; alone: number } {
      put(first, u);
      const value = kernels.lossOfSet(lossAt, firstAt, t, n, weights, secondAt);
      const gradient = Array.from(second);
      return { value, gradient, alone: kernels.lossOfSet(lossAt, firstAt, t, n, weights, 0) };
    },
    /** The step from the dual variables x. */
    step(q: readonly number[], x: readonly number[], K: number, C: number): number[] {
      put(first, q);
      put(second, x);
      kernels.updateDualSet(lossAt, firstAt, t, n, K, C, weights, secondAt);
      return Array.from(second);
    },
    dual(x: readonly number[], C: number): number {
      put(first, x);
      return kernels.dualLossSet(lossAt, firstAt, t, n, C, weights);
    },
    restore(x: readonly number[], C: number, precision: "float32" | "float64"): number[] {
      put(first, x);
      kernels.restoreSet(lossAt, firstAt, t, n, C, weights, precision === "float32");
      return Array.from(first);
    },
  };
}
