import { entriesOf, type FeatureRow } from "../arrays/sparseRow.ts";
import { refuse } from "../errors.ts";
import { checkValues, type Rows } from "../features.ts";
import { isConvex } from "../losses.ts";
import type { Pacer } from "../pace/pace.ts";
import type { Settings } from "../settings.ts";
import type { KernelShape } from "../wasm/kernelMatrix.ts";
import { FEW_FEATURES, SPARSE_KERNEL_BELOW } from "./storage.ts";

/** Refuses options that do not go with a kernel or with a Gram matrix. */
export function checkKernelOptions(caller: string, { loss, kernel, scaling, anchor }: Settings, { gram }: Rows): void {
  if (!kernel && !gram) return;
  if (gram && !isConvex(loss)) {
    refuse(TypeError, caller, "features", `must not be a Gram matrix with the loss "${loss.name}", which has no dual`);
  }
  const place = gram ? "a Gram matrix" : '"kernel"';
  if (gram && kernel) refuse(TypeError, caller, "kernel", "does not go with a Gram matrix, which holds its values");
  if (gram && scaling !== "none") {
    refuse(TypeError, caller, "scaling", "does not go with a Gram matrix: there are no features to scale");
  }
  if (anchor !== undefined) {
    refuse(TypeError, caller, "anchor", `does not go with ${place}: the weights are never formed`);
  }
}

/**
 * What the problem's memory has to hold for a kernel or a Gram matrix; undefined where the solver works on weights. A
 * gamma that depends on the data is NaN, for `scaleGamma` to find.
 */
export function kernelShape(
  caller: string,
  { gram, count, cols: columns }: Rows,
  nonzeros: number,
  { kernel, intercept, interceptScale, precision }: Settings,
): KernelShape | undefined {
  if (!gram && !kernel) return undefined;
  const constant = intercept ? interceptScale * interceptScale : 0;
  if (!Number.isFinite(precision === "float32" ? Math.fround(constant) : constant)) {
    refuse(RangeError, caller, "interceptScale", `is ${interceptScale}, whose square overflows ${precision}`);
  }
  if (!kernel) return { name: "precomputed", gamma: 0, degree: 0, coef0: 0, constant, columns: 0 };
  const sparse = columns >= FEW_FEATURES && nonzeros < SPARSE_KERNEL_BELOW * count * columns;
  return { ...kernel, gamma: kernel.gamma ?? NaN, constant, columns, ...(sparse && { nonzeros }) };
}

/** 1 / (columns * variance of all scaled values, zeros included), 1 where they are all the same. */
export async function scaleGamma(
  caller: string,
  { count, cols, row }: Rows,
  scale: ((row: FeatureRow) => FeatureRow) | undefined,
  pacer: Pacer,
): Promise<number> {
  let n = 0; // of those that are not zero
  let mean = 0;
  let squares = 0; // sum of (value - mean)^2, kept up by Welford's update
  await pacer.run("variance", count, (from, size) => {
    for (let i = from; i < from + size; i++) {
      const given = row(i);
      checkValues(caller, "features", i, given);
      const { values } = entriesOf(scale ? scale(given) : given);
      for (let p = 0; p < values.length; p++) {
        if (values[p] === 0) continue; // as if it were not stored
        const apart = values[p] - mean;
        mean += apart / ++n;
        squares += apart * (values[p] - mean);
      }
    }
  });
  const all = count * cols;
  const gamma = all / (cols * (squares + mean * mean * n * (1 - n / all)));
  return gamma > 0 && gamma < Infinity ? gamma : 1;
}
