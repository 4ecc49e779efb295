import { describe, expect, test } from "vitest";
import { fit, type FitOptions } from "../../src/index.ts";
import { expectCertified, expectNeverFalls } from "../helpers/certified.ts";
import { clouds } from "../helpers/data.ts";
import { nameOf } from "../helpers/losses.ts";
import type { LossSpec } from "../reference/losses.ts";

/** Hinge losses where C is so large that steps alone get nowhere: the path from smaller C. */

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

test("a path that is cut short leaves the fit where it was", async () => {
  const short = { ...common, loss: "hinge", maxEpochs: 150 } as const;
  const model = await fit(features, labels, short);
  expect(model.certificate.epochs).toBeGreaterThanOrEqual(150);
  expectNeverFalls(model.history.slice(0, -1), 1e-12);
  expectCertified(model, { features, labels, loss: { loss: "hinge" }, C, precision });
  const least = Math.min(...model.history.map(({ dualityGap }) => dualityGap!));
  expect(model.certificate.dualityGap).toBeLessThanOrEqual(least * (1 + 1e-6)); // of which one was an estimate
});

test("an abort in the midst of it gives a certified model at once", async () => {
  const controller = new AbortController();
  const started = { ...common, loss: "hinge", tolerance: 1e-9, signal: controller.signal } as const;
  const onProgress = ({ epoch }: { epoch: number }): void => {
    if (epoch >= 32) setTimeout(() => controller.abort(), 10);
  };
  const model = await fit(features, labels, { ...started, onProgress });
  expect(model.certificate.status).toBe("aborted");
  expectCertified(model, { features, labels, loss: { loss: "hinge" }, C, precision });
});
