import { beforeAll, describe, test } from "vitest";
import { init, losses, prox } from "../../src/index.ts";
import { shuffled } from "../helpers/arbitraries.ts";
import { EPS, expectAtMost, expectBetween, expectVectorWithin, expectWithin } from "../helpers/expect.ts";
import { sum } from "../reference/sum.ts";
import { topKSimplex, type Variant } from "../reference/topKSimplex.ts";

beforeAll(() => init());

/** Linear work on 5e4 entries takes milliseconds and quadratic work some seconds. */
const QUICK_MS = 1000;

function quickly<T>(work: () => T): T {
  const start = performance.now();
  const result = work();
  expectAtMost(performance.now() - start, QUICK_MS, "milliseconds");
  return result;
}

const range = (n: number): number[] => Array.from({ length: n }, (_, j) => j);
const N = 50_000;

/** Sets that make a search which fixes, or drops, a share of the entries per pass go one entry at a time, or not at all. */
const SETS: Record<string, number[]> = {
  "falling powers of 2": range(2000).map((j) => 2 ** (1000 - j)),
  "rising powers of 2": range(2000).map((j) => 2 ** (j - 1000)),
  "negative powers of 2": range(2000).map((j) => -(2 ** (1000 - j))),
  "powers of 2 of both signs": range(2000).map((j) => (j % 2 === 0 ? 1 : -1) * 2 ** (1000 - j)),
  "powers of 1.01": range(2000).map((j) => 1.01 ** j),
  "gaps that double towards 1": range(2000).map((j) => 1 - 2 ** -(j / 40)),
  "equal entries": Array<number>(N).fill(0.1),
  "equal entries, huge": Array<number>(N).fill(1e16),
  "equal entries but one": [...Array<number>(N - 1).fill(1 / 3), 1],
  "two huge clusters": range(N).map((j) => (j % 2 === 0 ? 1e16 : -1e16)),
  "two clusters one spacing apart": range(N).map((j) => (j % 2 === 0 ? 1 : 1 + EPS)),
  "two narrow clusters": range(N).map((j) => (j % 2 === 0 ? 1e8 : 0) + (j % 101) * 1e-9),
  "falling line": range(N).map((j) => 1 - j / N),
  "rising line": range(N).map((j) => j / N),
  "organ pipe": range(N).map((j) => Math.min(j, N - j)),
  "saw of 7 values": range(N).map((j) => j % 7),
  "shuffled line": shuffled(range(N).map((j) => j / N)),
};

/**
 * Groups of equal entries, each a third as large as all before it together, at levels such that Newton's method for the simplex of
 * radius 1, which comes from the left, drops them one after the other: about as many steps as float64 has room for.
 */
function droppedOneByOne(): number[] {
  const entries = [0, 0, 0];
  let root = -1 / entries.length; // of those above
  let last = root - 1e-13;
  while (last > -1) {
    const size = Math.ceil(0.35 * entries.length);
    const count = entries.length + size;
    entries.push(...Array<number>(size).fill(last));
    const next = root + (size * (last - root)) / count;
    const behind = next - ((next - last) * (1.35 * count)) / (0.35 * count);
    root = next;
    last = behind;
  }
  if (entries.length % 2 === 1) entries.push(last);
  return entries;
}
SETS["groups that leave one by one"] = droppedOneByOne();

const RADII = [1, 1e-300, 1e6];

describe.each(Object.entries(SETS))("%s", (_, a) => {
  const n = a.length;
  const slack = 1 + 8 * n * EPS;

  test.each([
    ["no upper bound", (): number => Infinity],
    ["r/3", (r: number): number => r / 3],
    ["r/7.5", (r: number): number => r / 7.5],
    ["barely reached", (r: number): number => (r / n) * (1 + 1e-9)],
  ])("knapsack, sum x = r, %s", (_, upper) => {
    for (const radius of RADII) {
      const hi = upper(radius);
      const x = quickly(() => prox.knapsack(a, { hi, radius, equality: true }));
      expectWithin(sum(x), radius, 8 * n * EPS * radius, `radius ${radius}, sum`);
      expectBetween(x, 0, hi, `radius ${radius}`);
    }
  });

  test("smooth hinge loss: its gradient is the projection onto the simplex", () => {
    for (const gamma of [1, 1e-3, 1e6]) {
      const gradient = quickly(() => losses.gradient("hinge", [1, ...a], 0, { gamma }));
      // 1 + u_j - u_y, rounded as there.
      const margins = a.map((v) => 1 + (v - 1));
      const x = prox.knapsack(margins, { radius: gamma });
      const p = gradient.subarray(1);
      const rounding = 16 * EPS * (1 + Math.max(...x) / gamma);
      expectVectorWithin(
        p,
        x.map((v) => v / gamma),
        rounding,
      );
      expectWithin(-gradient[0], sum(p), slack - 1, `gamma ${gamma}, sum`);
    }
  });

  test.each([0, 1])("knapsack, sum x <= r, rho = %d", (rho) => {
    for (const radius of RADII) {
      const x = quickly(() => prox.knapsack(a, { radius, rho }));
      expectAtMost(sum(x), radius * slack, `radius ${radius}, sum`);
      expectBetween(x, 0, Infinity, `radius ${radius}`);
    }
  });

  const variants: Variant[] = ["alpha", "alpha-inclusive", "beta"];
  test.each(variants)("top-k simplex %s", (variant) => {
    for (const radius of RADII) {
      for (const [k, rho] of [
        [1, 0],
        [5, 1],
        [n / 2, 0.3],
      ]) {
        const x = quickly(() => prox.topKSimplex(a, { k, radius, rho, variant }));
        const total = sum(x);
        const where = `radius ${radius}, k ${k}, rho ${rho}`;
        expectAtMost(total, radius * slack, `${where}, sum`);
        const bound = variant === "alpha" ? (total / k) * slack : (radius / k) * (1 + EPS);
        expectBetween(x, 0, bound, where);
        if (variant === "alpha-inclusive" && k > 1) expectBetween(x, 0, (total / (k - 1)) * slack, `${where}, s/(k-1)`);
      }
    }
  });

  test.each([
    ["no upper bound", (): number => Infinity],
    ["r/3", (r: number): number => r / 3],
    ["r/7.5", (r: number): number => r / 7.5],
    ["barely reached", (r: number): number => (r / n) * (1 + 1e-9)],
  ])("entropic simplex, %s", (_, upper) => {
    for (const radius of RADII) {
      const hi = upper(radius);
      const x = quickly(() => prox.entropicSimplex(a, { hi, radius }));
      expectWithin(sum(x), radius, 8 * n * EPS * radius, `radius ${radius}, sum`);
      expectBetween(x, 0, hi, `radius ${radius}`);
    }
  });

  test.each(["alpha", "beta"] as const)("top-k entropy %s", (variant) => {
    for (const alpha of [0, 1e-6, 1, 1e6]) {
      for (const k of [1, 5, n / 2]) {
        const z = quickly(() => prox.topKEntropy(a, { k, alpha, variant }));
        const where = `k ${k}, alpha ${alpha}`;
        const total = sum(z);
        expectAtMost(total, slack, `${where}, sum`);
        const bound = variant === "beta" ? (1 / k) * (1 + EPS) : (total / k) * slack;
        expectBetween(z, 0, bound, where);
      }
    }
  });

  test.each([
    ["itself", a],
    ["one entry", [0.3]],
    ["a shuffled line", SETS["shuffled line"]],
    ["falling powers of 2", SETS["falling powers of 2"]],
  ])("bipartite simplex, against %s", (_, b) => {
    for (const radius of [...RADII, Infinity]) {
      const { x, y } = quickly(() => prox.bipartiteSimplex(a, b, { radius }));
      const total = sum(x);
      expectAtMost(total, radius * slack, `radius ${radius}, sum`);
      const rounding = 8 * (n + b.length) * EPS * total;
      expectWithin(sum(y), total, rounding, `radius ${radius}, sum of y`);
      for (const part of [x, y]) expectBetween(part, 0, Infinity, `radius ${radius}`);
    }
  });

  test.each([1, 5, 1000])("top-k cone, k = %d", (k) => {
    const x = quickly(() => prox.topKCone(a, { k, rho: 1 }));
    const total = sum(x);
    expectBetween(x, 0, (total / k) * slack);
  });
});

describe("answers that are known", () => {
  test("equal entries share the radius", () => {
    const a = SETS["equal entries"];
    expectVectorWithin(
      prox.knapsack(a, { equality: true }),
      a.map(() => 1 / N),
      8 * EPS,
    );
    expectVectorWithin(
      prox.topKSimplex(a, { k: 10 }),
      a.map(() => 1 / N),
      8 * EPS,
    );
  });

  test("of falling powers of 2 the largest takes all, or the three largest where it may not", () => {
    const a = SETS["falling powers of 2"];
    const alone = a.map((_, j) => (j === 0 ? 1 : 0));
    const three = a.map((_, j) => (j < 3 ? 1 / 3 : 0));
    expectVectorWithin(prox.knapsack(a, { equality: true }), alone, EPS);
    expectVectorWithin(prox.topKSimplex(a, { k: 3 }), three, EPS);
    expectVectorWithin(prox.topKSimplex(a, { k: 3, variant: "beta" }), three, EPS);
  });

  test("powers of 1.01 equal bisection", () => {
    const a = SETS["powers of 1.01"].slice(0, 300);
    for (const k of [2, 20, 150]) {
      for (const radius of [1, 30, 1000]) {
        const rounding = 8 * a.length * EPS * Math.max(...a, radius);
        expectVectorWithin(prox.topKSimplex(a, { k, radius, rho: 1 }), topKSimplex(a, { k, radius, rho: 1 }), rounding);
      }
    }
  });
});
