/** The kernels of dist/core.wasm on a memory of our own: src/wasm/kernels.ts lists what they export and take. */
import { readFile } from "node:fs/promises";

const PAGE_BYTES = 65536;
/** Room for the kernels' static data, as in src/wasm/problem.ts. */
const BASE = 16384;

/** Puts the vectors into WebAssembly memory: `at[i]` is vector i, and `copy(i, to)` copies it; `x` and `work` have room for n and 2 n numbers. */
export async function instantiateKernels(vectors) {
  const n = vectors[0].length;
  const stride = 8 * (n + 2);
  const bytes = BASE + (vectors.length + 3) * stride + 64;
  const pages = Math.ceil(bytes / PAGE_BYTES);
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
  const binary = await readFile(new URL("../../dist/core.wasm", import.meta.url));
  const { instance } = await WebAssembly.instantiate(binary, { env: { memory } });
  const kernels = instance.exports;
  if (kernels.heapBase.value > BASE) throw new Error("bench: static data exceed BASE");
  const at = vectors.map((_, i) => BASE + i * stride);
  vectors.forEach((vector, i) => new Float64Array(memory.buffer, at[i], n).set(vector));
  const memoryBytes = new Uint8Array(memory.buffer);
  const copy = (i, to) => memoryBytes.copyWithin(to, at[i], at[i] + 8 * n);
  return { kernels, copy, at, x: BASE + vectors.length * stride, work: BASE + (vectors.length + 1) * stride };
}
