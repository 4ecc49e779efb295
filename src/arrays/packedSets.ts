import { check, integer, isIndices, type Constraint } from "../constraints.ts";
import { mustBe, refuse } from "../errors.ts";

/** Label sets as class indices, one after another: set i is `indices[offsets[i] .. offsets[i + 1])`, in any order. */
export interface PackedSets {
  /** One more than there are sets, from 0 on. */
  readonly offsets: Uint32Array;
  readonly indices: Int32Array;
}

const arrayOfArrays: Constraint = { must: "an array of arrays of class indices", kind: Array.isArray };
const aSet: Constraint = {
  must: "an array of class indices",
  kind: (v) => Array.isArray(v) || isIndices(v),
};

/** Checks one set of class indices in [0, m) for each row of scores, and packs them. */
export function packSets(caller: string, input: unknown, rows: number, m: number): PackedSets {
  check(caller, "sets", input, arrayOfArrays);
  const sets = input as ArrayLike<ArrayLike<number>>;
  if (sets.length !== rows) {
    refuse(RangeError, caller, "sets", `has length ${sets.length} but "scores" has ${rows} rows`);
  }
  const offsets = new Uint32Array(rows + 1);
  for (let i = 0; i < rows; i++) {
    check(caller, "sets", sets[i], aSet, `entry ${i}`);
    offsets[i + 1] = offsets[i] + sets[i].length;
  }
  const classIndex = integer(0, m - 1);
  const indices = new Int32Array(offsets[rows]);
  const lastSeen = new Int32Array(m).fill(-1);
  for (let i = 0; i < rows; i++) {
    for (let p = 0; p < sets[i].length; p++) {
      const y = sets[i][p];
      const known = typeof y === "number" ? lastSeen[y] : undefined; // undefined where y is no class index
      if (known === undefined) {
        mustBe(caller, "sets", classIndex.must, y, `entry ${i}, label ${p}`);
      }
      if (known === i) {
        refuse(RangeError, caller, "sets", `entry ${i}, label ${p} repeats ${y}; a set names a class once`);
      }
      lastSeen[y] = i;
      indices[offsets[i] + p] = y;
    }
  }
  return { offsets, indices };
}
