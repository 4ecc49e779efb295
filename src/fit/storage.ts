/** How the features of a problem are to lie in memory, by how many of them are zero. */
import { entriesOf } from "../arrays/sparseRow.ts";
import { countNonzeros, type Rows } from "../features.ts";
import { hasSparseDuals } from "../losses.ts";
import type { Pacer } from "../pace/pace.ts";
import type { Settings } from "../settings.ts";
import { evenly } from "../solver/sampling.ts";
import type { Shape } from "../wasm/layout.ts";

/**
 * Rows are stored sparse if less than this part of their values is not zero; less, if steps are over lists of
 * candidates, where dense rows are better for longer: the more classes a list leaves out, the longer. Evaluations skip
 * zeros of dense rows from more on. See `npm run bench`.
 */
const SPARSE_BELOW = 0.5;
const SPARSE_BELOW_IF_LISTED = 0.1;
const SPARSE_BELOW_IF_FEW = 0.25;
const SKIP_ZEROS_BELOW = 0.5;
/**
 * Between the two the border is this divided by the number of classes: hinge is quicker sparse below 0.28 with 10 of
 * them, 0.23 with 28, 0.18 with 40, 0.12 with 100, measured.
 */
const CLASSES_BY_DENSITY = 7;
/** Rows that values of a kernel are computed from are stored sparse below this part. */
export const SPARSE_KERNEL_BELOW = 0.25;
/** With fewer features a row is stored dense, with a kernel or without. */
export const FEW_FEATURES = 32;
/**
 * Sparse rows are taken in blocks if the weights are more than a core's own cache holds, here half a million, 2 MB in
 * float32, if a block of 32 has two values or more of most features, and if classes are many: what a block takes beside
 * its products is the same for two classes and for a thousand. Softmax in blocks takes 1.5 times as long with 20
 * classes and 20,000 features, a tenth longer with 67 and 4,096; one by one, 1.3 times with 250 and 4,096, three times
 * with 1,000 and 2,048.
 */
const MANY_WEIGHTS = 1 << 19;
const MANY_CLASSES = 64;
const SHARED_ABOVE = 1 / 16;
/** Dense rows are taken in blocks from so many features on: with fewer a step costs more than its scores. */
const MANY_FEATURES = 64;

/** The share of values that are not zero from which on rows are stored dense. */
export function sparseBelow({ kernel, loss }: Settings, numClasses: number): number {
  if (kernel) return SPARSE_KERNEL_BELOW;
  if (!hasSparseDuals(loss, numClasses)) return SPARSE_BELOW;
  return Math.min(Math.max(CLASSES_BY_DENSITY / numClasses, SPARSE_BELOW_IF_LISTED), SPARSE_BELOW_IF_FEW);
}

export function chooseStorage(
  nonzeros: number,
  n: number,
  d: number,
  numClasses: number,
  intercept: boolean,
  below: number,
): Pick<Shape, "nonzeros" | "hasConstant" | "skipsZeros" | "inBlocks"> {
  const density = nonzeros / (n * d);
  if (d < FEW_FEATURES) return {};
  if (density >= below) {
    return { skipsZeros: density < SKIP_ZEROS_BELOW, inBlocks: d >= MANY_FEATURES };
  }
  return {
    nonzeros: nonzeros + (intercept ? n : 0),
    hasConstant: intercept,
    inBlocks: density >= SHARED_ABOVE && numClasses >= MANY_CLASSES && numClasses * d >= MANY_WEIGHTS,
  };
}

/** So few are sparse whatever becomes of zeros and duplicates among them. */
const VERY_FEW = 1 / 32;
/** Of more values than these some rows are looked at first, here and there: so many in all, and at least so many. */
const MANY_VALUES = 2 ** 20;
const SAMPLED = { part: 1 / 16, least: 256 };
/** A sample with so many times as many nonzeros as a sparse one may have settles it: the whole is taken for dense. */
const CLEARLY = 1.5;

/**
 * Number of nonzeros once the rows are scaled, or at least as many as matter to `chooseStorage`; where that is clear
 * from a sample, what is expected of all. Of sparse rows those that are left when duplicates are added up: what is
 * stored how does not depend on how it was given. Where they are very few, no fewer than that.
 */
export async function countAll(rows: Rows, scaling: Settings["scaling"], below: number, pacer: Pacer): Promise<number> {
  const { count: n, cols: d } = rows;
  const shifts = rows.nonzeros === undefined && (scaling === "standard" || scaling === "minmax");
  if (d < FEW_FEATURES || shifts) return n * d;
  if (rows.nonzeros !== undefined && rows.nonzeros < VERY_FEW * n * d) return rows.nonzeros;
  const nonzerosOf = (i: number): number => countNonzeros(entriesOf(rows.row(i)).values);
  if (n * d > MANY_VALUES) {
    const size = Math.min(n, Math.max(Math.ceil(SAMPLED.part * n), SAMPLED.least));
    let sampled = 0;
    await pacer.run("nonzeros of some", size, (from, count) => {
      for (let r = from; r < from + count; r++) sampled += nonzerosOf(Math.floor(evenly(r) * n));
    });
    if (sampled >= CLEARLY * below * size * d) return Math.round((sampled / size) * n);
  }
  let nonzeros = 0;
  const enough = Math.max(below, SKIP_ZEROS_BELOW) * n * d;
  await pacer.run(
    "count",
    n,
    (from, count) => {
      const block = rows.block?.(from, count);
      if (block) nonzeros += countNonzeros(block.values);
      else for (let i = from; i < from + count; i++) nonzeros += nonzerosOf(i);
    },
    () => nonzeros >= enough,
  );
  return nonzeros;
}
