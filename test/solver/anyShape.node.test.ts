import { expect, test } from "vitest";
import { fit, type Certificate, type FitOptions, type HistoryRecord } from "../../src/index.ts";
import { expectNeverFalls, recompute, recordsOnTheWay } from "../helpers/certified.ts";
import { recomputeSets } from "../helpers/certifiedSets.ts";
import { csrOf } from "../helpers/csr.ts";
import { normals, uniforms } from "../helpers/data.ts";
import { allLosses, nameOf, optionsOf } from "../helpers/losses.ts";
import type { SetLossSpec } from "../reference/multilabel.ts";

/**
 * Which kernels a fit runs depends on its shape: blocks and tiles of classes, lists or none, dense rows, with many zeros or sparse ones, numbers
 * of 16 bits. Whatever they are, its certificate is what the model's weights and dual variables say, and D has not fallen on the way.
 */

/** About whole tiles and a few more. */
const COUNTS = [
  2, 3, 4, 5, 11, 12, 13, 20, 29, 30, 31, 32, 33, 44, 61, 62, 63, 64, 65, 94, 95, 96, 97, 125, 126, 127, 128, 129, 255,
  256, 259,
];
const COLUMNS = [1, 2, 3, 17, 31, 32, 33, 64, 67, 100]; // prettier-ignore
const DENSITIES = [0.02, 0.12, 0.3, 0.45, 0.7, 1];
/** Of D, by rounding: between evaluations on the way, which take W as the steps have left it, and the last. */
const FALL = { float32: 1e-6, float64: 1e-14 };

/** Numbers of a seed, and one of a list as they have it. */
function draws(seed: number) {
  const [uniform, normal] = [uniforms(seed), normals(seed + 100)];
  return { uniform, normal, oneOf: <T>(list: readonly T[]): T => list[Math.floor(uniform() * list.length)] };
}

test.each([1, 2, 3, 4])("certificates of random problems, recomputed: seed %s", async (seed) => {
  const { uniform, normal, oneOf } = draws(seed);
  for (let e = 0; e < 60; e++) {
    const [m, d, density] = [oneOf(COUNTS), oneOf(COLUMNS), oneOf(DENSITIES)];
    const n = 3 + Math.floor(100 * uniform() ** 2);
    const spec = oneOf(allLosses.filter(({ k = 1, rankWeights }) => Math.max(k, rankWeights?.length ?? 1) < m));
    const [C, precision, sparse] = [10 ** (6 * uniform() - 4), oneOf(["float32", "float64"] as const), uniform() < 0.3];
    const interceptScale = uniform() < 0.5 ? 0.5 + uniform() : 0;
    const [scale, shift] = [10 ** (2 * uniform() - 1), uniform() < 0.3 ? 5 * uniform() : 0];
    const labels = Array.from({ length: n }, (_, i) => (i * 7 + (uniform() < 0.2 ? 1 : 0)) % m);
    const centre = (y: number, l: number): number => Math.sin(y * 12.9 + l * 78.2);
    const features = labels.map((y) =>
      Array.from({ length: d }, (_, l) => (uniform() < density ? scale * (shift + centre(y, l) + 0.7 * normal()) : 0)),
    );
    const options = {
      ...{ ...optionsOf(spec), C, precision, tolerance: 10 ** (-1 - 3 * uniform()), maxEpochs: 40 },
      ...(interceptScale > 0 ? { interceptScale } : { intercept: false }),
      classes: Array.from({ length: m }, (_, j) => j),
    } as FitOptions;
    const model = await fit(sparse ? csrOf(features) : features, labels, options);
    const found = recompute(model, { features, labels, loss: spec, C, precision, interceptScale });
    const which = `${nameOf(spec)}, n ${n}, d ${d}, m ${m}, density ${density}, C ${C}, ${precision}, sparse ${sparse}, scale ${scale}, shift ${shift}, intercept ${interceptScale}`;
    expectFound(model, { ...found, sum: C * n, precision }, which);
    expect(found.infeasibility, which).toBeLessThanOrEqual(1e-13);
  }
});

const setLosses: SetLossSpec[] = [
  ...[0, 0.5].flatMap((gamma): SetLossSpec[] => [
    { loss: "multilabel-hinge", gamma },
    { loss: "ova-hinge", gamma },
  ]),
  { loss: "multilabel-softmax" },
  { loss: "ova-logistic" },
];

test.each([1, 2])("certificates of random problems of label sets, recomputed: seed %s", async (seed) => {
  const { uniform, normal, oneOf } = draws(seed + 10);
  for (let e = 0; e < 60; e++) {
    const [m, d, density] = [oneOf(COUNTS), oneOf(COLUMNS), oneOf(DENSITIES)];
    const n = 3 + Math.floor(100 * uniform() ** 2);
    const [loss, often] = [oneOf(setLosses), oneOf([0.02, 0.3, 0.9])];
    const [C, precision, sparse] = [10 ** (6 * uniform() - 4), oneOf(["float32", "float64"] as const), uniform() < 0.3];
    const features = Array.from({ length: n }, () =>
      Array.from({ length: d }, () => (uniform() < density ? normal() : 0)),
    );
    const classes = Array.from({ length: m }, (_, j) => j);
    // Some are empty, and some hold every class.
    const sets = features.map((x) => classes.filter((j) => uniform() < often * (1 + 0.5 * Math.sin(j + 3 * x[0]))));
    const sampleWeight = features.map(() => oneOf([0.5, 1, 3]));
    const costs = sampleWeight.map((weight) => C * weight);
    const options = {
      ...{ ...loss, C, precision, sampleWeight, classes, intercept: uniform() < 0.5 },
      ...{ tolerance: 10 ** (-1 - 3 * uniform()), maxEpochs: 40 },
    } as FitOptions;
    const model = await fit(sparse ? csrOf(features) : features, sets, options);
    const found = recomputeSets(model, { features, sets, loss, costs, precision });
    const which = `${loss.loss}, gamma ${loss.gamma}, n ${n}, d ${d}, m ${m}, density ${density}, C ${C}, ${precision}, sparse ${sparse}, often ${often}`;
    expectFound(model, { ...found, sum: C * n, precision }, which);
  }
});

interface Found {
  primal: number;
  dual: number;
  /** Of all C_i, about. */
  sum: number;
  precision: "float32" | "float64";
}

/** Holds a certificate against the objectives that were found, and the records of the fit against each other. */
function expectFound(
  model: { certificate: Certificate; history: readonly Pick<HistoryRecord, "epoch" | "dualObjective">[] },
  { primal, dual, sum, precision }: Found,
  which: string,
): void {
  const { primalObjective, dualObjective, relativeGap, status, tolerance } = model.certificate;
  const rounding = 1e-12 * (primalObjective + sum);
  expect(Math.abs(primal - primalObjective), `P of ${which}`).toBeLessThanOrEqual(rounding);
  expect(Math.abs(dual - dualObjective!), `D of ${which}`).toBeLessThanOrEqual(rounding);
  expect(status === "solved", which).toBe(relativeGap! <= tolerance);
  expectNeverFalls(recordsOnTheWay(model), FALL[precision], `fall of D of ${which}`);
}
