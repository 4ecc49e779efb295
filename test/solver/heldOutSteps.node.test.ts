import { beforeAll, expect, test } from "vitest";
import { packSets } from "../../src/arrays/packedSets.ts";
import { checkRows, readRows } from "../../src/features.ts";
import { init } from "../../src/index.ts";
import { evaluateMultilabel } from "../../src/metrics/multilabelMetrics.ts";
import { STEP, type Steps } from "../../src/pace/steps.ts";

/** What is done with held-out rows goes in steps, so that a page does not freeze; what a step takes is counted in numbers, not in time. */

beforeAll(() => init());

/** How often it yields. */
function countSteps(steps: Steps<unknown>): number {
  let count = 0;
  while (!steps.next().done) count++;
  return count;
}

const n = 20_000;
const d = 50;
const numbers = new Float32Array(n * d).map((_, p) => Math.sin(p));

test("checking dense and sparse rows, columns in order or not", () => {
  const indptr = Int32Array.from({ length: n + 1 }, (_, i) => i * d);
  const columns = (way: 1 | -1): Int32Array => Int32Array.from(numbers, (_, p) => (way > 0 ? p % d : d - 1 - (p % d)));
  const csr = (way: 1 | -1) => ({ data: numbers, indices: columns(way), indptr, rows: n, cols: d });
  for (const features of [{ data: numbers, rows: n, cols: d }, csr(1), csr(-1)]) {
    expect(countSteps(checkRows("fit", "features", readRows("fit", "features", features)))).toBeGreaterThan(
      (n * d) / STEP,
    );
  }
});

test("metrics of label sets", () => {
  const rows = { count: n, cols: d, row: (i: number) => numbers.subarray(i * d, (i + 1) * d) };
  const sets = packSets("test", Array.from({ length: n }, (_, i) => [i % d]), n, d); // prettier-ignore
  expect(countSteps(evaluateMultilabel(rows, sets, 0, [1]))).toBeGreaterThan((2 * n * d) / STEP);
});
