import { beforeAll, describe, expect, test } from "vitest";
import { init } from "../../src/index.ts";
import { resolveLoss } from "../../src/losses.ts";
import { finish } from "../../src/pace/steps.ts";
import type { Shape } from "../../src/wasm/layout.ts";
import { ResidentProblem } from "../../src/wasm/problem.ts";
import { clouds } from "../helpers/data.ts";
import { EPS, maxAbs } from "../helpers/expect.ts";
import { allLosses, nameOf } from "../helpers/losses.ts";
import { copyOf } from "../helpers/problem.ts";

/** However features and weights lie in memory, a problem is the same problem. */

beforeAll(() => init());

/** How features and weights may lie, apart from "dense": with which shape, and how far apart the columns are. */
const LIES = {
  sparse: { sparse: true },
  "sparse in blocks": { sparse: true, inBlocks: true },
  // So many columns that weights lie in a single tile.
  "sparse, spread": { sparse: true, apart: 600 },
  // Several chunks of features, the last not a whole one.
  "dense in blocks": { inBlocks: true, apart: 60 },
  "skipping zeros": { skipsZeros: true },
  "skipping zeros, spread": { skipsZeros: true, apart: 60 },
  "skipping zeros in blocks": { skipsZeros: true, inBlocks: true },
} as const;
type Lie = keyof typeof LIES | "dense";
const lies = Object.keys(LIES) as Lie[];
const n = 70; // more than two blocks
const d = 9;

function problemData(m: number): { features: number[][]; labels: number[]; anchor: number[][] } {
  const { features, labels } = clouds(n, d, m, 5);
  // Two thirds are zero; a row and a column entirely.
  const thinned = features.map((row, i) =>
    row.map((v, l) => ((i * 5 + l * 7) % 3 === 0 && l !== 4 && i !== 8 ? v : 0)),
  );
  const anchor = Array.from({ length: m }, (_, j) => Array.from({ length: d }, (_, l) => Math.sin(j * d + l) / 4));
  return { features: thinned, labels, anchor };
}

async function open(
  how: Lie,
  spec: (typeof allLosses)[number],
  m: number,
  precision: Shape["precision"],
  anchored: boolean,
): Promise<ResidentProblem> {
  const { features, labels, anchor } = problemData(m);
  const { loss: name, ...parameters } = spec;
  const {
    sparse,
    apart = 1,
    ...layout
  }: { sparse?: boolean; apart?: number } & Partial<Shape> = how === "dense" ? {} : LIES[how];
  const shape: Shape = {
    ...{ numExamples: n, numFeatures: d * apart, numClasses: m, precision, anchored },
    ...(sparse && { nonzeros: features.flat().filter((v) => v !== 0).length }),
    ...layout,
  };
  const problem = await ResidentProblem.create("test", shape, resolveLoss("test", name, parameters), 3);
  problem.y.set(labels);
  problem.C.fill(0.5);
  features.forEach((row, i) => problem.features.store(i, { indices: row.map((_, l) => l * apart), values: row }));
  problem.measureRows(0, features.length);
  if (anchored) {
    anchor.forEach((row, j) => {
      const spread = new Float64Array(d * apart);
      row.forEach((v, l) => (spread[l * apart] = v));
      problem.weights.setAnchorRow(j, spread);
    });
    problem.weights.startAtAnchor();
  }
  return problem;
}

/** Sums are taken in another order in each layout. So many steps round what they start from; being exact, none enlarges a difference. */
const STEPS = 6 * n;
const ROUNDING = { float64: STEPS * EPS, float32: STEPS * 2 ** -23 };

/** A few rounds as `fit` makes them, of STEPS in all; all that can be seen of a problem afterwards. */
function run(problem: ResidentProblem): { sums: number[]; gaps: number[]; weights: number[]; duals: number[] } {
  for (let round = 0; round < 3; round++) {
    finish(problem.visits.shuffle(n));
    problem.sweep(0, n, round === 0);
    problem.sweep(0, n, false);
    problem.clear(false);
    problem.measure();
    problem.estimate(0, n);
  }
  problem.clear(true);
  problem.rebuild(0, n);
  problem.settle();
  problem.evaluate(0, n);
  const apart = problem.shape.numFeatures / d;
  const all = problem.weights.copy();
  const weights = Array.from({ length: all.length / apart }, (_, e) => all[e * apart]);
  return { sums: Object.values(problem.sums), gaps: [...problem.gaps], weights, duals: [...copyOf(problem.duals)] };
}

const close = (a: number[], b: number[], tolerance: number, scale = maxAbs(b)): void => {
  expect(a.length).toBe(b.length);
  const apart = a.reduce((most, v, e) => Math.max(most, Math.abs(v - b[e])), 0);
  expect(apart).toBeLessThanOrEqual(tolerance * scale);
};

describe.each(allLosses.map((spec) => [nameOf(spec), spec] as const))("%s", (_, spec) => {
  // Less than a tile, several tiles and a bit, so many classes that the lists of candidates are short beside them.
  test.each([6, 28, 33, 70, 150])("%s classes: however they lie, as dense", async (m) => {
    const dense = run(await open("dense", spec, m, "float64", m === 33));
    for (const how of lies) {
      const other = run(await open(how, spec, m, "float64", m === 33));
      close(other.sums, dense.sums, ROUNDING.float64);
      close(other.weights, dense.weights, ROUNDING.float64);
      close(other.duals, dense.duals, ROUNDING.float64);
      close(other.gaps, dense.gaps, ROUNDING.float64, dense.sums[0] / n); // differences of what is as large as a loss
    }
  });

  // Of vectors of float32, which are taken eight at a time, three are left over, seven, two and three.
  test.each([12, 28, 40, 44])("%s classes in float32 up to rounding", async (m) => {
    const dense = run(await open("dense", spec, m, "float32", false));
    for (const how of lies) {
      const other = run(await open(how, spec, m, "float32", false));
      close(other.sums, dense.sums, ROUNDING.float32);
      close(other.weights, dense.weights, ROUNDING.float32);
    }
  });

  test("an estimate in float32 says what the certificate does, up to rounding", async () => {
    for (const how of ["dense", "dense in blocks", "sparse", "sparse in blocks"] as const) {
      const problem = await open(how, spec, 33, "float32", false);
      const { sums } = run(problem);
      problem.clear(false);
      problem.measure();
      problem.estimate(0, n);
      // Spread over so many features the scores of a hinge loss come from numbers of 16 bits, of which the largest is 32000; else they
      // are sums of d products in float32.
      close(Object.values(problem.sums), sums, how === "dense in blocks" ? 1 / 32000 : d * 2 ** -23);
    }
  });

  test("slices change no bit", async () => {
    for (const how of ["dense", ...lies] as const) {
      const whole = await open(how, spec, 37, "float32", false);
      const sliced = await open(how, spec, 37, "float32", false);
      whole.sweep(0, n, true);
      const few = Math.max(9, whole.stepsAtOnce(true));
      for (let i = 0; i < n; i += few) sliced.sweep(i, Math.min(few, n - i), true);
      for (const [problem, step] of [
        [whole, n],
        [sliced, 13],
      ] as const) {
        problem.clear(true);
        for (let i = 0; i < n; i += step) problem.rebuild(i, Math.min(step, n - i));
        problem.settle();
        for (let i = 0; i < n; i += step) problem.evaluate(i, Math.min(step, n - i));
      }
      expect(copyOf(sliced.duals)).toEqual(copyOf(whole.duals));
      expect(sliced.weights.copy()).toEqual(whole.weights.copy());
      expect(sliced.sums).toEqual(whole.sums);
    }
  });
});
