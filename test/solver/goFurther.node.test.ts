import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { fit, init, load, type FitOptions, type Label, type Model } from "../../src/index.ts";
import { ResidentMultipliers } from "../../src/wasm/multipliers.ts";
import { ResidentProblem } from "../../src/wasm/problem.ts";
import type { Sums } from "../../src/wasm/sums.ts";
import { expectCertified } from "../helpers/certified.ts";
import { clouds, uniforms } from "../helpers/data.ts";
import { expectWithin } from "../helpers/expect.ts";
import { allLosses, nameOf, optionsOf } from "../helpers/losses.ts";

/** An unsolved fit may give back an earlier point than the last one; the next fit goes on from the last one. */

beforeAll(() => init());
afterEach(() => void vi.restoreAllMocks());

const uniform = uniforms(5);
const small = {
  labels: Array.from({ length: 12 }, (_, i) => i % 3),
  features: Array.from({ length: 12 }, () => Array.from({ length: 3 }, () => 4 * uniform() - 2)),
};
const common = { loss: "hinge", precision: "float64" } as const;

test("the further point is evaluated before any step", async () => {
  const options: FitOptions = { ...common, C: 1000, maxEpochs: 50 };
  const initial = await fit(small.features, small.labels, options);
  const { history } = await fit(small.features, small.labels, { ...options, initial });
  expect(history[1].visits).toBe(0);
  expect(history[1].dualObjective).toBeGreaterThan(history[0].dualObjective!);
});

test.each(["float32", "float64"] as const)(
  "which is the last point of the fit before, and W with it: %s",
  async (precision) => {
    const options: FitOptions = { ...common, C: 1000, maxEpochs: 50 };
    const initial = await fit(small.features, small.labels, options);
    const { history } = await fit(small.features, small.labels, { ...options, precision, initial });
    const last = initial.history.at(-2)!; // behind it comes the point that is given back
    const rounding = precision === "float32" ? 1e-6 : 1e-12;
    for (const objective of ["primalObjective", "dualObjective"] as const) {
      const wanted = last[objective]!;
      expectWithin(history[1][objective]!, wanted, rounding * wanted, objective);
    }
  },
);

test("a point that was not as good as an estimate had it is left again, and the model is of the one before it", async () => {
  const { measure, rebuild } = ResidentProblem.prototype;
  const { get } = Object.getOwnPropertyDescriptor(ResidentProblem.prototype, "sums")!;
  let [estimates, estimating] = [0, false];
  vi.spyOn(ResidentProblem.prototype, "measure").mockImplementation(function (this: ResidentProblem) {
    estimating = ++estimates === 1;
    measure.call(this);
  });
  vi.spyOn(ResidentProblem.prototype, "rebuild").mockImplementation(function (this: ResidentProblem, ...rows) {
    estimating = false;
    rebuild.apply(this, rows);
  });
  vi.spyOn(ResidentProblem.prototype, "sums", "get").mockImplementation(function (this: ResidentProblem) {
    const sums = get!.call(this) as Sums;
    const dual = sums.dualLoss - 0.5 * sums.dualWeightsNorm2;
    return estimating ? { ...sums, primalLoss: 1.01 * dual - 0.5 * sums.weightsNorm2 } : sums; // a gap of a hundredth
  });
  const options: FitOptions = { ...common, C: 1, tolerance: 1e-9, maxEpochs: 8, intercept: false };
  const model = await fit(small.features, small.labels, options);
  vi.restoreAllMocks();
  const [left, last] = model.history.slice(-2);
  expect(left.dualityGap).toBeGreaterThan(last.dualityGap!);
  expect(last.dualityGap).toBe(model.certificate.dualityGap);
  expectCertified(model, { ...small, loss: { loss: "hinge" }, C: 1, precision: "float64" });
});

test("where the features are others, only if D is higher there, too", async () => {
  const options: FitOptions = { ...common, C: 1000, maxEpochs: 50 };
  const initial = await fit(small.features, small.labels, options);
  let left = 0;
  for (let seed = 1; seed <= 8; seed++) {
    const next = uniforms(seed);
    const others = small.features.map((row) => row.map((v) => v + 4 * next() - 2));
    const { history } = await fit(others, small.labels, { ...options, initial });
    if (history[1].visits > 0) left++;
    else expect(history[1].dualObjective).toBeGreaterThan(history[0].dualObjective!);
  }
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(8);
});

test("whatever becomes of it, the model given back is no worse than the one that was given", async () => {
  let left = 0;
  for (const maxEpochs of [1, 2, 3, 50]) {
    let initial: Model<Label> = await fit(small.features, small.labels, { ...common, C: 1000, maxEpochs: 50 });
    for (let part = 0; part < 4; part++) {
      const next: Model<Label> = await fit(small.features, small.labels, { ...common, C: 1000, maxEpochs, initial });
      expect(next.certificate.dualityGap).toBeLessThanOrEqual(initial.certificate.dualityGap! * (1 + 1e-12));
      left += Number(next.history.length > 2 && next.history.at(-1)!.dualObjective! < next.history[1].dualObjective!);
      initial = next;
    }
  }
  expect(left).toBeGreaterThan(0); // back at the start, although D was higher elsewhere
});

test.each([
  ["linear", 2, 0.1, 100],
  ["linear", 5, 10, 10],
  ["rbf", 4, 1e5, 1],
] as const)("nor where rounding makes of estimates what it likes, %s %i", async (name, seed, C, factor) => {
  const { features, labels } = clouds(40, 3, 4, seed, 1.5);
  const rows = features.map((row) => row.map((v) => factor * v));
  const kernel = name === "rbf" ? ({ name, gamma: 1 } as const) : ({ name } as const);
  const options: FitOptions = { loss: "hinge", C, precision: "float32", tolerance: 1e-7, maxEpochs: 300, kernel };
  let initial = await fit(rows, labels, options);
  for (let part = 0; part < 4; part++) {
    const next: Model<Label> = await fit(rows, labels, { ...options, initial, seed: part });
    expect(next.certificate.dualityGap).toBeLessThanOrEqual(initial.certificate.dualityGap! * (1 + 1e-12));
    initial = next;
  }
});

const { features: X, labels } = clouds(1000, 20, 8, 3, 2);
/** Features that have a good deal in common, which multipliers are for. */
const features = X.map((row) => row.map((v, l) => (v + 3 + (l % 4)) / 5));

test("a fit that goes on further gets further than from the point that was given back", async () => {
  const options: FitOptions = { ...common, C: 30, maxEpochs: 90 };
  const initial = await fit(features, labels, { ...options, maxEpochs: 6 });
  const further = await fit(features, labels, { ...options, initial });
  const bare = await fit(features, labels, { ...options, initial: load(initial.toBytes({ duals: true })) });
  expect(further.history[1].visits).toBe(0);
  const reached = ({ history }: Model): number => Math.max(...history.map((record) => record.dualObjective!));
  expect(reached(further)).toBeGreaterThan(0.9 * reached(bare));
});

test("a round is taken back to the evaluation before it, not to the best one", async () => {
  const options: FitOptions = { ...common, C: 30, tolerance: 1e-6 };
  let tried = 0;
  for (const maxEpochs of [4, 6, 8, 10, 12, 15, 20]) {
    const initial = await fit(features, labels, { ...options, maxEpochs });
    const reached = Math.max(...initial.history.map((record) => record.dualObjective!));
    if (!(reached > 1.0001 * initial.certificate.dualObjective!)) continue;
    const { move } = ResidentMultipliers.prototype;
    vi.spyOn(ResidentMultipliers.prototype, "move").mockImplementation(function (this: ResidentMultipliers, end) {
      return move.call(this, end) + 1e9; // as if D had fallen
    });
    const { history } = await fit(features, labels, { ...options, initial, maxEpochs: 60 });
    vi.restoreAllMocks();
    if (!(history[1].dualityGap! > history[0].dualityGap!)) continue;
    tried++;
    expect(history[2].dualObjective).toBeGreaterThanOrEqual(history[1].dualObjective! * (1 - 1e-9));
  }
  expect(tried).toBeGreaterThan(0);
});

/** Of top-k hinge losses the last bit may change: their domains are no simplex or box, whose bounds a repair keeps as they are. */
const kept = allLosses.filter(({ loss }) => !loss.endsWith("topk-hinge"));

test.each(kept.map((spec) => [nameOf(spec), spec] as const))(
  "without a step no dual variable changes: %s",
  async (_, spec) => {
    for (let seed = 1; seed <= 6; seed++) {
      const { features, labels } = clouds(30, 3, 12, seed, 3);
      for (const precision of ["float32", "float64"] as const) {
        const options = { ...optionsOf(spec), C: 0.1 + seed / 7, precision, tolerance: 0 } as FitOptions<Label>;
        const initial = await fit(features, labels, { ...options, maxEpochs: 3 });
        const { dualVariables } = await fit(features, labels, { ...options, initial, maxEpochs: 0 });
        expect(dualVariables).toEqual(initial.dualVariables);
      }
    }
  },
);
