import { describe } from "./errors.ts";
import type { Vec } from "./types.ts";

/** Checks that `value` is a vector of finite numbers and returns it. */
export function readVector(caller: string, argument: string, value: unknown): Vec {
  if (!(Array.isArray(value) || value instanceof Float64Array || value instanceof Float32Array)) {
    throw new TypeError(
      `${caller}: "${argument}" must be an array, Float64Array or Float32Array, got ${describe(value)}`,
    );
  }
  for (let j = 0; j < value.length; j++) {
    const v: unknown = value[j];
    if (typeof v !== "number") {
      throw new TypeError(`${caller}: "${argument}" entry ${j} must be a number, got ${describe(v)}`);
    }
    if (!Number.isFinite(v)) throw new RangeError(`${caller}: "${argument}" entry ${j} is ${v}; it must be finite`);
  }
  return value as Vec;
}
