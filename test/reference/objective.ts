import { conjugateValue, domainViolation, dualEntries, sumViolation } from "./conjugates.ts";
import { lossValue, type LossSpec } from "./losses.ts";
import { dot, sum } from "./sum.ts";

/** C for all examples, or C_i = C c_i for each. */
type Costs = number | readonly number[];

const costOf = (C: Costs, i: number): number => (typeof C === "number" ? C : C[i]);

const squaredNorm = (rows: readonly (readonly number[])[]): number => sum(rows.map((row) => dot(row, row)));

/** P(W) = sum_i C_i L_i(W x_i) + 1/2 ||W||^2. X is n x d, W is m x d, y holds class indices. */
export function primalObjective(
  X: readonly (readonly number[])[],
  y: readonly number[],
  W: readonly (readonly number[])[],
  C: Costs,
  loss: LossSpec,
): number {
  const terms = X.map((x, i) => {
    const scores = W.map((row) => dot(row, x));
    return costOf(C, i) * lossValue(loss, scores, y[i]);
  });
  return sum([...terms, squaredNorm(W) / 2]);
}

/** A^T X, m x d: the weights that the dual variables A (n x m) stand for. */
export function weightsOf(A: readonly (readonly number[])[], X: readonly (readonly number[])[]): number[][] {
  const features = columnsOf(X);
  return columnsOf(A).map((duals) => features.map((feature) => dot(duals, feature)));
}

function columnsOf(rows: readonly (readonly number[])[]): number[][] {
  const columns = rows[0].map(() => new Array<number>(rows.length));
  rows.forEach((row, i) => row.forEach((entry, j) => (columns[j][i] = entry)));
  return columns;
}

/**
 * D(A) = - sum_i C_i L_i*(-a_i / C_i) - 1/2 ||A^T X||^2, by the formula of the conjugate: it bounds P from below only
 * where `infeasibility` is 0, and is off by about as much as that elsewhere. `linked` is A^T X.
 */
export function dualObjective(
  A: readonly (readonly number[])[],
  X: readonly (readonly number[])[],
  y: readonly number[],
  C: Costs,
  loss: LossSpec,
  linked = weightsOf(A, X),
): number {
  const terms = A.map((a, i) => {
    const cost = costOf(C, i);
    const v = a.map((entry) => -entry / cost);
    return -cost * conjugateValue(loss, dualEntries(loss, v, y[i]));
  });
  return sum([...terms, -squaredNorm(linked) / 2]);
}

/**
 * The largest violation of a dual constraint in units of C_i: sum_j a_ij = 0 and -a_{i,\y} in the domain of radius C_i, or
 * 0 <= t_j a_ij <= C_i for the one-vs-all losses.
 */
export function infeasibility(
  A: readonly (readonly number[])[],
  y: readonly number[],
  C: Costs,
  loss: LossSpec,
): number {
  let worst = 0;
  A.forEach((a, i) => {
    const cost = costOf(C, i);
    const v = a.map((entry) => -entry);
    worst = Math.max(worst, sumViolation(loss, v) / cost, domainViolation(loss, dualEntries(loss, v, y[i]), cost));
  });
  return worst;
}

export interface Problem {
  features: number[][]; // n x d, the constant column of an intercept included
  labelIndex: number[]; // n, 0 .. m-1
  weights: number[][]; // m x d
  duals: number[][]; // n x m
  C: Costs;
  loss: LossSpec;
}

export interface Certified {
  primal: number;
  dual: number;
  gap: number;
  infeasibility: number; // in units of C_i
  linkError: number; // max |W - A^T X|
}

/** Everything a certificate claims, computed afresh in float64 from the plain arrays. NaN anywhere comes out as NaN. */
export function certify({ features, labelIndex, weights, duals, C, loss }: Problem): Certified {
  const primal = primalObjective(features, labelIndex, weights, C, loss);
  const linked = weightsOf(duals, features);
  const dual = dualObjective(duals, features, labelIndex, C, loss, linked);
  let linkError = 0;
  weights.forEach((row, j) =>
    row.forEach((weight, f) => {
      linkError = Math.max(linkError, Math.abs(weight - linked[j][f]));
    }),
  );
  return { primal, dual, gap: primal - dual, infeasibility: infeasibility(duals, labelIndex, C, loss), linkError };
}
