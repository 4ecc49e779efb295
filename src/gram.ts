import { precisionOf } from "./arrays/precisionOf.ts";
import { check, floats, integer, type Constraint } from "./constraints.ts";
import { describe, refuse, refuseChanged } from "./errors.ts";
import { checkRows, readRows, rowsOrMatrix, type Rows } from "./features.ts";
import type { Steps } from "./pace/steps.ts";
import type { Features, GramMatrix } from "./types.ts";
import type { Sums } from "./wasm/sums.ts";

/** Gram matrices as features: rows of kernel values against the n training examples. */

const isGram = (input: unknown): input is object =>
  typeof input === "object" && input !== null && !Array.isArray(input) && "gram" in input;

/** Checks the shape of a Gram matrix: of a fit, rows x rows; for a model fitted on `examples` rows, rows x examples. */
function readGram(caller: string, argument: string, input: unknown, examples?: number): Rows {
  if (!isGram(input)) {
    const what = "{ gram, rows }, kernel values against the training examples, as the fit was given";
    refuse(TypeError, caller, argument, `must be ${what}, got ${describe(input)}`);
  }
  if ("data" in input) refuse(TypeError, caller, argument, 'has both "gram" and "data"; give one of them');
  const { gram, rows } = input as GramMatrix;
  check(caller, argument, gram, floats, "gram");
  check(caller, argument, rows, integer(1, Infinity), "rows");
  const cols = examples ?? rows;
  if (gram.length !== rows * cols) {
    const expected = examples === undefined ? "rows x rows" : "rows x training examples";
    refuse(RangeError, caller, argument, `gram has ${gram.length} values but ${expected} is ${rows} x ${cols}`);
  }
  const row = (i: number): Float32Array | Float64Array => {
    // Its buffer may have been handed to a worker since.
    if (gram.length !== rows * cols) refuseChanged(caller, argument);
    return gram.subarray(i * cols, (i + 1) * cols);
  };
  return { count: rows, cols, row, gram };
}

const trainingRows: Constraint = {
  ...rowsOrMatrix,
  must: "an array of rows, { data, rows, cols }, { data, indices, indptr, rows, cols } or { gram, rows }",
};

/** What `fit` trains on. */
export function readTrainingRows(caller: string, input: unknown): Rows {
  if (isGram(input)) return readGram(caller, "features", input);
  check(caller, "features", input, trainingRows);
  return readRows(caller, "features", input);
}

/** Rows to be scored: features, or where `gram` says so kernel values against `columns` training examples. */
export const readRowsToScore = (
  caller: string,
  argument: string,
  input: Features,
  columns: number,
  gram: boolean,
): Steps<Rows> =>
  checkRows(caller, argument, gram ? readGram(caller, argument, input, columns) : readRows(caller, argument, input));

/** Whether rows are kernel values that come in float32. */
export const isRoundedGram = ({ gram }: Pick<Rows, "gram">): boolean => !!gram && precisionOf(gram) === "float32";

/**
 * What rounding may do to values of a Gram matrix, relative to the largest on its diagonal: of a kernel that was
 * centred those next to 0 are as far off as the others.
 */
const gramRounding = (rows: Pick<Rows, "gram">): number => (isRoundedGram(rows) ? 1e-5 : 1e-10);

/** The largest value on the diagonal of a Gram matrix. */
export function largestOnDiagonal({ gram, cols: n }: Rows): number {
  let largest = 0;
  for (let i = 0; i < n; i++) largest = Math.max(largest, gram![i * n + i]);
  return largest;
}

/**
 * Writes row i of a Gram matrix with that largest value on its diagonal, averaged with its column, whose difference is
 * rounding, and `constant` added. Of what has been read so far, finite numbers all, it refuses what no kernel gives:
 * values that are not symmetric, a negative diagonal, and k(x, z)^2 > k(x, x) k(z, z), as in a matrix of distances.
 */
export function storeGramRow(
  caller: string,
  { gram, cols: n }: Rows,
  i: number,
  largest: number,
  constant: number,
  target: Float32Array | Float64Array,
): void {
  const values = gram!;
  const rounding = gramRounding({ gram });
  const own = values[i * n + i];
  const refuseAt = (j: number, why: string): never =>
    refuse(RangeError, caller, "features", `gram row ${i}, column ${j} is ${values[i * n + j]}${why}`);
  if (own < -rounding * largest) refuseAt(i, "; the diagonal of a Gram matrix must be >= 0");
  for (let j = 0; j < n; j++) {
    const a = values[i * n + j];
    const b = values[j * n + i];
    target[j] = (a === b ? a : a / 2 + b / 2) + constant;
    if (j === i) target[j] = Math.max(own, 0) + constant;
    if (j > i) continue; // that row comes later
    if (!Number.isFinite(target[j])) {
      refuseAt(j, `, which overflows float32; use precision "float64", or other units`);
    }
    const other = values[j * n + j];
    const slack = rounding * Math.max(largest, Math.abs(a));
    if (Math.abs(a - b) > slack) refuseAt(j, ` but row ${j}, column ${i} is ${b}; a Gram matrix must be symmetric`);
    if (Math.abs(a) > Math.sqrt(Math.max(own, 0)) * Math.sqrt(Math.max(other, 0)) + slack) {
      const ends = `${own} and ${other}`;
      refuseAt(
        j,
        `, more than the root of ${ends} on the diagonal: these are no values of a kernel; are they distances?`,
      );
    }
  }
}

/** So much of each value is lost by rounding at most. */
const UNIT_ROUNDOFF = { float32: 2 ** -24, float64: 2 ** -53 };

/** What rounding may make of ||A^T X||^2 below zero, as a part of the losses. */
const NORM_ROUNDING = 1e-3;

/**
 * Whether the dual variables found show that kernel values are not positive semidefinite: of a kernel the penalty
 * ||A^T X||^2 = sum <a_i, a_j> k(x_i, x_j) is never negative, and without that D is no bound. To look for such dual
 * variables before a fit would take the time of n^3/3 products.
 */
export const isIndefinite = ({ primalLoss, dualLoss, dualWeightsNorm2 }: Sums): boolean =>
  dualWeightsNorm2 < -NORM_ROUNDING * (Math.abs(primalLoss) + Math.abs(dualLoss));

/**
 * Refuses a Gram matrix that has been found to be indefinite, unless it may be so by the rounding of its values to that
 * precision, in memory or before they were given, as those of any kernel may: by no more than sum_ij |<a_i, a_j>| eps
 * k(x_i, x_j). masses: sum_i |a_ij| of each class.
 */
export function refuseIndefinite(
  caller: string,
  { dualWeightsNorm2 }: Sums,
  masses: Float64Array,
  largestNorm: number,
  precision: "float32" | "float64",
): void {
  const lost = UNIT_ROUNDOFF[precision] * largestNorm ** 2 * masses.reduce((sum, mass) => sum + mass * mass, 0);
  if (-dualWeightsNorm2 <= lost) return;
  const found = `sum <a_i, a_j> k(x_i, x_j) is ${dualWeightsNorm2.toPrecision(3)} at the dual variables found`;
  refuse(RangeError, caller, "features", `gram must be positive semidefinite, as values of a kernel are: ${found}`);
}
