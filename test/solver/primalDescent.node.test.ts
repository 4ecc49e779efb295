import { expect, test } from "vitest";
import { Pacer } from "../../src/pace/pace.ts";
import { addScaled } from "../../src/solver/linearAlgebra.ts";
import { PrimalDescent } from "../../src/solver/primalDescent.ts";
import { clouds } from "../helpers/data.ts";
import { openProblem } from "../helpers/problem.ts";

const { features, labels } = clouds(60, 5, 4, 2);

/** A descent whose directions are so many times the gradient, and where it begins. */
async function open(times: number) {
  const problem = await openProblem({ loss: "softmax" }, features, labels, { numClasses: 4 });
  const directions = {
    ...{ passes: 0, onDuals: false },
    direction: ({ gradient }: { gradient: Float64Array }) => Promise.resolve(gradient.map((v) => times * v)),
  };
  const descent = new PrimalDescent(problem, directions, new Pacer("never"), () => false);
  return { descent, start: (await descent.look(new Float64Array(20)))! };
}

test("a search along a short direction doubles it, and gives the last point that it has passes for", async () => {
  const { descent, start } = await open(-1e-6);
  const next = (await descent.next(start, 5))!;
  expect(descent.passes).toBe(5);
  const furthest = start.weights.slice();
  for (let trial = 0; trial < 5; trial++) {
    furthest.set(start.weights);
    addScaled(furthest, -1e-6 * 2 ** trial, start.gradient);
    expect((await descent.look(furthest))!.value).toBeGreaterThanOrEqual(next.value);
  }
  expect(next.weights).toEqual(furthest);
  expect(next.value).toBeLessThan(start.value);
});

test("along a direction that leads up there is no point", async () => {
  const { descent, start } = await open(1e-6);
  expect(await descent.next(start, 5)).toBeUndefined();
  expect(descent.passes).toBe(5);
});
