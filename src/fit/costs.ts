import { check, positive } from "../constraints.ts";
import { describe, refuse } from "../errors.ts";
import { alike, indexClasses, numExamples, type Truth } from "../labels.ts";
import type { Settings } from "../settings.ts";
import type { Label } from "../types.ts";

/** How much the loss of each example counts. */
export interface Costs {
  /**
   * C_i = C * sampleWeight_i * classWeight of y_i for every example; without the class weight where examples have sets
   * of classes.
   */
  readonly C: Float64Array;
  /**
   * Of label sets: a class weight for each entry of `Truth.indices`, times which C_i counts for the binary loss of that
   * class.
   */
  readonly ofLabels?: Float64Array;
  /** sum_i C_i */
  readonly total: number;
  /** Where the smallest and the largest C_i are. */
  readonly leastAt: number;
  readonly mostAt: number;
  /** 1, or if there are others in `ofLabels` the smallest and the largest of these. */
  readonly leastOfLabels: number;
  readonly mostOfLabels: number;
}

export function exampleCosts(caller: string, settings: Settings, classes: readonly Label[], truth: Truth): Costs {
  const { indices, offsets } = truth;
  const C = sampleCosts(caller, settings, numExamples(truth));
  if (settings.classWeight !== undefined && offsets && !settings.loss.oneVsAll) {
    const why = `goes with sets of labels only if the loss is "ova-hinge" or "ova-logistic"; there is sampleWeight`;
    refuse(TypeError, caller, "classWeight", why);
  }
  const factors = classFactors(caller, settings.classWeight, classes, truth);
  // In as few loops as there can be: while an engine has not compiled them, they take a millisecond or two each.
  let [total, leastAt, mostAt] = [0, 0, 0];
  for (let i = 0; i < C.length; i++) {
    if (factors && !offsets) C[i] *= factors[indices[i]];
    const cost = C[i];
    checkCost(caller, cost, i);
    total += cost;
    if (cost < C[leastAt]) leastAt = i;
    if (cost > C[mostAt]) mostAt = i;
  }
  const costs = { C, total, leastAt, mostAt, leastOfLabels: 1, mostOfLabels: 1 };
  if (!factors || !offsets) return costs;
  const ofLabels = new Float64Array(indices.length);
  for (let i = 0; i < C.length; i++) {
    for (let p = offsets[i]; p < offsets[i + 1]; p++) {
      const factor = factors[indices[p]];
      checkCost(caller, C[i] * factor, i);
      ofLabels[p] = factor;
      if (factor < costs.leastOfLabels) costs.leastOfLabels = factor;
      if (factor > costs.mostOfLabels) costs.mostOfLabels = factor;
    }
  }
  return { ...costs, ofLabels };
}

function checkCost(caller: string, cost: number, i: number): void {
  if (cost > 0 && cost < Infinity) return;
  throw new RangeError(
    `${caller}: the weights of row ${i} give it C_i = ${cost}, which must be in (0, ∞); use another C or other weights`,
  );
}

/** C * sampleWeight_i. */
function sampleCosts(caller: string, settings: Settings, n: number): Float64Array {
  const { lambda, sampleWeight } = settings;
  const C = lambda === undefined ? settings.C! : 1 / (lambda * n);
  if (!(C > 0 && C < Infinity)) {
    refuse(RangeError, caller, "lambda", `${lambda} with ${n} rows gives C = 1/(lambda n) = ${C}`);
  }
  const costs = new Float64Array(n).fill(C);
  if (!sampleWeight) return costs;
  if (sampleWeight.length !== n) {
    refuse(RangeError, caller, "sampleWeight", `has length ${sampleWeight.length} but "features" has ${n} rows`);
  }
  for (let i = 0; i < n; i++) {
    const weight = sampleWeight[i];
    // Without a word for each that it should be.
    if (!(typeof weight === "number" && weight > 0 && weight < Infinity)) {
      check(caller, "sampleWeight", weight, positive, `entry ${i}`);
    }
    costs[i] *= weight;
  }
  return costs;
}

function classFactors(
  caller: string,
  given: Settings["classWeight"],
  classes: readonly Label[],
  truth: Truth,
): Float64Array | undefined {
  if (given === undefined) return undefined;
  const factors = new Float64Array(classes.length).fill(1);
  if (given === "balanced") {
    const counts = new Float64Array(classes.length);
    truth.indices.forEach((y) => counts[y]++);
    const n = numExamples(truth);
    const present = counts.filter((count) => count > 0).length;
    // Where a class is a binary problem of its own, the classes to balance are those that have it and those that have
    // not.
    const factor = (count: number): number => (truth.offsets ? (n - count) / count : n / (present * count));
    return counts.map((count) => (count > 0 && factor(count) > 0 ? factor(count) : 1));
  }
  const index = indexClasses(caller, classes);
  const seen = new Set<Label>();
  let e = 0;
  for (const entry of given as Iterable<unknown>) {
    if (!Array.isArray(entry) || entry.length !== 2) {
      refuse(TypeError, caller, "classWeight", `entry ${e} must be a [label, weight] pair, got ${describe(entry)}`);
    }
    const [label, factor] = entry as [Label, number];
    const j = index.get(label);
    if (j === undefined) {
      refuse(
        RangeError,
        caller,
        "classWeight",
        `names ${describe(label)}, which is not among the classes${alike(label, index)}`,
      );
    }
    if (seen.has(label)) refuse(RangeError, caller, "classWeight", `names ${describe(label)} twice`);
    seen.add(label);
    check(caller, "classWeight", factor, positive, `of ${describe(label)}`);
    factors[j] = factor;
    e++;
  }
  return factors;
}
