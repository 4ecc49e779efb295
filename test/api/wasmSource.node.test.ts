import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compileKernels } from "../../src/wasm/load.ts";

/** Where the kernels come from, if it is not the package itself. */

test("a view of a part of a buffer is taken for that part", async () => {
  const binary = readFileSync(new URL("../../build/core.wasm", import.meta.url));
  const buffer = new Uint8Array(binary.length + 24);
  buffer.set(binary, 8);
  for (const view of [buffer.subarray(8, -16), new DataView(buffer.buffer, 8, binary.length)]) {
    expect(await compileKernels(view)).toBeInstanceOf(WebAssembly.Module);
  }
});
