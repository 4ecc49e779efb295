/** The kernels of dist/core.wasm on a memory of our own: src/wasm/kernels.ts lists what they export and take. */
import { readFile } from "node:fs/promises";

const PAGE_BYTES = 65536;

/** Puts the vectors into WebAssembly memory: `at[i]` is vector i, and `copy(i, to)` copies it; `x` and `work` have room for n and 2 n numbers. */
export async function instantiateKernels(vectors) {
  const n = vectors[0].length;
  const stride = 8 * (n + 2);
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 65536 });
  const binary = await readFile(new URL("../../dist/core.wasm", import.meta.url));
  const { instance } = await WebAssembly.instantiate(binary, { env: { memory } });
  const kernels = instance.exports;
  const base = Math.ceil(kernels.heapBase.value / 16) * 16; // behind the kernels' static data
  memory.grow(Math.ceil((base + (vectors.length + 3) * stride + 64) / PAGE_BYTES));
  const at = vectors.map((_, i) => base + i * stride);
  vectors.forEach((vector, i) => new Float64Array(memory.buffer, at[i], n).set(vector));
  const memoryBytes = new Uint8Array(memory.buffer);
  const copy = (i, to) => memoryBytes.copyWithin(to, at[i], at[i] + 8 * n);
  return { kernels, memory, copy, at, x: base + vectors.length * stride, work: base + (vectors.length + 1) * stride };
}
