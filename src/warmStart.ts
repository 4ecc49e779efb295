import { describe, refuse } from "./errors.ts";
import { readFiniteDenseRows, type Rows } from "./features.ts";
import { numExamples } from "./labels.ts";
import { columnsOf } from "./kernelScores.ts";
import { modelState } from "./model.ts";
import type { DualState } from "./modelState.ts";
import type { Pacer } from "./pace.ts";
import type { Settings } from "./settings.ts";
import type { Label } from "./types.ts";
import { readVector } from "./vectors.ts";
import type { ResidentProblem } from "./wasm/problem.ts";

/** What a starting point has to match. */
export interface Expected {
  /** As given, without the constant feature. */
  readonly rows: Pick<Rows, "count" | "cols" | "gram">;
  readonly classes: readonly Label[];
  readonly intercept: boolean;
}

const sameClasses = (a: readonly Label[], b: readonly Label[]): boolean =>
  a.length === b.length && a.every((label, j) => label === b[j]);

/** The dual variables of `initial`, once it is known that a fit of this shape can start from them. */
export function checkInitial(
  caller: string,
  initial: Settings["initial"],
  { rows: { count: rows, cols, gram }, classes, intercept }: Expected,
): DualState | undefined {
  if (initial === undefined) return undefined;
  const state = modelState(initial);
  if (!state) refuse(TypeError, caller, "initial", `must be a model, got ${describe(initial)}`);
  const refuseInitial = (what: string): never => refuse(RangeError, caller, "initial", `${what}`);
  const { duals } = state;
  if (!duals) return refuseInitial("has no dual variables; save it with toBytes({ duals: true })");
  const n = numExamples(duals.truth);
  if (n !== rows) refuseInitial(`was fitted on ${n} rows but "features" has ${rows}`);
  const fitted = columnsOf(state);
  if (fitted.gram !== !!gram) refuseInitial(`was ${gram ? "not " : ""}fitted on a Gram matrix`);
  if (fitted.columns !== cols) refuseInitial(`was fitted on ${fitted.columns} columns but "features" has ${cols}`);
  if (!sameClasses(state.classes, classes)) refuseInitial("has other classes, or the same in another order");
  if (state.interceptScale > 0 !== intercept) refuseInitial(`was fitted with intercept: ${!intercept}`);
  return duals;
}

/** W0 and its intercepts, once it is known that they fit. */
export function checkAnchor(
  caller: string,
  anchor: Settings["anchor"],
  { rows: { cols }, classes, intercept }: Expected,
): { rows: Rows<ArrayLike<number>>; intercepts: ArrayLike<number> | undefined } | undefined {
  if (anchor === undefined) return undefined;
  const state = modelState(anchor);
  if (state && !sameClasses(state.classes, classes)) {
    refuse(RangeError, caller, "anchor", "has other classes, or the same in another order");
  }
  const { weights, intercepts } = anchor;
  const argument = "anchor.weights";
  const m = classes.length;
  const rows = readFiniteDenseRows(caller, argument, weights);
  if (rows.count !== m || rows.cols !== cols) {
    refuse(
      RangeError,
      caller,
      argument,
      `is ${rows.count} x ${rows.cols} but the model will be ${m} x ${cols} (classes x features)`,
    );
  }
  if (intercepts !== undefined) {
    const b = readVector(caller, "anchor.intercepts", intercepts);
    if (b.length !== m) {
      refuse(RangeError, caller, "anchor.intercepts", `has length ${b.length} but there are ${m} classes`);
    }
    if (!intercept && b.some((value) => value !== 0)) {
      refuse(RangeError, caller, "anchor", `has intercepts but "intercept" is false`);
    }
  }
  return { rows, intercepts };
}

/** Puts the starting point into the problem: A from the old duals, W = W0 + A^T X. */
export async function start(
  problem: ResidentProblem,
  initial: DualState | undefined,
  anchor: ReturnType<typeof checkAnchor>,
  interceptScale: number,
  pacer: Pacer,
): Promise<void> {
  const { numExamples: n, numClasses: m, numFeatures } = problem.shape;
  if (anchor) {
    const { cols } = anchor.rows;
    const row = new Float64Array(numFeatures);
    for (let j = 0; j < m; j++) {
      row.set(anchor.rows.row(j));
      if (cols < numFeatures) row[cols] = (anchor.intercepts?.[j] ?? 0) / interceptScale;
      problem.setAnchorRow(j, row);
    }
    problem.startAtAnchor();
  }
  if (!initial) return;
  // Dual rows live in C_i times a fixed set, so scaling by the ratio keeps them feasible for the same loss.
  await pacer.run("rescale", n, (from, count) => {
    const scaled = new Float64Array(initial.stored.subarray(from * m, (from + count) * m));
    for (let i = from, e = 0; i < from + count; i++) {
      const factor = problem.C[i] / initial.costs[i];
      for (let j = 0; j < m; j++) scaled[e++] *= factor;
    }
    problem.restoreDuals(scaled, from);
  });
  problem.clear(true);
  await pacer.run("project", n, (from, count) => problem.project(from, count));
  await pacer.run("rebuild", n, (from, count) => problem.rebuild(from, count));
  problem.settle();
}
