import type { Label, Model } from "../../src/index.ts";
import { setConjugate, setLoss, type SetLossSpec } from "../reference/multilabel.ts";
import { weightsOf } from "../reference/objective.ts";
import { dot, sum } from "../reference/sum.ts";
import { rowsOf } from "./problem.ts";

/** What the problem of label sets was, beside the model, which has an intercept of scale 1 or none. */
export interface SetsFitted {
  features: readonly (readonly number[])[];
  /** Of class indices. */
  sets: readonly (readonly number[])[];
  loss: SetLossSpec;
  /** C_i. */
  costs: readonly number[];
  precision: "float32" | "float64";
}

/** P and D from the definitions, of what a model shows: an independent look at its certificate. */
export function recomputeSets(
  model: Model<Label[]>,
  { features, sets, loss, costs, precision }: SetsFitted,
): { primal: number; dual: number } {
  const m = model.classes.length;
  const stored = (v: number): number => (precision === "float32" ? Math.fround(v) : v);
  const rows = features.map((row) => row.map(stored));
  const constant = model.intercepts.some((b) => b !== 0) ? 1 : 0;
  const scores = rowsOf(model.scores(rows), m);
  const A = rowsOf(model.dualVariables!.data, m);
  const losses: number[] = [];
  const conjugates: number[] = [];
  for (const [i, cost] of costs.entries()) {
    const others = model.classes.map((_, j) => j).filter((j) => !sets[i].includes(j));
    const at = (row: readonly number[], set: readonly number[]): number[] => set.map((j) => row[j]);
    losses.push(cost * setLoss(loss, at(scores[i], sets[i]), at(scores[i], others)).value);
    const v = A[i].map((a) => -a / cost);
    conjugates.push(cost * setConjugate(loss, at(v, sets[i]), at(v, others), 1e-12));
  }
  const squares = (values: ArrayLike<number>): number => dot(values, values);
  const linked = weightsOf(
    A,
    rows.map((row) => [...row, constant]),
  );
  return {
    primal: sum([...losses, squares(model.weights.data) / 2, squares(model.intercepts) / 2]),
    dual: -sum([...conjugates, ...linked.map((row) => squares(row) / 2)]),
  };
}
