import { expect } from "vitest";
import type { Model } from "../../src/index.ts";
import type { LossSpec } from "../reference/losses.ts";
import { certify, type Certified } from "../reference/objective.ts";
import { EPS } from "./expect.ts";

/** What the certified problem was, beside the model. */
export interface Fitted {
  features: readonly (readonly number[])[];
  labels: readonly unknown[];
  loss: LossSpec;
  C: number;
  precision: "float32" | "float64";
  /** 0 where the model was fitted without intercept. */
  interceptScale?: number;
}

type Bounds = "dualObjective" | "dualityGap" | "relativeGap";

/** A certificate or record of a loss that has a dual, with the numbers that only such have. */
export function bounded<some extends Record<Bounds, number | null>>(given: some): some & Record<Bounds, number> {
  const { dualObjective, dualityGap, relativeGap } = given;
  if (dualObjective === null || dualityGap === null || relativeGap === null) expect.fail("there is no dual");
  return given as some & Record<Bounds, number>;
}

/**
 * The records of a fit up to where steps have led it: of one that is not solved without those that its end has added,
 * which may be of earlier points, or of parts and multiples of them, with a smaller gap.
 */
export function recordsOnTheWay<R extends { readonly epoch: number }>(model: {
  history: readonly R[];
  certificate: { status: string };
}): readonly R[] {
  const { history, certificate } = model;
  if (certificate.status === "solved") return history;
  const ended = history.findIndex(({ epoch }) => epoch === history.at(-1)!.epoch);
  return history.slice(0, Math.min(ended + 1, history.length - 1));
}

/** D has not fallen from one record to the next, by more than this part of it. */
export function expectNeverFalls(
  records: readonly { readonly dualObjective: number | null }[],
  rounding: number,
  which = "a fall of D",
): void {
  records.slice(1).forEach(({ dualObjective }, h) => {
    const before = records[h].dualObjective!;
    expect(dualObjective, which).toBeGreaterThanOrEqual(before - rounding * Math.abs(before));
  });
}

/** The rows of a dense matrix, which a model just fitted has. */
export function rowsOf(matrix: Model["weights"] | undefined): number[][] {
  if (matrix === undefined) expect.fail("the model has no such matrix");
  const { data, rows, cols } = matrix;
  return Array.from({ length: rows }, (_, i) => Array.from(data.subarray(i * cols, (i + 1) * cols)));
}

/** Recomputes all that a certificate claims from the model's arrays and the data, with the independent oracle. */
export function recompute(
  model: Model,
  { features, labels, loss, C, precision, interceptScale = 0 }: Fitted,
): Certified {
  const stored = (v: number): number => (precision === "float32" ? Math.fround(v) : v);
  const weights = rowsOf(model.weights);
  const rows = features.map((row) => row.map(stored));
  if (interceptScale !== 0) {
    rows.forEach((row) => row.push(stored(interceptScale)));
    weights.forEach((row, j) => row.push(model.intercepts[j] / stored(interceptScale)));
  }
  return certify({
    features: rows,
    labelIndex: labels.map((label) => model.classes.indexOf(label as never)),
    weights,
    duals: rowsOf(model.dualVariables!),
    C,
    loss,
  });
}

/**
 * Holds the certificate against the recomputation: both objectives, their gap, feasibility of A, W = A^T X up to the storage
 * precision, and a status that is true. `scale` is the size of the sums behind the objectives where it exceeds theirs.
 */
export function expectCertified(model: Model, fitted: Fitted, scale = 0): Certified {
  const { primalObjective, dualObjective, dualityGap, relativeGap, status, tolerance } = bounded(model.certificate);
  const found = recompute(model, fitted);
  const { features, interceptScale = 0 } = fitted;
  const unit = interceptScale || 1;
  const n = features.length;
  const size = Math.max(Math.abs(primalObjective), Math.abs(dualObjective), scale);
  const rounding = 64 * n * EPS * size;
  expect(Math.abs(found.primal - primalObjective), "primal objective").toBeLessThanOrEqual(rounding);
  expect(Math.abs(found.dual - dualObjective), "dual objective").toBeLessThanOrEqual(rounding);
  expect(found.infeasibility, "infeasibility").toBeLessThanOrEqual(8 * model.classes.length * EPS);
  // W is A^T X, summed in float64 and rounded once to the storage precision. Terms may cancel, down to W = 0.
  const largest = Math.max(...model.weights.data.map(Math.abs), ...model.intercepts.map((b) => Math.abs(b / unit)));
  const terms = rowsOf(model.dualVariables!).map((a, i) => Math.max(...a.map(Math.abs)) * Math.max(...features[i].map(Math.abs), unit)); // prettier-ignore
  const storage = fitted.precision === "float32" ? 2 ** -24 : EPS;
  const summation = n * EPS * terms.reduce((sum, term) => sum + term, 0);
  expect(found.linkError, "W - A^T X").toBeLessThanOrEqual(storage * largest + summation);

  expect(dualityGap).toBeGreaterThanOrEqual(0);
  expect(Math.abs(dualityGap - (primalObjective - dualObjective))).toBeLessThanOrEqual(4 * EPS * size);
  const denominator = Math.max(Math.abs(primalObjective), Math.abs(dualObjective));
  expect(relativeGap).toBe(denominator === 0 ? 0 : dualityGap / denominator);
  if (status !== "aborted") expect(status === "solved", `status ${status}`).toBe(relativeGap <= tolerance);
  return found;
}
