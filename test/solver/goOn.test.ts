import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { fit, init, load, type FitOptions, type Model } from "../../src/index.ts";
import { InteriorPoint } from "../../src/solver/interiorPoint.ts";
import { normals, uniforms } from "../helpers/data.ts";
import { untimed } from "../helpers/untimed.ts";

/**
 * Fits in parts, each from the model of the one before. Without smoothing P is far from its least for long, and the smallest gap often that of an
 * early point: it is given back, but steps go on from where they had come to.
 */

beforeAll(() => init());
/** Parts as short as these are all steps: an interior point method solves the whole in no time. */
const suits = vi.spyOn(InteriorPoint, "suits").mockReturnValue(false);
afterAll(() => suits.mockRestore());

const uniform = uniforms(5);
const labels = Array.from({ length: 12 }, (_, i) => i % 3);
const features = labels.map(() => Array.from({ length: 3 }, () => 4 * uniform() - 2));

/** The last model of so many parts, or the first that is solved, and the epochs of all. */
async function inParts(parts: number, options: FitOptions): Promise<{ model: Model; epochs: number; gaps: number[] }> {
  let model: Model | undefined;
  const gaps: number[] = [];
  let epochs = 0;
  for (let seed = 0; seed < parts && model?.certificate.status !== "solved"; seed++) {
    model = await fit(features, labels, { ...options, seed, initial: model });
    gaps.push(model.certificate.dualityGap!);
    epochs += model.certificate.epochs;
  }
  return { model: model!, epochs, gaps };
}

describe.each<[string, FitOptions]>([
  ["hinge", { loss: "hinge", C: 1000, precision: "float64" }],
  ["float32", { loss: "hinge", C: 300 }],
  ["topk-hinge", { loss: "topk-hinge", k: 2, C: 1000, precision: "float64" }],
  ["a kernel", { loss: "hinge", C: 300, precision: "float64", kernel: { name: "linear" } }],
])("%s", (_, options) => {
  test("is solved in parts, and no part makes the gap larger", async () => {
    const { certificate } = await fit(features, labels, { ...options, maxEpochs: 50_000 });
    expect(certificate.status).toBe("solved");
    const maxEpochs = Math.ceil(certificate.epochs / 10);
    const { model, gaps, epochs } = await inParts(200, { ...options, maxEpochs });
    expect(gaps.length).toBeGreaterThan(1);
    gaps.forEach((gap, p) => expect(gap).toBeLessThanOrEqual((gaps[p - 1] ?? Infinity) * (1 + 1e-6)));
    expect(model.certificate.status, `${epochs} epochs instead of ${certificate.epochs}`).toBe("solved");
  });
});

test("what has been solved stays solved, however rough an estimate of it would be", async () => {
  const normal = normals(4);
  const classes = Array.from({ length: 20 }, (_, i) => i % 4);
  let solved = 0;
  for (let turn = 0; turn < 20; turn++) {
    const rows = classes.map(() => Array.from({ length: 30 }, normal));
    const options = { loss: "hinge", C: 10, tolerance: 1e-6 } as const;
    const model = await fit(rows, classes, options);
    if (model.certificate.status !== "solved") continue;
    solved++;
    const { certificate } = await fit(rows, classes, { ...options, initial: model });
    expect([certificate.status, certificate.epochs]).toEqual(["solved", 0]);
  }
  expect(solved).toBeGreaterThan(2);
});

test("Frank-Wolfe goes on, too", async () => {
  const options: FitOptions = { loss: "hinge", C: 1000, precision: "float64", solver: "frank-wolfe", maxEpochs: 40 };
  const model = await fit(features, labels, options);
  const reached = Math.max(...model.history.map((record) => record.dualObjective!));
  expect(reached).toBeGreaterThan(1.1 * model.certificate.dualObjective!); // an earlier point was given back
  const { history } = await fit(features, labels, { ...options, initial: model });
  expect(history[1].dualObjective).toBeGreaterThan(0.99 * reached);
});

describe("the last point changes nothing", () => {
  test.each<[string, [number[], object][]]>([
    [
      "where D is no higher there: other labels, another kernel",
      [
        [labels.map((y) => (y + 1) % 3), {}],
        [labels, { kernel: { name: "rbf", gamma: 1 } }],
      ],
    ],
    [
      "of another loss",
      [
        [labels, { gamma: 0.01 }],
        [labels, { loss: "ova-hinge" }],
        [labels, { loss: "weighted-topk-hinge", rankWeights: [1] }],
      ],
    ],
  ])("%s", async (_, others) => {
    const options: FitOptions = { loss: "hinge", C: 1000, precision: "float64", maxEpochs: 50 };
    const model = await fit(features, labels, options);
    const bare = load(model.toBytes({ duals: true })); // has no last point
    for (const [ys, other] of others) {
      const [fromModel, fromBare] = [model, bare].map(async (initial) =>
        (await fit(features, ys, { ...options, ...other, initial })).history.map(untimed),
      );
      expect(await fromModel).toEqual(await fromBare);
    }
  });
});

test("of other rows, labels or kernels D does not fall on the way there", async () => {
  const options: FitOptions = { loss: "hinge", C: 1000, precision: "float64", maxEpochs: 50 };
  const model = await fit(features, labels, options);
  const others: [number[][], number[], FitOptions][] = [
    [features.map(([a, b, c]) => [c, -a, b]), labels, {}],
    [features, labels.map((y) => (y + 1) % 3), {}],
    [features, labels, { kernel: { name: "rbf", gamma: 1 } }],
  ];
  for (const [rows, ys, o] of others) {
    const { history } = await fit(rows, ys, { ...options, ...o, initial: model });
    expect(history[1].dualObjective).toBeGreaterThanOrEqual(history[0].dualObjective!);
  }
});

test("a part that ends before its first step leaves the way where it was", async () => {
  const options: FitOptions = { loss: "hinge", C: 1000, precision: "float64", maxEpochs: 50 };
  const model = await fit(features, labels, options);
  const onTheWay = async (initial: Model): Promise<(number | null)[]> =>
    (await fit(features, labels, { ...options, initial })).history.map((record) => record.dualObjective);
  const expected = await onTheWay(model);
  for (const stopped of [{ maxEpochs: 0 }, { maxSeconds: 0 }, { signal: AbortSignal.abort() }]) {
    expect(await onTheWay(await fit(features, labels, { ...options, initial: model, ...stopped }))).toEqual(expected);
  }
});

test("a fit without an epoch, and one from a saved model, start at the point that the model is", async () => {
  const options: FitOptions = { loss: "hinge", C: 1000, precision: "float64", maxEpochs: 50 };
  const model = await fit(features, labels, options);
  const { primalObjective, dualObjective, status } = model.certificate;
  expect(status).toBe("max-epochs");
  expect(Math.max(...model.history.map((record) => record.dualObjective!))).toBeGreaterThan(2 * dualObjective!);
  const same = { primalObjective, dualObjective };
  const still = await fit(features, labels, { ...options, maxEpochs: 0, initial: model });
  expect(still.certificate).toMatchObject(same);
  const saved = load(model.toBytes({ duals: true }));
  for (const initial of [saved, model]) {
    const next = await fit(features, labels, { ...options, initial, C: initial === model ? 500 : 1000 });
    const { history } = next;
    if (initial === saved) expect(history[0]).toMatchObject(same);
    const scaled = await fit(features, labels, { ...options, initial: saved, C: initial === model ? 500 : 1000 });
    expect(history.map(({ dualObjective }) => dualObjective)).toEqual(
      scaled.history.map(({ dualObjective }) => dualObjective),
    );
  }
});
