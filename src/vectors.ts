import { aNumber, check, isFloats, type Constraint } from "./constraints.ts";
import { refuse } from "./errors.ts";
import type { Vec } from "./types.ts";

const vector: Constraint = {
  must: "an array, Float64Array or Float32Array",
  kind: (v) => Array.isArray(v) || isFloats(v),
};

/** Checks that `value` is a vector of finite numbers and returns it. */
export function readVector(caller: string, argument: string, value: unknown): Vec {
  check(caller, argument, value, vector);
  const entries = value as Vec;
  for (let j = 0; j < entries.length; j++) {
    const v: unknown = entries[j];
    if (Number.isFinite(v)) continue;
    check(caller, argument, v, aNumber, `entry ${j}`);
    refuse(RangeError, caller, argument, `entry ${j} is ${v as number}; it must be finite`);
  }
  return entries;
}
