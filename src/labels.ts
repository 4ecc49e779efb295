import { check, type Constraint } from "./constraints.ts";
import { describe, mustBe, refuse } from "./errors.ts";
import type { Label, Labels } from "./types.ts";

/** Labels as class indices 0..m-1. */
export interface EncodedLabels {
  readonly classes: readonly Label[];
  readonly indices: Int32Array;
}

function checkLabel(caller: string, argument: string, i: number, label: unknown): asserts label is Label {
  if (typeof label === "string" || Number.isSafeInteger(label)) return;
  mustBe(caller, argument, "a safe integer or a string", label, `entry ${i}`);
}

const sequence: Constraint = {
  must: "an array, Int32Array, Uint32Array or Uint8Array",
  kind: (v) => Array.isArray(v) || v instanceof Int32Array || v instanceof Uint32Array || v instanceof Uint8Array,
};

/** Numbers ascending, then strings by code unit. */
function compareLabels(a: Label, b: Label): number {
  if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** -0 and 0 are one label. */
const canonical = (label: Label): Label => (label === 0 ? 0 : label);

/** Index of each class; refuses repeated ones. */
export function indexClasses(caller: string, classes: readonly Label[]): Map<Label, number> {
  const index = new Map<Label, number>();
  classes.forEach((label, j) => {
    checkLabel(caller, "classes", j, label);
    if (index.has(canonical(label))) {
      refuse(RangeError, caller, "classes", `entry ${j} repeats ${describe(label)}`);
    }
    index.set(canonical(label), j);
  });
  return index;
}

/** Looks every label up among the classes. `set` names the argument that holds them, where it is not the call itself. */
export function lookUpLabels(
  caller: string,
  labels: Labels,
  rows: number,
  index: ReadonlyMap<Label, number>,
  whose: string,
  set?: string,
): Int32Array {
  const argument = set ? `${set}.labels` : "labels";
  check(caller, argument, labels, sequence);
  if (labels.length !== rows) {
    const features = set ? `${set}.features` : "features";
    refuse(RangeError, caller, argument, `has length ${labels.length} but "${features}" has ${rows} rows`);
  }
  const indices = new Int32Array(rows);
  for (let i = 0; i < rows; i++) {
    const label: unknown = labels[i];
    checkLabel(caller, argument, i, label);
    const j = index.get(canonical(label));
    if (j === undefined) {
      refuse(RangeError, caller, argument, `entry ${i} is ${describe(label)}, which is not among ${whose}`);
    }
    indices[i] = j;
  }
  return indices;
}

/** Labels of a fit: their classes, as given or found, and the class index of every example. */
export function encodeLabels(
  caller: string,
  labels: Labels,
  rows: number,
  given: readonly Label[] | undefined,
): EncodedLabels {
  check(caller, "labels", labels, sequence);
  let classes: Label[];
  if (given) {
    classes = given.map((label) => canonical(label));
  } else {
    const distinct = new Set<Label>();
    for (let i = 0; i < labels.length; i++) {
      const label: unknown = labels[i];
      checkLabel(caller, "labels", i, label);
      distinct.add(canonical(label));
    }
    classes = [...distinct].sort(compareLabels);
  }
  const index = indexClasses(caller, classes);
  const indices = lookUpLabels(caller, labels, rows, index, '"classes"');
  if (classes.length < 2) {
    const found = classes.length === 1 ? `only ${describe(classes[0])}` : "none";
    throw new RangeError(
      `${caller}: a classifier needs at least 2 classes, "${given ? "classes" : "labels"}" has ${found}`,
    );
  }
  return { classes, indices };
}
