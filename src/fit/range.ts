import { entriesOf, type FeatureRow } from "../arrays/sparseRow.ts";
import { checkValues, type Rows } from "../features.ts";
import type { Loss } from "../losses.ts";
import { constantFeature, type Settings } from "../settings.ts";
import type { Costs } from "./costs.ts";
import type { Reach } from "./rounding.ts";

/** Largest magnitudes that scores and weights may reach, with room for rounding and summation. */
export const RANGE = { float32: 1e37, float64: 1e290 };

/** A smaller part of a square is rounding. */
const SHARE_BY_ROUNDING = 1e-14;

/** No dual variable exceeds C_i: below these there is next to no number for them. */
const LEAST_COST = { float32: 1e-44, float64: 0 };

/**
 * A dual variable of float32 is off by up to 2^-24 C_i, and that moves the example's own score by ||x_i||^2 times as
 * much; n of them may move a score by the root of n times that. From these parts of a margin on no W = A^T X is good
 * any more. Measured on 1500 tables of up to 300 rows, C ||x||^2 from 3e4 to 1e6: with `alone` as the only test 89 stay
 * in float32 that only float64 solves, with both 5.
 */
const COARSE = { alone: 1 / 16, together: 1 / 64 };

/** Whether dual variables of float32 are that coarse. */
export const isCoarse = (largestCost: number, { factor, largestNorm, weightedNorms, count }: Reach): boolean => {
  const unit = 2 ** -24 * factor * largestNorm;
  const alone = largestCost * largestNorm;
  return unit * alone > COARSE.alone || (unit * weightedNorms) / Math.sqrt(count) > COARSE.together;
};

/**
 * The sum of rank weights or the largest class weight, if there are any: what multiplies C_i in the bounds of dual
 * variables.
 */
export const factorOf = ({ mostOfLabels }: Costs, { weights }: Loss): number =>
  weights?.reduce((sum, weight) => sum + weight, 0) ?? mostOfLabels;

/** The norm of the largest row, or of a kernel the root of its largest value, and the constant that is in it. */
export function partsOf(largestNorm: number, settings: Settings): { ofRows: number; ofConstant: number } {
  const ofConstant = settings.intercept ? constantFeature(settings) : 0;
  const share = largestNorm > 0 ? 1 - (ofConstant / largestNorm) ** 2 : 0;
  // What is left of a difference that small may be rounding.
  return { ofRows: share > SHARE_BY_ROUNDING ? largestNorm * Math.sqrt(share) : 0, ofConstant };
}

/** What is to be said of what could overflow in the course of a fit, or underflow. */
export function refusalOf(
  caller: string,
  { largestNorm, factor, weightedNorms }: Reach,
  { C, leastAt, mostAt, leastOfLabels }: Costs,
  settings: Settings,
): RangeError | undefined {
  const { precision, direction, sampleWeight, classWeight } = settings;
  // |W_jl| <= sum C_i ||x_i|| at every step, since no dual variable exceeds C_i times that factor; so this bounds every
  // score.
  const reach = factor * weightedNorms;
  const weighted = sampleWeight !== undefined || classWeight !== undefined;
  const largestCost = C[mostAt] * Math.max(factor, 1);
  const scores = Math.max(reach * largestNorm, reach, largestNorm, largestCost);
  const { ofRows, ofConstant } = partsOf(largestNorm, settings);
  const rows =
    ofConstant > ofRows ? `"interceptScale" ${ofConstant}` : `"features" rows of norm up to ${ofRows.toPrecision(3)}`;
  const smaller = ofConstant > ofRows ? 'use a smaller "interceptScale"' : "scale the features";
  // The curvature along a direction of Frank-Wolfe is of second order in C, and computed in float64.
  if (!(scores < RANGE[precision] && (!direction || largestCost * largestCost < RANGE.float64))) {
    const cost =
      weighted || factor > 1 ? `C times weights of up to ${largestCost.toPrecision(3)}` : `C = ${largestCost}`;
    return new RangeError(
      `${caller}: with ${rows} and ${cost}, scores could overflow ${precision}; ${smaller}, or use a smaller C` +
        (precision === "float32" ? ' or precision "float64"' : ""),
    );
  }
  if (!(factor * Math.max(reach * largestNorm, 1) < RANGE.float64)) {
    return new RangeError(
      `${caller}: with ${rows} and weights of labels or ranks of up to ${factor} in all, the losses could overflow; ` +
        `${smaller}, or use smaller weights`,
    );
  }
  const least = C[leastAt] * leastOfLabels;
  if (least < LEAST_COST[precision]) {
    const whose = weighted ? `the weights of row ${leastAt} give it C_i = ` : "C = ";
    return new RangeError(
      `${caller}: ${whose}${least}, too small for dual variables in ${precision}; use precision "float64"`,
    );
  }
  return undefined;
}

/** Refuses row i, whose norm is not finite. */
export function refuseRow(caller: string, rows: Rows, i: number, settings: Settings): never {
  const row = rows.row(i);
  checkValues(caller, "features", i, row);
  throw overflow(caller, row, i, settings);
}

/** Says which value of a row is too large for the precision, or that their squares are. */
function overflow(caller: string, row: FeatureRow, i: number, settings: Settings): RangeError {
  const { precision, interceptScale } = settings;
  const tooLarge = (v: number): boolean => !Number.isFinite(precision === "float32" ? Math.fround(v) : v);
  // Only of float32 a finite value can be too large.
  const better = 'use precision "float64", or other units';
  const overflows = (what: string, value: number): RangeError =>
    new RangeError(`${caller}: ${what} is ${value}, which overflows ${precision}; ${better}`);
  const { indices, values } = entriesOf(row);
  for (let p = 0; p < values.length; p++) {
    const l = indices ? indices[p] : p;
    if (tooLarge(values[p])) return overflows(`"features" row ${i}, column ${l}`, values[p]);
  }
  if (settings.kernel && settings.kernel.name !== "rbf") {
    return new RangeError(
      `${caller}: "features" row ${i} has a kernel value that overflows ${precision}; scale the features` +
        `${settings.kernel.name === "poly" ? ", or use a smaller gamma or degree" : ""}`,
    );
  }
  if (tooLarge(interceptScale)) return overflows('"interceptScale"', interceptScale);
  if (settings.intercept && interceptScale ** 2 === Infinity) {
    return new RangeError(`${caller}: "interceptScale" is ${interceptScale}, whose square overflows float64`);
  }
  return new RangeError(`${caller}: "features" row ${i} has a squared norm that overflows float64; scale the features`);
}
