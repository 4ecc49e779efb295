import { describe, expect, test } from "vitest";
import { isDrowned, objectives, unseenAt, widened } from "../../src/certificate.ts";
import { roundingOf } from "../../src/fit/rounding.ts";
import { resolveLoss } from "../../src/losses.ts";

/** What the sums of an evaluation prove, rounding being a part of the gap where it may matter. All numbers are exact. */

const none = {
  ...{ primalLoss: 0, dualLoss: 0, weightsNorm2: 0, dualWeightsNorm2: 0, anchorProduct: 0, excess: 0 },
  ...{ partakingCosts: 0, partakingNorms: 0 },
};

describe("the gap of two sums", () => {
  const gapOf = (primalLoss: number, dualLoss: number, unseen: number, hidden = 0): number =>
    objectives({ ...none, primalLoss, dualLoss }, { hidden, costs: 1, unseen }).dualityGap;

  test("what norms and the anchor take off", () => {
    const sums = { ...none, primalLoss: 8, dualLoss: 7, weightsNorm2: 4, dualWeightsNorm2: 6, anchorProduct: 1 };
    const found = { primalObjective: 10, dualObjective: 3, dualityGap: 7, relativeGap: 0.7 };
    expect(objectives(sums)).toEqual(found);
  });

  test("P below D shows how much rounding there is", () => {
    expect(gapOf(1, 1 + 2 ** -32, 2 ** -33)).toBe(2 ** -32);
    expect(gapOf(1, 1 + 2 ** -32, 2 ** -31)).toBe(0); // less than is looked for
    expect(gapOf(1, 1 + 2 ** -21, 2 ** -30, 2 ** -20)).toBe(2 ** -21 + 2 ** -20); // within what may be hidden
    expect(gapOf(1, 1 + 2 ** -19, 2 ** -30, 2 ** -20)).toBe(Infinity); // not within that
  });

  test("what is hidden counts where it is more than goes unseen of the objectives", () => {
    expect(gapOf(1, 0.5, 2 ** -30, 2 ** -30)).toBe(0.5);
    expect(gapOf(1, 0.5, 2 ** -30, 2 ** -29)).toBe(0.5 + 2 ** -29);
  });

  test("where both are 0, of the costs", () => {
    const at = (hidden: number) => objectives(none, { hidden, costs: 4, unseen: 2 ** -30 });
    expect(at(2 ** -28)).toMatchObject({ dualityGap: 0, relativeGap: 0 });
    expect(at(2 ** -27)).toMatchObject({ dualityGap: 2 ** -27, relativeGap: Infinity });
  });
});

test("rounding of kernel values widens a gap, and never makes it smaller than it was", () => {
  const found = { primalObjective: 1, dualObjective: 0.5, dualityGap: 0.75, relativeGap: 0.75 };
  expect(widened(found, 0.5)).toEqual({ ...found, dualityGap: 1, relativeGap: 1 });
  expect(widened(found, 0.125)).toEqual(found);
  const beyond = { primalObjective: 1, dualObjective: 2, dualityGap: Infinity, relativeGap: Infinity };
  expect(widened(beyond, 0.125)).toEqual(beyond);
});

describe("whether rounding hides the gap", () => {
  /** P = 1, with a gap of so many tolerances, and so many more by rounding. */
  const isAt = (gap: number, hidden: number): boolean => {
    const tolerance = 2 ** -10;
    const widest = (gap + hidden) * tolerance;
    const now = { primalObjective: 1, dualObjective: 1 - gap * tolerance, dualityGap: widest, relativeGap: widest };
    return isDrowned(now, tolerance);
  };

  test.each([
    [0.75, 0.75, true],
    [0.75, 0.375, false], // steps may still make up for that
    [0, 0.75, true],
    [1.25, 0.75, false], // the gap itself is too large
    [0.75, Infinity, false], // no certificate
    [0.5, 0, false],
  ])("a gap of %d tolerances and %d more: %s", (gap, hidden, drowned) => {
    expect(isAt(gap, hidden)).toBe(drowned);
  });

  test("where both objectives are 0 any gap is rounding", () => {
    const none = { primalObjective: 0, dualObjective: 0, relativeGap: Infinity };
    expect(isDrowned({ ...none, dualityGap: 2 ** -30 }, 2 ** -10)).toBe(true);
    expect(isDrowned({ ...none, dualityGap: 0, relativeGap: 0 }, 2 ** -10)).toBe(false);
  });
});

test.each([
  [1e-2, 1e-6],
  [1e-5, 1e-6],
  [1e-6, 1e-7],
  [1e-8, 1e-9],
  [1e-11, 1e-12],
  [0, 1e-12],
])("at a tolerance of %d no more than %d of the objectives goes unseen", (tolerance, unseen) => {
  expect(Math.abs(unseenAt(tolerance) - unseen)).toBeLessThanOrEqual(1e-15 * unseen);
});

interface Given {
  readonly factor?: number;
  readonly gamma?: number;
  readonly anchorNorm?: number;
  readonly primalLoss?: number;
  readonly summands?: readonly number[];
  readonly dualLoss?: number;
  /** Of a kernel; 0 for none. */
  readonly roundings?: number;
}

describe("what rounding may hide, in units of 2^-54 for each score of a hinge", () => {
  const reach = { count: 16, largestNorm: 5, factor: 1, costs: 3, weightedNorms: 5 };
  /** Of examples that partake with costs 3 and norms 5 together, at weights with ||W|| = 2. */
  const unitsOf = (name: string, given: Given): number => {
    const { factor = 1, gamma = 0, anchorNorm = 0, primalLoss = 0, dualLoss = 0, summands } = given;
    const { roundings = summands && 1 } = given;
    const options = { ...(gamma > 0 && { gamma }) };
    const origin = { kernel: roundings ? { roundings } : undefined, numClasses: 9, anchorNorm };
    const rounding = roundingOf(resolveLoss("test", name, options), { ...reach, factor }, origin, 1e-3);
    const sums = { ...none, primalLoss, dualLoss, weightsNorm2: 4, partakingCosts: 3, partakingNorms: 5 };
    return rounding.hidden(sums, summands && Float64Array.from(summands)) * 2 ** 54;
  };

  /** P - D = 2^-10. */
  const gap = { primalLoss: 1, dualLoss: 3 - 2 ** -10 };
  const root = (v: number): number => Math.sqrt(v * 2 ** -10);

  test.each([
    ["a hinge", "hinge", {}, 23], // 3 + 2 ||W|| 5
    ["one-vs-all, two classes", "ova-hinge", {}, 2 * 23],
    ["weights of labels or ranks", "hinge", { factor: 3 }, 3 * 2 * 23],
    ["around an anchor of norm 1", "hinge", { anchorNorm: 1 }, 2 * (3 + 6 * 5)],
    ["a kernel of 16 examples", "hinge", { summands: [1, 7, 4] }, 4 * (3 + 11 * 5)],
    ["a kernel that is a cube", "hinge", { summands: [1, 7, 4], roundings: 3 }, 3 * 4 * (3 + 11 * 5)],
    ["smoothed, the slopes of 8 margins of 42 units", "hinge", { gamma: 2 ** -45 }, (42 / 64) * 2 * 23],
    ["smoothed, and those of losses", "hinge", { gamma: 1, primalLoss: 6 / 32 ** 2 }, (Math.sqrt(8) * 2 * 21 * 6) / 32],
    ["smoothed a little, no more than without", "hinge", { gamma: 1e-9, primalLoss: 1 }, 2 * 23],
    ["softmax, by its loss", "softmax", { primalLoss: 0.5 }, 2 * 2 * 5 * 0.5],
    ["one-vs-all logistic likewise", "ova-logistic", { primalLoss: 0.5 }, 2 * 2 * 5 * 0.5],
    ["softmax of a kernel, by its curvature", "softmax", { ...gap, summands: [1, 7, 4] }, 4 * 11 * 5 * root(2 * 3)],
    ["one-vs-all likewise, all classes", "ova-logistic", { ...gap, summands: [1, 7, 4] }, 4 * 12 * 5 * root(2 * 3)],
    ["a smoothed hinge likewise", "hinge", { ...gap, gamma: 4, summands: [1, 7, 4] }, 4 * 56 * root((8 * 2 * 3) / 4)],
    ["no more than by its slope", "softmax", { primalLoss: 9, summands: [1, 7, 4] }, 4 * 11 * 5],
    ["the norm of weights", "softmax", { summands: [12, 16, 0], roundings: 0 }, 4 * 20 * 2],
  ] as const)("%s", (_, name, options, units) => {
    expect(unitsOf(name, options as Given) / units).toBeCloseTo(1, 9);
  });
});
