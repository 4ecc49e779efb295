import { aNumber, check, isFloats, type Constraint } from "../constraints.ts";
import { refuse } from "../errors.ts";
import type { Vec } from "../types.ts";

const vector: Constraint = {
  must: "an array, Float64Array or Float32Array",
  kind: (v) => Array.isArray(v) || isFloats(v),
};

/** The sum, in order. By `reduce`, a call for each entry, it takes ten times as long. */
export function sum(entries: Float64Array): number {
  let total = 0;
  for (let j = 0; j < entries.length; j++) total += entries[j];
  return total;
}

/**
 * The sum of the squares, finite only where all entries are. Four at a time, in which no sum waits for the one before.
 */
export function sumOfSquares(entries: Float64Array | Float32Array): number {
  let sum = 0;
  let j = 0;
  for (; j + 4 <= entries.length; j += 4) {
    const a = entries[j];
    const b = entries[j + 1];
    const c = entries[j + 2];
    const d = entries[j + 3];
    sum += a * a + b * b + (c * c + d * d);
  }
  for (; j < entries.length; j++) sum += entries[j] ** 2;
  return sum;
}

/**
 * Checks that `value` is a vector of finite numbers and returns it. Entries of a plain array are read once, into a
 * copy, as they may be getters: another value the next time, or one that uses the kernels' memory itself.
 */
export function readVector(caller: string, argument: string, value: unknown): Float64Array | Float32Array {
  check(caller, argument, value, vector);
  if (isFloats(value) && sumOfSquares(value) < Infinity) return value;
  const entries = value as Vec;
  const copy = new Float64Array(entries.length);
  for (let j = 0; j < copy.length; j++) {
    const v: unknown = entries[j];
    if (Number.isFinite(v)) {
      copy[j] = v as number;
      continue;
    }
    check(caller, argument, v, aNumber, `entry ${j}`);
    refuse(RangeError, caller, argument, `entry ${j} is ${v as number}; it must be finite`);
  }
  return copy;
}

/** `readVector` where an empty one is out of place. */
export function readNonempty(caller: string, a: Vec, argument = "a"): Float64Array | Float32Array {
  const v = readVector(caller, argument, a);
  if (v.length === 0) refuse(RangeError, caller, argument, "must have at least 1 entry, got an empty vector");
  return v;
}
