import { describe, refuse } from "./errors.ts";
import { indexClasses, numExamples, type Truth } from "./labels.ts";
import { check, number } from "./constraints.ts";
import type { Settings } from "./settings.ts";
import type { Label } from "./types.ts";

const weight = number("(", 0, Infinity, ")");

/** C_i = C * sampleWeight_i * classWeight of y_i for every example. */
export function exampleCosts(
  caller: string,
  settings: Settings,
  classes: readonly Label[],
  truth: Truth,
): Float64Array {
  const n = numExamples(truth);
  const { lambda, sampleWeight } = settings;
  const C = lambda === undefined ? (settings.C ?? 1) : 1 / (lambda * n);
  if (!(C > 0 && C < Infinity)) {
    refuse(RangeError, caller, "lambda", `${lambda} with ${n} rows gives C = 1/(lambda n) = ${C}`);
  }
  const costs = new Float64Array(n).fill(C);
  if (sampleWeight) {
    if (sampleWeight.length !== n) {
      refuse(RangeError, caller, "sampleWeight", `has length ${sampleWeight.length} but "features" has ${n} rows`);
    }
    for (let i = 0; i < n; i++) {
      check(caller, "sampleWeight", sampleWeight[i], weight, `entry ${i}`);
      costs[i] *= sampleWeight[i];
    }
  }
  if (settings.classWeight !== undefined && truth.offsets) {
    refuse(TypeError, caller, "classWeight", "does not go with sets of labels; there is sampleWeight");
  }
  const factors = classFactors(caller, settings.classWeight, classes, truth.indices);
  if (factors) truth.indices.forEach((y, i) => (costs[i] *= factors[y]));
  costs.forEach((c, i) => {
    if (!(c > 0 && c < Infinity)) throw new RangeError(`${caller}: the weights of row ${i} give it C_i = ${c}`);
  });
  return costs;
}

function classFactors(
  caller: string,
  given: Settings["classWeight"],
  classes: readonly Label[],
  labels: Int32Array,
): Float64Array | undefined {
  if (given === undefined) return undefined;
  const factors = new Float64Array(classes.length).fill(1);
  if (given === "balanced") {
    const counts = new Float64Array(classes.length);
    labels.forEach((y) => counts[y]++);
    const present = counts.filter((count) => count > 0).length;
    return factors.map((_, j) => (counts[j] > 0 ? labels.length / (present * counts[j]) : 1));
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
      refuse(RangeError, caller, "classWeight", `names ${describe(label)}, which is not among the classes`);
    }
    if (seen.has(label)) refuse(RangeError, caller, "classWeight", `names ${describe(label)} twice`);
    seen.add(label);
    check(caller, "classWeight", factor, weight, `of ${describe(label)}`);
    factors[j] = factor;
    e++;
  }
  return factors;
}
