import { at, put } from "../linalg/simd";

/**
 * sfc32, Chris Doty-Humphrey's "small fast counter" generator (PractRand): 128 bits of state, the last word a counter,
 * so that its period is at least 2^32. statePtr: u32[4].
 */
function next(statePtr: usize): u32 {
  const a = at<u32>(statePtr, 0);
  const b = at<u32>(statePtr, 1);
  const c = at<u32>(statePtr, 2);
  const counter = at<u32>(statePtr, 3);
  const result = a + b + counter;
  put<u32>(statePtr, 0, b ^ (b >> 9));
  put<u32>(statePtr, 1, c + (c << 3));
  put<u32>(statePtr, 2, rotl<u32>(c, 21) + result);
  put<u32>(statePtr, 3, counter + 1);
  return result;
}

/**
 * Fills statePtr: u32[4] from a seed; the first outputs, in which close seeds still resemble each other, are thrown
 * away.
 */
export function seedGenerator(statePtr: usize, seed: u32): void {
  put<u32>(statePtr, 0, 0x9e3779b9);
  put<u32>(statePtr, 1, 0x243f6a88);
  put<u32>(statePtr, 2, seed);
  put<u32>(statePtr, 3, 1);
  for (let i = 0; i < 16; ++i) next(statePtr);
}

/** A uniform integer in [0, count). */
// @ts-ignore: decorator
@inline
function draw(statePtr: usize, count: u32): u32 {
  return <u32>((<u64>next(statePtr) * <u64>count) >> 32);
}

/** A uniform number in [0, 1). */
export function uniform(statePtr: usize): f64 {
  return <f64>next(statePtr) / 4294967296;
}

/**
 * Fisher-Yates shuffle of orderPtr: u32[], of which the places [from, end) take their turn, the last one first; in the
 * end all from 0 on.
 */
export function shuffle(orderPtr: usize, from: u32, end: u32, statePtr: usize): void {
  const first = max<u32>(from, 1); // the one at place 0 has no choice
  for (let i = end; i-- > first; ) {
    const j = draw(statePtr, i + 1);
    const v = at<u32>(orderPtr, i);
    put<u32>(orderPtr, i, at<u32>(orderPtr, j));
    put<u32>(orderPtr, j, v);
  }
}
