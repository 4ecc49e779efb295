import { beforeAll, expect, test } from "vitest";
import { fit, init, losses, metrics, prox, select } from "../../src/index.ts";

/** Every function that takes options refuses a name that it would ignore in the place of one that it knows, and says which. */

beforeAll(() => init());

const a = [1, 2, 3];
const scores = [[3, 1, -2]];
const sets = [[0, 1]];
const threshold = 0;
const X = [
  [0, 1],
  [1, 0],
];
const y = ["a", "b"];

const calls: Record<string, [call: (o: never) => unknown, right: object, wrong: object, meant: string][]> = {
  prox: [
    [(o) => prox.knapsack(a, o), { radius: 2 }, { raduis: 2 }, "radius"],
    [(o) => prox.topKCone(a, o), { k: 1 }, { k: 1, rhos: 1 }, "rho"],
    [(o) => prox.topKSimplex(a, o), { k: 1 }, { k: 1, varaint: "beta" }, "variant"],
    [(o) => prox.entropicSimplex(a, o), { radius: 2 }, { Radius: 2 }, "radius"],
    [(o) => prox.topKEntropy(a, o), { k: 1, alpha: 1 }, { k: 1, alpah: 1 }, "alpha"],
    [(o) => prox.bipartiteSimplex(a, a, o), { radius: 2 }, { raduis: 2 }, "radius"],
    [(o) => prox.multilabelEntropy(a, a, o), { alpha: 1 }, { alphas: 1 }, "alpha"],
    [(o) => prox.permutahedronHull(a, o), { weights: [2, 1, 0] }, { weight: [2, 1, 0] }, "weights"],
  ],
  losses: [
    [(o) => losses.value("hinge", a, 0, o), { gamma: 1 }, { gama: 1 }, "gamma"],
    [(o) => losses.gradient("hinge", a, 0, o), { gamma: 1 }, { gamm: 1 }, "gamma"],
  ],
  metrics: [
    [(o) => metrics.hammingLoss(scores, sets, o), { threshold }, { treshold: 0 }, "threshold"],
    [(o) => metrics.jaccardAccuracy(scores, sets, o), { threshold }, { thresh: 0 }, "threshold"],
    [(o) => metrics.subsetAccuracy(scores, sets, o), { threshold }, { Threshold: 0 }, "threshold"],
    [(o) => metrics.f1(scores, sets, o), { threshold, average: "micro" }, { threshold, averge: "micro" }, "average"],
    [(o) => metrics.chooseThreshold(scores, sets, o), { metric: "hamming" }, { metrc: "hamming" }, "metric"],
  ],
  fits: [
    [(o) => fit(X, y, o), { maxEpochs: 1 }, { maxEpoch: 1 }, "maxEpochs"],
    [(o) => select(X, y, o), { grid: { C: [1] }, validation: { features: X, labels: y } }, { grid: { C: [1] }, fold: 2 }, "folds"],
    [(o) => init(o), {}, { wsam: 1 }, "wasm"],
  ],
}; // prettier-ignore

test.each(Object.values(calls).flat())("%s", async (call, right, wrong, meant) => {
  const run = async (o: unknown): Promise<unknown> => call(o as never);
  await expect(run(right)).resolves.not.toThrow();
  const refused = run(wrong);
  await expect(refused).rejects.toThrow(TypeError);
  await expect(refused).rejects.toThrow(
    meant === "wasm"
      ? 'unknown option "wsam"; there is only "wasm"'
      : /: unknown option "\w+"; (did you mean|there is)/,
  );
  await expect(refused).rejects.toThrow(`"${meant}"`);
  for (const none of [null, 7, "x"]) await expect(run(none)).rejects.toThrow('"options" must be an object');
});

test("functions of numbers take records that hold more than their parameters; fits take no other names", async () => {
  expect(prox.knapsack(a, { radius: 2, a, expected: [0, 0.5, 1.5] } as never)).toEqual(prox.knapsack(a, { radius: 2 }));
  expect(losses.value("hinge", a, 0, { gamma: 1, u: a, name: "x" } as never)).toBe(
    losses.value("hinge", a, 0, { gamma: 1 }),
  );
  await expect(fit(X, y, { note: "x" } as never)).rejects.toThrow('fit: unknown option "note"');
});

test("-0 is 0", async () => {
  const { certificate } = await fit(X, y, { tolerance: -0, maxEpochs: 1 });
  expect(certificate.tolerance).toBe(0);
});

test("weights and intercepts of an anchor", async () => {
  const weights = { data: new Float64Array(4), rows: 2, cols: 2 };
  const fitTo = (anchor: object): Promise<unknown> => fit(X, y, { anchor: anchor as never });
  await expect(fitTo({ weights, intercepts: [1, 0] })).resolves.toBeDefined();
  await expect(fitTo({ weights, intercept: [1, 0] })).rejects.toThrow(
    'fit: "anchor" has the unknown name "intercept"; did you mean "intercepts"?',
  );
});
