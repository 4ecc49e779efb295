import type { Vec } from "../types.ts";
import type { Kernels } from "../wasm/kernels.ts";
import { borrow } from "../wasm/shared.ts";
import { safeScale, times, type Bounded } from "./safeScale.ts";

/** Kernels on vectors of a caller, which are copied into the shared instance. */

/** A kernel on n numbers at aPtr, which writes as many at xPtr. */
export type Kernel = (kernels: Kernels, aPtr: number, n: number, xPtr: number, workPtr: number) => void;

/**
 * Copies vectors into the shared instance, one after the other, runs the kernel on them and returns x, for each as many
 * numbers as it has.
 */
export function runOn(caller: string, vectors: readonly Vec[], kernel: Kernel): Float64Array[] {
  const n = vectors.reduce((sum, { length }) => sum + length, 0);
  const { instance, at } = borrow(caller, [n + 2, n + 2, 2 * n + 4]);
  const [aPtr, xPtr, workPtr] = at;
  const all = new Float64Array(instance.memory.buffer, aPtr, n);
  const x = new Float64Array(instance.memory.buffer, xPtr, n);
  const ends: number[] = [];
  for (const vector of vectors) {
    const start = ends.at(-1) ?? 0;
    all.set(vector, start);
    ends.push(start + vector.length);
  }
  kernel(instance.kernels, aPtr, n, xPtr, workPtr);
  return vectors.map(({ length }, v) => x.slice(ends[v] - length, ends[v]));
}

/** `runOn` for one vector. workPtr has room for 2 n + 4 numbers. */
export function run(caller: string, a: Vec, kernel: Kernel): Float64Array {
  return runOn(caller, [a], kernel)[0];
}

/** `run` where nothing overflows: the kernel has to divide its bounds by the scale. */
export function runScaled(
  caller: string,
  { v, most }: Bounded,
  { rho, bound }: { rho: number; bound: number },
  kernel: (kernels: Kernels, scale: number, aPtr: number, n: number, xPtr: number, workPtr: number) => void,
): Float64Array {
  const scale = safeScale(most, rho, bound);
  const x = run(caller, times(v, 1 / scale), (kernels, ...rest) => kernel(kernels, scale, ...rest));
  return times(x, scale) as Float64Array;
}
