import { NO_DUALS, Problem } from "../data/problem";
import { at, put } from "../linalg/simd";
import { areEqual, countNonzeros, keepNonzeros } from "../linalg/vectors";
import { heldDuals, listOf, numHeld, rowOfA, spreadList } from "./lists";

/** Dual variables as they are read, wherever they are: in a row of A, or held by the list of candidates. */

/** All those of example i, T[m]: the row of A or, where a list holds them, a copy in problem.deltas. */
export function dualsOf<T>(problem: Problem, i: i32): usize {
  const n = numHeld(problem, i);
  if (n == 0) return rowOfA<T>(problem, i);
  memory.fill(problem.deltas, 0, <usize>problem.m << alignof<T>());
  spreadList<T>(listOf(problem, i), n, problem.deltas);
  return problem.deltas;
}

/** Whether the row at rowPtr: T[m] has those of example i. */
export function isStored<T>(problem: Problem, i: i32, rowPtr: usize): bool {
  const n = numHeld(problem, i);
  if (n == 0) return areEqual<T>(rowOfA<T>(problem, i), rowPtr, problem.m);
  const list = listOf(problem, i);
  const held = heldDuals(list, n);
  let nonzeros = countNonzeros<T>(rowPtr, problem.m);
  for (let c = 0; c <= n; ++c) {
    const a = at<T>(held, c);
    if (a != at<T>(rowPtr, at<i32>(list, c))) return false;
    nonzeros -= i32(a != 0);
  }
  return nonzeros == 0;
}

/** Those of `count` examples from `first` on to out: T[count][m]. */
export function copyDuals<T>(problem: Problem, first: i32, count: i32, out: usize): void {
  const rowBytes = <usize>problem.m << alignof<T>();
  for (let e = 0; e < count; ++e) memory.copy(out + <usize>e * rowBytes, dualsOf<T>(problem, first + e), rowBytes);
}

/**
 * Of those the ones that are not zero to out: T[], and their places in n x m to placesPtr: u32[], row after row, in any
 * order within a row. Both have room for all, though no more than what is returned, their number, counts.
 */
export function nonzeroDuals<T>(problem: Problem, first: i32, count: i32, placesPtr: usize, out: usize): i32 {
  const m = problem.m;
  let found = 0;
  for (let i = first; i < first + count; ++i) {
    if (at<i32>(problem.listed, i) == NO_DUALS) continue;
    const n = numHeld(problem, i);
    const places = placesPtr + (<usize>found << 2);
    const values = out + (<usize>found << alignof<T>());
    if (n > 0) found += nonzerosOfList<T>(listOf(problem, i), n, i * m, places, values);
    else found += keepNonzeros<T>(rowOfA<T>(problem, i), m, i * m, places, values);
  }
  return found;
}

/** The nonzero dual variables of one list of n candidates, and their places; `start`: the place of class 0. */
function nonzerosOfList<T>(list: usize, n: i32, start: u32, placesPtr: usize, out: usize): i32 {
  const held = heldDuals(list, n);
  let found = 0;
  for (let c = 0; c <= n; ++c) {
    const a = at<T>(held, c);
    put<u32>(placesPtr, found, start + <u32>at<i32>(list, c));
    put<T>(out, found, a);
    found += i32(a != 0);
  }
  return found;
}
