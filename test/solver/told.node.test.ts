import { expect, test } from "vitest";
import { fit, type FitOptions, type HistoryRecord } from "../../src/index.ts";
import { clouds } from "../helpers/data.ts";

/** Rounds of many epochs, without an evaluation: `onProgress` hears of them all the same. */

const overlapping = clouds(2000, 10, 4, 3, 3);
const few = clouds(90, 6, 5, 11);
const unscaled = few.features.map((row) => row.map((v, l) => [40, 8, 1, 1, 20, 2][l] * (4 + v)));

test.each<[string, number[][], number[], FitOptions]>([
  ["the path from smaller C", overlapping.features, overlapping.labels, { loss: "hinge", C: 1000 }],
  ["a detour by Newton's method", unscaled, few.labels, { loss: "topk-entropy", k: 2, C: 30, tolerance: 1e-6 }],
  ["a detour by L-BFGS", unscaled, few.labels, { loss: "topk-hinge", k: 2, variant: "alpha-inclusive", gamma: 1 }],
])("%s", async (_, features, labels, options) => {
  const told: HistoryRecord[] = [];
  const model = await fit(features, labels, {
    ...({ ...options, intercept: false, precision: "float64" } as FitOptions<number>),
    onProgress: (record) => told.push(record),
  });
  const { history } = model;
  const between = told.filter((record) => !history.some((other) => other.seconds === record.seconds));
  expect(told).toHaveLength(history.length + between.length);
  expect(between.length).toBeGreaterThan(1);
  let last: HistoryRecord | undefined;
  told.forEach((record, r) => {
    if (!between.includes(record)) {
      expect(record).toEqual((last = history[r - between.filter((other) => told.indexOf(other) < r).length]));
    } else {
      const { epoch, visits, seconds } = record;
      expect(record).toEqual({ ...last, epoch, visits, seconds });
      expect(Number.isInteger(epoch)).toBe(true);
    }
    if (r === 0) return;
    expect(record.epoch).toBeGreaterThanOrEqual(told[r - 1].epoch);
    expect(record.visits).toBeGreaterThanOrEqual(told[r - 1].visits);
    expect(record.seconds).toBeGreaterThanOrEqual(told[r - 1].seconds);
    // A direction, or a stage of the path, takes a while.
    if (between.includes(record)) expect(record.epoch - told[r - 1].epoch).toBeGreaterThanOrEqual(8);
  });
});

test.each<FitOptions>([
  { loss: "hinge", C: 1000 },
  { loss: "hinge", C: 1000, gamma: 1 },
  { loss: "ova-hinge", C: 300 },
])("steps on the path from smaller C, too: %j", async (options) => {
  const epochs: number[] = [];
  const { features, labels } = overlapping;
  const onProgress = ({ epoch }: HistoryRecord): void => void epochs.push(epoch);
  const { certificate } = await fit(features, labels, { ...options, onProgress } as FitOptions<number>);
  expect(certificate.epochs).toBeGreaterThan(50);
  // A pass may be two epochs long, and a direction of a detour a few.
  epochs.slice(1).forEach((epoch, r) => expect(epoch - epochs[r]).toBeLessThanOrEqual(Math.max(8, epochs[r] / 4) + 8));
});

test("what onProgress throws on the way rejects the fit, and an abort there ends it", async () => {
  const options = { loss: "hinge", C: 1000, intercept: false, precision: "float64", tolerance: 1e-9 } as const;
  const { features, labels } = overlapping;
  const betweenOf = (then: () => void): ((record: HistoryRecord) => void) => {
    let before: HistoryRecord | undefined;
    return (record) => {
      if (record.dualObjective === before?.dualObjective && record.epoch > before.epoch) then();
      before = record;
    };
  };
  const onProgress = betweenOf(() => {
    throw new Error("by the user");
  });
  await expect(fit(features, labels, { ...options, onProgress })).rejects.toThrow("by the user");
  const controller = new AbortController();
  const { signal } = controller;
  const model = await fit(features, labels, { ...options, signal, onProgress: betweenOf(() => controller.abort()) });
  expect(model.certificate.status).toBe("aborted");
});
