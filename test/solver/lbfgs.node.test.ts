import { expect, test } from "vitest";
import { Lbfgs } from "../../src/solver/lbfgs.ts";
import { addScaled, dot } from "../../src/solver/linearAlgebra.ts";
import type { Point } from "../../src/solver/primalDescent.ts";
import { normals } from "../helpers/data.ts";

const size = 6;

/** Directions that have come to a point by steps along which the gradient has changed by anything, as across kinks, and hardly along the step. */
async function acrossKinks(vector: () => Float64Array): Promise<(gradient: Float64Array) => Promise<Float64Array>> {
  const directions = new Lbfgs();
  let point: Point = { weights: vector(), value: 0, gradient: vector() };
  for (let steps = 0; steps < 3; steps++) {
    await directions.direction(point);
    const [weights, gradient] = [point.weights.slice(), point.gradient.slice()];
    const [step, change] = [vector(), vector()];
    addScaled(change, 1e-8 - dot(step, change) / dot(step, step), step);
    addScaled(weights, 1, step);
    addScaled(gradient, 1, change);
    point = { weights, value: 0, gradient };
  }
  await directions.direction(point);
  return (gradient) => directions.direction({ ...point, gradient });
}

test("no direction points uphill, whatever rounding makes of pairs across kinks", async () => {
  for (let seed = 1; seed <= 40; seed++) {
    const normal = normals(seed);
    const vector = (): Float64Array => Float64Array.from({ length: size }, normal);
    const directionAt = await acrossKinks(vector);
    // At a gradient across the way that all directions take from there.
    const way = await directionAt(vector());
    const gradient = vector();
    for (let turn = 0; turn < 2; turn++) addScaled(gradient, -dot(way, gradient) / dot(way, way), way);
    expect(dot(await directionAt(gradient), gradient), `seed ${seed}`).toBeLessThan(0);
  }
});

test.each([
  ["falls", [0, -1]],
  ["does not change", [5, 0]],
  ["changes by rounding", [5, 1e-14]],
])("a step along which the slope %s tells nothing of the curvature", async (_, change) => {
  const directions = new Lbfgs();
  // The slope has risen by 4 along a step of 1: the inverse Hessian is taken for a quarter.
  const points = [
    { weights: [0, 0], gradient: [-8, 3] },
    { weights: [1, 0], gradient: [-4, 3] },
    { weights: [1, 1], gradient: [-4 + change[0], 3 + change[1]] },
  ];
  let direction: Float64Array = Float64Array.of();
  for (const { weights, gradient } of points) {
    const point = { weights: Float64Array.from(weights), value: 0, gradient: Float64Array.from(gradient) };
    direction = await directions.direction(point);
  }
  expect([...direction]).toEqual(points[2].gradient.map((v) => -v / 4));
});

test("of a long way only the last ten steps count", async () => {
  const normal = normals(1);
  const points = Array.from({ length: 30 }, () => {
    const weights = Float64Array.from({ length: size }, normal);
    return { weights, value: 0, gradient: weights.map((w, l) => (l + 1) * w) };
  });
  const endOf = async (way: readonly Point[]): Promise<Float64Array> => {
    const directions = new Lbfgs();
    let end: Float64Array = Float64Array.of();
    for (const point of way) end = await directions.direction(point);
    return end;
  };
  expect(await endOf(points)).toEqual(await endOf(points.slice(-11)));
  expect(await endOf(points)).not.toEqual(await endOf(points.slice(-10)));
});
