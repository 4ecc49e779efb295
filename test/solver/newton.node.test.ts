import { expect, test, vi } from "vitest";
import { resolveLoss } from "../../src/losses.ts";
import { Pacer } from "../../src/pace/pace.ts";
import { dot } from "../../src/solver/linearAlgebra.ts";
import { Newton } from "../../src/solver/newton.ts";
import { PrimalDescent, type Point } from "../../src/solver/primalDescent.ts";
import { groupsOf } from "../../src/solver/sampling.ts";
import type { SolverParts } from "../../src/solver/solver.ts";
import { clouds } from "../helpers/data.ts";
import { copyOf, openProblem } from "../helpers/problem.ts";

// Of scales that the preconditioner does not know, so that directions take a few products.
const { features: points, labels } = clouds(200, 20, 5, 11);
const features = points.map((row) => row.map((v, l) => v * (l < 3 ? 4 : 0.5)));
const distance = ({ gradient }: Point): number => 0.5 * dot(gradient, gradient);

async function open() {
  const problem = await openProblem({ loss: "softmax" }, features, labels, { numClasses: 5 });
  const pacer = new Pacer("never");
  const settings = { loss: resolveLoss("test", "softmax", {}) };
  const parts = { problem, pacer, settings, interruption: () => undefined } as unknown as SolverParts;
  return { problem, descent: new PrimalDescent(problem, new Newton(parts), pacer, () => false) };
}

/** So many points from weights of zero, the last of which need only come so near. */
async function descend(points: number, enough: number): Promise<{ passes: number; distances: number[] }> {
  const { descent } = await open();
  let now = (await descent.look(new Float64Array(100)))!;
  const distances = [distance(now)];
  let before = 0;
  for (let p = 1; p <= points; p++) {
    before = descent.passes;
    now = (await descent.next(now, 100, p === points ? { distance: enough } : {}))!;
    distances.push(distance(now));
  }
  return { passes: descent.passes - before, distances };
}

test("points of Newton's method come ever nearer to where the gradient vanishes", async () => {
  const { distances } = await descend(6, 0);
  expect(distances[6]).toBeLessThan(1e-6 * distances[0]);
});

test("a point comes with its dual point, which is not made twice", async () => {
  const { problem, descent } = await open();
  const taken = vi.spyOn(problem.derivatives, "takeDualsOfGradient");
  const first = (await descent.look(Float64Array.from({ length: 100 }, (_, l) => Math.sin(l))))!;
  const duals = copyOf(problem.duals);
  expect(taken).not.toHaveBeenCalled();
  const next = (await descent.next(first, 100))!;
  expect(taken).not.toHaveBeenCalled();
  expect(copyOf(problem.duals)).not.toEqual(duals);

  await descent.takeDualPoint(next); // where it has been last
  expect(taken).not.toHaveBeenCalled();
  await descent.takeDualPoint(first);
  expect(taken).toHaveBeenCalled();
  expect(copyOf(problem.duals)).toEqual(duals);
  const times = taken.mock.calls.length;
  descent.forgetDuals();
  await descent.next(first, 100);
  expect(taken.mock.calls.length).toBeGreaterThan(times);
});

test("a direction is no better than it has to be, and as good as that", async () => {
  const whole = await descend(4, 0);
  const enough = 0.8 * whole.distances[3];
  expect(whole.distances[4]).toBeLessThan(enough / 4); // else there would be nothing to save
  const some = await descend(4, enough);
  expect(some.distances[3]).toBe(whole.distances[3]);
  expect(some.distances[4]).toBeLessThanOrEqual(enough);
  expect(some.passes).toBeLessThan(whole.passes);
});

test("with passes for a look alone there is no next point, and none that seems to be the last", async () => {
  const { problem, descent } = await open();
  const start = (await descent.look(new Float64Array(100)))!;
  expect(await descent.next(start, 1, { decrement: 0 })).toBeUndefined();
  expect(descent.passes).toBe(0);
  expect(descent.decrement).toBe(Infinity);
  expect(await descent.next(start, 2, { decrement: 0 })).toBeDefined();
  const some = groupsOf(problem.shape.numExamples, 20, 0);
  const there = (await descent.look(new Float64Array(100), { some }))!;
  expect(await descent.next(there, some.part)).toBeUndefined();
  expect(await descent.next(there, 2 * some.part)).toBeDefined(); // a look at some takes no longer than that
});

test("where examples are many, some of them stand for all, at other places each time", async () => {
  const many = clouds(6000, 4, 3, 5);
  const problem = await openProblem({ loss: "softmax" }, many.features, many.labels, { numClasses: 3 });
  const settings = { loss: resolveLoss("test", "softmax", {}) };
  const parts = { problem, pacer: new Pacer("never"), settings, interruption: () => undefined };
  const newton = new Newton(parts as unknown as SolverParts);
  const descent = new PrimalDescent(problem, newton, parts.pacer, () => false);
  const added = vi.spyOn(problem.derivatives, "addCurvature");
  let now = (await descent.look(new Float64Array(12)))!;
  const first = distance(now);
  const places: number[] = [];
  for (let p = 0; p < 8; p++) {
    added.mockClear();
    now = (await descent.next(now, 100))!;
    expect(added.mock.calls.every(([, count]) => count === 8)).toBe(true);
    places.push(added.mock.calls[0]?.[0]);
  }
  expect(distance(now)).toBeLessThan(1e-6 * first);
  expect(new Set(places).size).toBeGreaterThan(4);
  expect(descent.passes).toBeLessThan(8 * 2); // a point each, and parts of a pass

  const groups = (): number => new Set(added.mock.calls.map(([from]) => from)).size;
  const far = (await descent.look(new Float64Array(12)))!;
  added.mockClear();
  await descent.next(far, 100);
  const before = groups();
  added.mockClear();
  await descent.next(far, 100); // as if that had come no nearer
  expect(groups()).toBeGreaterThan(1.9 * before);

  expect(newton.takeAll()).toBe(true);
  expect(newton.takeAll()).toBe(false);
  added.mockClear();
  await descent.next((await descent.look(new Float64Array(12)))!, 100);
  const looked = added.mock.calls.reduce((sum, [, count]) => sum + count, 0);
  expect(looked).toBeGreaterThan(0);
  expect(looked % 6000).toBe(0);
});

test("variances that the preconditioner goes by: none of a dual variable beyond C_i, as with a class weight", async () => {
  const { features, labels } = clouds(3, 2, 3, 1);
  const problem = await openProblem({ loss: "ova-logistic" }, features, labels, { numClasses: 3 });
  problem.duals.restore(Float64Array.of(0.25, -0.5, -3, 2, -1, 0, 4, -0.125, -0.25));
  const variances = new Float64Array(3);
  problem.duals.addVariances(0, 2, Float64Array.of(1, 2, 1), variances);
  // 0.25 (1 - 0.25) and 2 (1 - 2/2); 0.5 (1 - 0.5) and 1 (1 - 1/2); 3 is beyond 1.
  expect(variances).toEqual(Float64Array.of(0.1875, 0.75, 0));
  problem.duals.addVariances(2, 1, Float64Array.of(1, 2, 0), variances);
  expect(variances).toEqual(Float64Array.of(0.1875, 0.75, 0)); // an example that counts for nothing
});
