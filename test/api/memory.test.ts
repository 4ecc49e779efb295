import { afterEach, beforeAll, expect, test } from "vitest";
import { fit, init } from "../../src/index.ts";

/** What happens where an engine has no memory to give. */

const { Memory } = WebAssembly;
/** How many memories are refused from now on, and how many have been asked for. */
let refusals = 0;
let asked = 0;

beforeAll(() => init());
afterEach(() => {
  WebAssembly.Memory = Memory;
  refusals = asked = 0;
});

function refuse(count: number): void {
  refusals = count;
  WebAssembly.Memory = function (descriptor: WebAssembly.MemoryDescriptor) {
    asked++;
    if (refusals-- > 0) throw new RangeError("WebAssembly.Memory(): could not allocate memory");
    return new Memory(descriptor);
  } as never;
}

test("a small one is waited for: other threads may have dropped theirs", async () => {
  refuse(2);
  const model = await fit([[0], [1]], ["a", "b"]);
  expect(model.certificate.status).toBe("solved");
  expect(asked).toBe(3);
});

test("but not for ever", async () => {
  refuse(Infinity);
  await expect(fit([[0], [1]], ["a", "b"])).rejects.toThrow(
    /^fit: could not allocate [\d.]+ KiB of WebAssembly memory$/,
  );
  expect(asked).toBeGreaterThan(2);
});

test("a large one is refused at once", async () => {
  refuse(Infinity);
  const features = { data: new Float32Array(8e6), rows: 8, cols: 1e6 };
  await expect(fit(features, [0, 1, 0, 1, 0, 1, 0, 1])).rejects.toThrow(
    /^fit: could not allocate .* MiB of WebAssembly memory$/,
  );
  expect(asked).toBe(1);
});
