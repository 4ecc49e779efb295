import { describe, expect, test } from "vitest";
import { EPS, expectAtMost, expectVectorWithin, expectWithin, maxAbs } from "../helpers/expect.ts";
import { knapsackCases, lossSpecOf, type LossCase } from "../helpers/vectors.ts";
import simplexInclusive from "../vectors/A11_topk_simplex_inclusive.json" with { type: "json" };
import cone from "../vectors/A4_topk_cone.json" with { type: "json" };
import simplexAlpha from "../vectors/A5_topk_simplex_alpha.json" with { type: "json" };
import simplexBeta from "../vectors/A6_topk_simplex_beta.json" with { type: "json" };
import entropicCases from "../vectors/A8a_entropic_simplex.json" with { type: "json" };
import entropyLossCases from "../vectors/A8b_topk_entropy_loss.json" with { type: "json" };
import entropyStepCases from "../vectors/A8c_topk_entropy_update.json" with { type: "json" };
import lambert from "../vectors/A9_lambert_v.json" with { type: "json" };
import lossCases from "../vectors/B1_losses.json" with { type: "json" };
import conjugateCases from "../vectors/B2_conjugates.json" with { type: "json" };
import trainingCases from "../vectors/C1_training_linear.json" with { type: "json" };
import { doubleAt, lastWhere, ordinal } from "./bisect.ts";
import { conjugate } from "./conjugates.ts";
import { entropicSimplex } from "./entropicSimplex.ts";
import { knapsack } from "./knapsack.ts";
import { lambertWExp, solveEntropic } from "./lambert.ts";
import { lossGradient, lossValue } from "./losses.ts";
import { certify, infeasibility, primalObjective, weightsOf } from "./objective.ts";
import { softmaxStep } from "./softmaxStep.ts";
import { sum } from "./sum.ts";
import { topKEntropy } from "./topKEntropy.ts";
import { topKCone, topKSimplex } from "./topKSimplex.ts";

describe("building blocks", () => {
  test("doubles are numbered in order, without gaps at 0 and at powers of two", () => {
    const ascending = [-Infinity, -1, -Number.MIN_VALUE, 0, Number.MIN_VALUE, 1, 1 + EPS, Number.MAX_VALUE, Infinity];
    for (let j = 1; j < ascending.length; j++) expect(ordinal(ascending[j]) > ordinal(ascending[j - 1])).toBe(true);
    for (const x of ascending) expect(doubleAt(ordinal(x))).toBe(x);
    expect(ordinal(Number.MIN_VALUE)).toBe(1n);
    expect(ordinal(-Number.MIN_VALUE)).toBe(-1n);
    expect(doubleAt(ordinal(1) + 1n)).toBe(1 + EPS);
  });

  test("bisection finds the last double before the change", () => {
    expect(lastWhere((x) => x <= 0.1, -1e300, 1e300)).toBe(0.1);
    expect(lastWhere((x) => x < 0, -1, 1)).toBe(-Number.MIN_VALUE);
    expect(lastWhere(() => true, 0, 2)).toBe(2);
    expect(lastWhere(() => false, 0, 2)).toBe(0);
  });

  test("sums keep what the plain sum drops", () => {
    expect(sum([1e100, 1, -1e100])).toBe(1);
    expect(sum([1, 1e100, 1, -1e100])).toBe(2);
    expect(sum([])).toBe(0);
    expect(sum([1, Infinity])).toBe(Infinity);
  });
});

describe("projections against the stored exact answers", () => {
  test.each(knapsackCases)("knapsack, %s", (_, cases) => {
    for (const { name, a, options, x, atol } of cases) {
      const got = knapsack(a, options);
      if (x === null) expect(got, name).toBeNull();
      else expectVectorWithin(got as number[], x, atol, name);
    }
  });

  test("top-k cone", () => {
    for (const { name, a, k, rho, x, atol } of cone) expectVectorWithin(topKCone(a, { k, rho }), x, atol, name);
  });

  test.each([
    ["alpha" as const, simplexAlpha],
    ["alpha-inclusive" as const, simplexInclusive],
    ["beta" as const, simplexBeta],
  ])("top-k simplex %s", (variant, cases) => {
    for (const { name, a, k, r, rho, x, atol } of cases) {
      expectVectorWithin(topKSimplex(a, { k, radius: r, rho, variant }), x, atol, name);
    }
  });
});

describe("Lambert function", () => {
  test("stored exact answers", () => {
    for (const { name, t, V, rtol } of lambert) {
      // One more spacing of the subnormal numbers, where a relative error has no meaning.
      expectWithin(lambertWExp(t), V, rtol * V + Number.MIN_VALUE, name);
    }
  });

  test("limits", () => {
    expect(lambertWExp(-Infinity)).toBe(0);
    expect(lambertWExp(-800)).toBe(0);
    expect(lambertWExp(Infinity)).toBe(Infinity);
    expect(solveEntropic(0, 2)).toBe(Math.exp(2));
  });
});

describe("softmax step", () => {
  test("satisfies the optimality conditions, whatever the scale of b and alpha", () => {
    for (const alpha of [0, 1e-300, 1e-6, 0.3, 1, 40, 1e6]) {
      for (const b of [[0.4], [0, 0, 0], [1, -2, 3, 0.5], [50, -50, 49], [1e4, -1e4], [-1e6, -1e6 - 1]]) {
        const { z, oneMinusS } = softmaxStep(b, alpha);
        const point = [...z, oneMinusS];
        const sides = [...b, alpha];
        expectWithin(sum(point), 1, 8 * point.length * EPS, "sum");
        // alpha z_j + log z_j - b_j is the same for all: compared with the largest coordinate.
        const top = point.indexOf(Math.max(...point));
        const scale = 1 + maxAbs(sides);
        point.forEach((zj, j) => {
          if (zj < Number.MIN_VALUE / EPS) return; // subnormal
          const difference = alpha * (zj - point[top]) + Math.log(zj / point[top]) - (sides[j] - sides[top]);
          expectAtMost(Math.abs(difference), 16 * EPS * scale, `b ${b}, alpha ${alpha}, entry ${j}`);
        });
      }
    }
  });

  test("alpha = 0 is softmax, and its optimal value the loss", () => {
    const { z, oneMinusS } = softmaxStep([2, -1], 0);
    const total = Math.exp(2) + Math.exp(-1) + 1;
    expectVectorWithin([...z, oneMinusS], [Math.exp(2) / total, Math.exp(-1) / total, 1 / total], 4 * EPS);
  });
});

describe("entropic projections against the stored exact answers", () => {
  test("entropic simplex", () => {
    for (const { name, a, r, hi, x, rtol, atol } of entropicCases) {
      const got = entropicSimplex(a, { radius: r, hi: hi ?? Infinity }) as number[];
      expectVectorWithin(got, x, (entry) => atol + rtol * Math.abs(entry), name);
    }
    expect(entropicSimplex([1, 2], { hi: 0.4 })).toBeNull();
  });

  test("top-k entropy loss", () => {
    for (const { name, a, k, variant, loss, x, one_minus_s, rtol, atol } of entropyLossCases) {
      const { z, oneMinusS } = topKEntropy(a, { k, alpha: 0, variant: variant as "alpha" | "beta" });
      expectVectorWithin(z, x, (entry) => atol + rtol * Math.abs(entry), `${name} x`);
      if (one_minus_s !== null) expectWithin(oneMinusS, one_minus_s, rtol * one_minus_s, `${name} 1 - s`);
      const spec = { loss: "topk-entropy" as const, k, variant: variant as "alpha" | "beta" };
      expectWithin(lossValue(spec, [0, ...a], 0), loss, atol + rtol * Math.abs(loss), `${name} loss`);
    }
  });

  test("top-k entropy step", () => {
    for (const { name, b, k, alpha, variant, x, one_minus_s, rtol, atol } of entropyStepCases) {
      const { z, oneMinusS } = topKEntropy(b, { k, alpha, variant: variant as "alpha" | "beta" });
      expectVectorWithin(z, x, (entry) => atol + rtol * Math.abs(entry), `${name} x`);
      if (one_minus_s !== null) expectWithin(oneMinusS, one_minus_s, atol + rtol * one_minus_s, `${name} 1 - s`);
    }
  });

  test("k = 1 is the softmax step, found by another search", () => {
    for (const alpha of [0, 1e-6, 0.3, 40, 1e6]) {
      for (const b of [[0.4], [1, -2, 3, 0.5], [50, -50, 49], [1e4, -1e4]]) {
        const wanted = softmaxStep(b, alpha);
        for (const variant of ["alpha", "beta"] as const) {
          const got = topKEntropy(b, { k: 1, alpha, variant });
          const tolerance = 32 * b.length * EPS * (1 + maxAbs(b));
          expectVectorWithin(got.z, wanted.z, tolerance, `b ${b}, alpha ${alpha}`);
          expectWithin(got.oneMinusS, wanted.oneMinusS, tolerance, `b ${b}, alpha ${alpha}, 1 - s`);
        }
      }
    }
  });
});

describe("one-vs-all losses by hand", () => {
  test("values, slopes and conjugates", () => {
    const u = [0.5, -2, 0, -0.75]; // true class 0: t u = 0.5, 2, 0, 0.75
    expect(lossValue({ loss: "ova-hinge" }, u, 0)).toBe(0.5 + 0 + 1 + 0.25);
    expect(lossGradient({ loss: "ova-hinge" }, u, 0)).toEqual([-1, 0, 1, 1]);
    expect(lossValue({ loss: "ova-hinge", gamma: 0.5 }, u, 0)).toBe(0.25 + 0 + 0.75 + 0.0625);
    expect(lossGradient({ loss: "ova-hinge", gamma: 0.5 }, u, 0)).toEqual([-1, 0, 1, 0.5]);
    expectWithin(lossValue({ loss: "ova-logistic" }, [0, 0], 1), 2 * Math.LN2, EPS);
    expectVectorWithin(lossGradient({ loss: "ova-logistic" }, [Math.log(3), 0], 0), [-0.25, 0.5], EPS);
    expect(conjugate({ loss: "ova-hinge" }, [-1, 0, 0.5], 0)).toBe(-1.5);
    expect(conjugate({ loss: "ova-hinge", gamma: 1 }, [-1, 0, 0.5], 0)).toBe(-1.5 + 0.625);
    expect(conjugate({ loss: "ova-hinge" }, [0.5, 0, 0], 0)).toBe(Infinity);
    expect(conjugate({ loss: "ova-hinge" }, [0, 0, 1.5], 0)).toBe(Infinity);
    expectWithin(conjugate({ loss: "ova-logistic" }, [-0.5, 0.5], 0), -2 * Math.LN2, 2 * EPS);
    expect(conjugate({ loss: "ova-logistic" }, [-1, 0], 0)).toBe(0);
  });

  test("Fenchel and Young: equality at the gradient, inequality elsewhere", () => {
    const points = [-40, -3, -1, -0.3, 0, 0.4, 0.9, 1.1, 6, 40];
    for (const spec of [
      { loss: "ova-hinge" as const },
      { loss: "ova-hinge" as const, gamma: 0.7 },
      { loss: "ova-logistic" as const },
    ]) {
      for (const u of points) {
        for (const other of points) {
          const slope = lossGradient(spec, [other, 0], 0);
          const left = lossValue(spec, [u, 0], 0) + conjugate(spec, slope, 0);
          expectAtMost(u * slope[0] - left, 8 * EPS * (1 + Math.abs(u)), `${spec.loss} at ${u}, slope at ${other}`);
          if (u === other) expectWithin(left, u * slope[0], 8 * EPS * (1 + Math.abs(u)), `${spec.loss} at ${u}`);
        }
      }
    }
  });
});

describe("losses against the stored exact answers", () => {
  test("values and gradients", () => {
    let compared = 0;
    for (const { name, u, y, value, grad, atol, rtol, ...which } of lossCases) {
      const spec = lossSpecOf(which as LossCase);
      if (spec === null) continue;
      expectWithin(lossValue(spec, u, y as number), value, atol + rtol * Math.abs(value), `${name} value`);
      if (grad !== null) {
        expectVectorWithin(
          lossGradient(spec, u, y as number),
          grad,
          (entry) => atol + rtol * Math.abs(entry),
          `${name} gradient`,
        );
      }
      compared++;
    }
    expect(compared).toBe(504);
  });

  test("conjugates", () => {
    let compared = 0;
    for (const { name, v, y, finite, value, atol, ...which } of conjugateCases) {
      const spec = lossSpecOf(which as LossCase);
      if (spec === null) continue;
      const got = conjugate(spec, v, y as number, spec.rankWeights ? 8 * EPS : 0); // their sums are rounded
      if (finite) expectWithin(got, value as number, atol, name);
      else expect(got, name).toBe(Infinity);
      compared++;
    }
    expect(compared).toBe(504);
  });
});

describe("objectives", () => {
  /** Ours is theirs divided by lambda: C = 1/(lambda n), W is the transpose. */
  const problems = trainingCases.flatMap(({ name, X, y, W, P, lam, m, W_err_bound, rtol, ...which }) => {
    const loss = lossSpecOf(which as LossCase);
    if (loss === null) return [];
    const weights = Array.from({ length: m }, (_, j) => W.map((row) => row[j]));
    const problem = { features: X, labelIndex: y as number[], weights, C: 1 / (lam * X.length), loss };
    return [{ name, problem, primal: P / lam, rtol, distance: W_err_bound }];
  });

  test("primal value at the stored optima", () => {
    expect(problems.length).toBeGreaterThan(50);
    for (const { name, problem, primal, rtol } of problems) {
      const { features, labelIndex, weights, C, loss } = problem;
      expectWithin(primalObjective(features, labelIndex, weights, C, loss), primal, rtol * primal, name);
    }
  });

  test("smooth losses: the dual point -C_i grad L_i of the optimum is feasible, gives the optimum back and closes the gap", () => {
    let checked = 0;
    for (const { name, problem, distance } of problems) {
      const { features, labelIndex, weights, C, loss } = problem;
      if (loss.gamma === 0) continue;
      const duals = features.map((x, i) => {
        const scores = weights.map((row) => sum(row.map((weight, f) => weight * x[f])));
        return lossGradient(loss, scores, labelIndex[i]).map((entry) => -C * entry);
      });
      const got = certify({ ...problem, duals });
      expectAtMost(got.infeasibility, 8 * weights.length * EPS, `${name} infeasibility`);
      expectAtMost(-got.gap, 8 * EPS * features.length * got.primal, `${name} negative gap`);
      // W - A^T X is the gradient of P, whose norm is `distance`, and Fenchel equality makes the gap half its square.
      const rounding = 8 * EPS * features.length;
      expectAtMost(got.linkError, distance + rounding * C * maxAbs(features.flat()), `${name} link`);
      expectAtMost(got.gap, distance ** 2 / 2 + rounding * got.primal, `${name} gap`);
      checked++;
    }
    expect(checked).toBeGreaterThan(20);
  });

  test("a dual variable outside its domain shows, in units of C_i", () => {
    const hinge = { loss: "hinge" as const };
    expect(infeasibility([[-1, 2, -1]], [1], 2, hinge)).toBe(0);
    expect(infeasibility([[-2, 4, -2]], [1], 2, hinge)).toBe(1);
    expect(infeasibility([[1, -1, 0]], [1], [4], hinge)).toBe(0.25);
    expect(infeasibility([[-1, 0, 0]], [1], 1, hinge)).toBe(1);
    expect(infeasibility([[-1, 1, 0]], [1], 1, { loss: "topk-hinge", k: 2 })).toBe(0.5);
    expect(infeasibility([[-1, 1, 0]], [1], 1, { loss: "topk-hinge", k: 2, variant: "alpha-inclusive" })).toBe(0.5);
    expect(infeasibility([[-0.5, 0.5, 0]], [1], 1, { loss: "topk-hinge", k: 2, variant: "beta" })).toBe(0);
    expect(infeasibility([[-1, 1, 0]], [1], 1, { loss: "topk-entropy", k: 2 })).toBe(0.5);
    expect(infeasibility([[-0.5, 0.5, 0]], [1], 1, { loss: "topk-entropy", k: 2, variant: "beta" })).toBe(0);
    for (const loss of ["ova-hinge", "ova-logistic"] as const) {
      expect(infeasibility([[-2, 1, -2]], [1], 2, { loss })).toBe(0);
      expect(infeasibility([[-2, -1, -2]], [1], 2, { loss })).toBe(0.5);
      expect(infeasibility([[1, 1, -2]], [1], 2, { loss })).toBe(0.5);
      expect(infeasibility([[-3, 1, -2]], [1], 2, { loss })).toBe(0.5);
      expect(infeasibility([[-2, 3, -2]], [1], 2, { loss })).toBe(0.5);
    }
  });

  test("weights that do not belong to the dual point show", () => {
    const features = [
      [1, 2],
      [3, 4],
    ];
    const duals = [
      [1, -1],
      [-2, 2],
    ];
    expect(weightsOf(duals, features)).toEqual([
      [-5, -6],
      [5, 6],
    ]);
    const weights = [
      [-5, -6],
      [5, 6.5],
    ];
    const problem = { features, duals, weights, labelIndex: [0, 1], C: 2, loss: { loss: "hinge" as const } };
    expect(certify(problem).linkError).toBe(0.5);
  });
});
