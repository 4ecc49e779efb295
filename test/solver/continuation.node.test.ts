import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { fit, init, type FitOptions, type Model } from "../../src/index.ts";
import { InteriorPoint } from "../../src/solver/interiorPoint.ts";
import { ResidentDuals } from "../../src/wasm/duals.ts";
import { ResidentProblem } from "../../src/wasm/problem.ts";
import { expectCertified, expectNeverFalls } from "../helpers/certified.ts";
import { clouds } from "../helpers/data.ts";
import { nameOf } from "../helpers/losses.ts";
import type { LossSpec } from "../reference/losses.ts";

/** Hinge losses where C is so large that steps alone get nowhere: the path from smaller C. */

beforeAll(() => init());
/** Which tables as small as these are left to. */
beforeEach(() => void vi.spyOn(InteriorPoint, "suits").mockReturnValue(false));
afterEach(() => void vi.restoreAllMocks());

const { features, labels } = clouds(2000, 10, 4, 3, 3);
const precision = "float64";
const C = 1000;
const common = { C, precision, intercept: false } as const;

const specs: LossSpec[] = [
  { loss: "hinge" },
  { loss: "hinge", gamma: 0.1 },
  { loss: "topk-hinge", k: 2, variant: "beta" },
  { loss: "weighted-topk-hinge", rankWeights: "linear", k: 2 },
  { loss: "ova-hinge" },
];

describe.each(specs.map((spec) => [nameOf(spec), spec] as const))("%s", (_, spec) => {
  test("is solved, and D never falls on the way", async () => {
    const model = await fit(features, labels, { ...(spec as FitOptions<number>), ...common });
    expect(model.certificate.status).toBe("solved");
    expectCertified(model, { features, labels, loss: spec, C, precision });
    expectNeverFalls(model.history, 1e-12);
  });
});

test("weights of examples are those of the problem again", async () => {
  const sampleWeight = labels.map((_, i) => 1 + (i % 3));
  const model = await fit(features, labels, { ...common, loss: "hinge", sampleWeight });
  const { status, primalObjective } = model.certificate;
  expect(status).toBe("solved");
  const losses = features.map((x, i) => {
    const u = Array.from(model.scores([x]));
    return Math.max(...u.map((v, j) => (j === labels[i] ? 0 : 1 + v - u[labels[i]])));
  });
  const loss = losses.reduce((sum, value, i) => sum + C * sampleWeight[i] * value, 0);
  const norm2 = Array.from(model.weights.data).reduce((sum, w) => sum + w * w, 0);
  expect(Math.abs(primalObjective / (loss + norm2 / 2) - 1)).toBeLessThan(1e-9);
});

test("a fit that ends soon after the path gives its best point", async () => {
  const short = { ...common, loss: "hinge", maxEpochs: 150 } as const;
  const model = await fit(features, labels, short);
  expect(model.certificate.epochs).toBe(150);
  expectNeverFalls(model.history.slice(0, -1), 1e-12);
  expectCertified(model, { features, labels, loss: { loss: "hinge" }, C, precision });
  const least = Math.min(...model.history.map(({ dualityGap }) => dualityGap!));
  expect(model.certificate.dualityGap).toBeLessThanOrEqual(least * (1 + 1e-6)); // of which one was an estimate
});

/** A fit that tells how often it has taken the path, where steps go on for as long as `goesOn`. */
async function fitAlongPath(
  options: FitOptions<number>,
  goesOn: () => boolean = () => true,
): Promise<{ model: Model; paths: number }> {
  const { sweep } = ResidentProblem.prototype;
  let [paths, onPath] = [0, false];
  vi.spyOn(ResidentProblem.prototype, "sweep").mockImplementation(function (this: ResidentProblem, ...visits) {
    const was = onPath;
    onPath = this.C[0] < C;
    paths += Number(onPath && !was);
    if (!onPath || goesOn()) sweep.apply(this, visits);
  });
  const model = await fit(features, labels, { ...common, loss: "hinge", ...options });
  return { model, paths };
}

test("where its first stage is not solved, the fit goes on from where it was, and takes no other path", async () => {
  const { model, paths } = await fitAlongPath({ maxEpochs: 1000 }, () => false);
  expect(paths).toBe(1);
  expectNeverFalls(model.history.slice(0, -1), 1e-12);
  expectCertified(model, { features, labels, loss: { loss: "hinge" }, C, precision });
});

test("where D is lower at its end, the fit goes on from where it was", async () => {
  const { multiply } = ResidentDuals.prototype;
  let [part, ends] = [0, 0];
  vi.spyOn(ResidentDuals.prototype, "multiply").mockImplementation(function (this: ResidentDuals, factor) {
    part = factor < 1 ? factor : part * factor;
    ends += Number(part === 1);
    return multiply.call(this, part === 1 ? 0 : factor);
  });
  const { model } = await fitAlongPath({ maxEpochs: 200 });
  expect(ends).toBe(1);
  expectNeverFalls(model.history.slice(0, -1), 1e-12);
});

test("an abort in the midst of it leaves the point before it", async () => {
  const stop = new AbortController();
  const { model, paths } = await fitAlongPath({ signal: stop.signal }, () => {
    stop.abort();
    return true;
  });
  expect(paths).toBe(1);
  expect(model.certificate.status).toBe("aborted");
  expect(model.certificate.dualObjective! / model.history.at(-2)!.dualObjective!).toBeCloseTo(1, 9);
  expectCertified(model, { features, labels, loss: { loss: "hinge" }, C, precision });
});

test("its epochs and visits are the fit's own, and within its budget", async () => {
  const { model, paths } = await fitAlongPath({ maxEpochs: 155 });
  expect(paths).toBe(1);
  expect(model.certificate.epochs).toBe(155);
  const visits = model.history.map((record) => record.visits);
  expect(visits).toEqual([...visits].sort((a, b) => a - b));
  expect(visits.at(-1)).toBeGreaterThanOrEqual(155);
  expect(visits.at(-1)).toBeLessThan(156);
});
