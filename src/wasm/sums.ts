import { EVALUATION_SUMS, SUMS } from "./kernels.ts";

/** The sums a certificate is made of. */
export interface Sums {
  readonly primalLoss: number;
  readonly dualLoss: number;
  /** ||W - W0||^2 of the weights as stored; ||A^T X||^2 and <A^T X, W0> before rounding to `precision`. */
  readonly weightsNorm2: number;
  readonly dualWeightsNorm2: number;
  readonly anchorProduct: number;
  /** What of the gap terms is probably rounding, where they come from rough scores. */
  readonly excess: number;
  /** sum C_i, and sum C_i ||x_i||, of the examples with a loss or dual variables. */
  readonly partakingCosts: number;
  readonly partakingNorms: number;
}

/** Of rows, once all are measured: the largest ||x_i||, and sum C_i ||x_i||. */
export interface Norms {
  readonly largestNorm: number;
  readonly weightedNorms: number;
}

/** What evaluations have added up, of the numbers that the kernels keep by the names of `SUMS`. */
export const readSums = (numbers: Float64Array): Sums =>
  Object.fromEntries(EVALUATION_SUMS.map((name, s) => [name, numbers[s]])) as unknown as Sums;

/** The norms among them. */
export function readNorms(numbers: Float64Array): Norms {
  const [largestNorm, weightedNorms] = numbers.subarray(SUMS.indexOf("largestNorm"));
  return { largestNorm, weightedNorms };
}
