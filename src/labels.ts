import { check, isIndices, type Constraint } from "./constraints.ts";
import { describe, list, mustBe, refuse } from "./errors.ts";
import { onlySetLossNames, setLossNames, type Loss } from "./losses.ts";
import { STEP, type Steps } from "./pace/steps.ts";
import { kindOf } from "./platform/kindOf.ts";
import type { Label } from "./types.ts";

/** The true classes of examples as indices 0..m-1: one each, or, where there are `offsets`, sets. */
export interface Truth {
  /** One after the other; each set ascending. */
  readonly indices: Int32Array;
  /** One more than there are examples: set i is `indices[offsets[i] .. offsets[i + 1])`. */
  readonly offsets?: Uint32Array;
}

/** Number of examples. */
export const numExamples = ({ indices, offsets }: Truth): number => (offsets ? offsets.length - 1 : indices.length);

/** To look one up takes as long as several numbers. */
export const LABELS_AT_ONCE = STEP / 8;

/** Where a label stands, in words. */
const placeOf = (i: number, p?: number): string => `entry ${i}${p === undefined ? "" : `, label ${p}`}`;

export const isLabel = (value: unknown): value is Label => typeof value === "string" || Number.isSafeInteger(value);

export function checkLabel(
  caller: string,
  argument: string,
  label: unknown,
  i: number,
  p?: number,
): asserts label is Label {
  if (isLabel(label)) return;
  const isMissing = label === undefined || label === null || Number.isNaN(label);
  const other = /^(bigint|boolean)$/.test(typeof label) ? "; String(label) makes one" : "";
  const hint = isMissing && argument === "labels" ? "; leave out rows without a label" : other;
  mustBe(caller, argument, "a safe integer or a string", label, placeOf(i, p), hint);
}

const arrayOfSets: Constraint = { must: "an array of arrays of labels", kind: Array.isArray };
const isIterable = (v: unknown): v is object =>
  typeof v === "object" && v !== null && Symbol.iterator in v && kindOf(v) !== "String";
const aSet: Constraint = {
  must: "an array of labels",
  kind: Array.isArray,
  hint: (v) => (isIterable(v) ? ", of which Array.from makes one" : ""),
};
export const sequence: Constraint = {
  must: "an array, Int32Array, Uint32Array or Uint8Array",
  kind: (v) => Array.isArray(v) || isIndices(v),
  hint: (v) => (ArrayBuffer.isView(v) && Symbol.iterator in v ? "; Array.from(array, Number) makes one" : ""),
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
  for (const [j, label] of classes.entries()) {
    checkLabel(caller, "classes", label, j);
    if (index.has(label)) refuse(RangeError, caller, "classes", `entry ${j} repeats ${describe(label)}`);
    index.set(label, j); // a Map takes -0 for 0
  }
  return index;
}

/**
 * Whether these labels are sets, of which the loss says which kind there is to be; or other labels that they are to go
 * with, `like` what.
 */
function* areSets(
  caller: string,
  argument: string,
  labels: unknown,
  kind: Loss["label"],
  like?: string,
): Steps<boolean> {
  // A Set, or a typed array, is meant as one, too: then that is the message, not that it is no label.
  const first: unknown = Array.isArray(labels) && labels[0];
  const given = isIterable(first);
  if (given && kind === "class") {
    const found = `has ${describe(first)} at entry 0`;
    const set = Array.from(first as Iterable<unknown>);
    const each =
      set.length > 1 && set.every((label) => label === 0 || label === 1)
        ? "labels.map((row) => row.indexOf(1)) is one label for each row of 0 with a single 1"
        : "labels.map(([label]) => label) is one label for each row if each has one";
    const why = like
      ? `; there is one label for each row, as ${like}`
      : `; sets of labels go with ${list(setLossNames)}, and ${each}`;
    refuse(TypeError, caller, argument, found + why);
  }
  const expected = kind === "set" || given;
  check(caller, argument, labels, expected ? arrayOfSets : sequence);
  if (kind === "set" && isLabel(first)) {
    const why = like ? `, as ${like}` : `; ${list(onlySetLossNames)} take sets, other losses one label for each row`;
    refuse(TypeError, caller, argument, `entry 0 must be ${aSet.must}, got ${describe(first)}${why}`);
  }
  if (!expected) return false;
  // Not `forEach`, which passes over holes.
  const sets = labels as unknown[];
  for (let i = 0; i < sets.length; i++) {
    if (i % LABELS_AT_ONCE === 0) yield;
    if (!Array.isArray(sets[i])) check(caller, argument, sets[i], aSet, `entry ${i}`);
  }
  return true;
}

/** The end of a message about a label that is no class: a class that looks like it, 1 and "1" being different ones. */
export function alike(label: unknown, index: ReadonlyMap<Label, number>): string {
  if (!isLabel(label)) return "";
  const other = typeof label === "number" ? String(label) : Number(label);
  return index.has(other) && String(other) === String(label) ? `; ${describe(other)} is` : "";
}

/**
 * Looks every label up among the classes. `kind`: what the loss takes, or what these labels are to be `like`. `where`
 * names the argument that holds labels and features, where it is not the call itself.
 */
export function* lookUpLabels(
  caller: string,
  labels: unknown,
  rows: number,
  index: ReadonlyMap<Label, number>,
  kind: Loss["label"],
  whose: string,
  like?: string,
  where?: string,
): Steps<Truth> {
  const argument = where ? `${where}.labels` : "labels";
  const isSet = yield* areSets(caller, argument, labels, kind, like);
  const { length } = labels as ArrayLike<unknown>;
  if (length !== rows) {
    const features = where ? `${where}.features` : "features";
    refuse(RangeError, caller, argument, `has length ${length} but "${features}" has ${rows} rows`);
  }
  const refuseLabel = (label: unknown, i: number, p?: number): never => {
    checkLabel(caller, argument, label, i, p);
    const what = `${placeOf(i, p)} is ${describe(label)}, which is not among ${whose}${alike(label as Label, index)}`;
    refuse(RangeError, caller, argument, what);
  };
  /** What is no label is not among the classes; to a map, -0 is 0. */
  const find = (label: unknown, i: number, p?: number): number => index.get(label as Label) ?? refuseLabel(label, i, p);
  if (!isSet) {
    const classes = new Int32Array(rows);
    for (let i = 0; i < rows; i++) {
      if (i % LABELS_AT_ONCE === 0) yield;
      classes[i] = find((labels as ArrayLike<unknown>)[i], i);
    }
    return { indices: classes };
  }
  const sets = labels as readonly (readonly unknown[])[];
  const lastSeen = new Int32Array(index.size).fill(-1);
  let total = 0;
  for (let i = 0; i < rows; i++) total += sets[i].length;
  const indices = new Int32Array(total);
  const offsets = new Uint32Array(rows + 1);
  let end = 0;
  for (let i = 0; i < rows; i++) {
    if (i % LABELS_AT_ONCE === 0) yield;
    const set = sets[i];
    let ascending = true;
    for (let p = 0; p < set.length; p++) {
      const j = find(set[p], i, p);
      if (lastSeen[j] === i) {
        const hint = set.every((label) => label === 0 || label === 1) ? INDICATORS : "";
        refuse(RangeError, caller, argument, `${placeOf(i, p)} repeats ${describe(set[p])}${hint}`);
      }
      lastSeen[j] = i;
      if (p > 0 && j < indices[end - 1]) ascending = false;
      indices[end++] = j;
    }
    offsets[i + 1] = end;
    if (!ascending) indices.subarray(offsets[i], end).sort();
  }
  return { indices, offsets };
}

/** What is said of rows that tell for each class whether it is among the labels, as other libraries take them. */
const INDICATORS = "; a set lists the labels that apply: of a row of 0s and 1s, give the places of the 1s";

/** Whether sets are rows of two such indicators: as sets all would be the same, in one order or the other. */
function lookLikeIndicators(sets: readonly (readonly unknown[])[], classes: readonly Label[], truth: Truth): boolean {
  if (truth.indices.length !== 2 * sets.length || classes.length !== 2 || classes[0] !== 0 || classes[1] !== 1)
    return false;
  return sets.every((set) => set.length === 2) && [0, 1].every((first) => sets.some((set) => set[0] === first));
}

/** Labels of a fit: their classes, as given or found, and the true classes of every example. */
export function* encodeLabels(
  caller: string,
  labels: unknown,
  rows: number,
  given: readonly Label[] | undefined,
  kind: Loss["label"],
): Steps<{ classes: readonly Label[]; truth: Truth }> {
  const isSet = yield* areSets(caller, "labels", labels, kind);
  let classes: Label[];
  if (given) {
    classes = given.map((label) => canonical(label));
  } else {
    const distinct = new Set<unknown>();
    const { length } = labels as ArrayLike<unknown>;
    for (let i = 0; i < length; i++) {
      if (i % LABELS_AT_ONCE === 0) yield;
      const given = (labels as ArrayLike<unknown>)[i];
      if (isSet) (given as unknown[]).forEach((label) => distinct.add(label));
      else distinct.add(given);
    }
    classes = [...distinct].filter(isLabel).sort(compareLabels); // what is no label is refused when it is looked up
  }
  const index = indexClasses(caller, classes);
  const truth = yield* lookUpLabels(caller, labels, rows, index, kind, '"classes"');
  if (classes.length < 2) {
    const found = classes.length === 1 ? `only ${describe(classes[0])}` : "none";
    const hint = isSet && kind === "either" ? "; where a row has it or not, give every row one of two labels" : "";
    throw new RangeError(
      `${caller}: a classifier needs at least 2 classes, "${given ? "classes" : "labels"}" has ${found}${hint}`,
    );
  }
  if (isSet && !given && lookLikeIndicators(labels as (readonly unknown[])[], classes, truth)) {
    refuse(RangeError, caller, "labels", `has rows of 0 and 1, in either order${INDICATORS}`);
  }
  return { classes, truth };
}
