import { describe, expect, test, vi } from "vitest";
import { fit, type FitOptions, type HistoryRecord, type Model } from "../../src/index.ts";
import { onAbort } from "../../src/pace/onAbort.ts";
import { untilAborted } from "../../src/pace/untilAborted.ts";
import { InteriorPoint } from "../../src/solver/interiorPoint.ts";
import { expectCertified } from "../helpers/certified.ts";
import { clouds, uniforms } from "../helpers/data.ts";
import { allLosses, nameOf, optionsOf } from "../helpers/losses.ts";
import { isEvaluation } from "../helpers/told.ts";
import { untimed } from "../helpers/untimed.ts";
import type { LossSpec } from "../reference/losses.ts";

/** Whenever a fit is aborted, it resolves with a model whose certificate is true. */

const { features, labels } = clouds(250, 10, 10, 3);
const C = 3;
const base: FitOptions = { C, tolerance: 1e-6, maxEpochs: 25, yieldEvery: 1 };
const moments = 60;

function check(model: Model, loss: LossSpec, whole: Model): void {
  const { status, epochs, relativeGap, hint } = model.certificate;
  expect(["aborted", whole.certificate.status]).toContain(status);
  expect(epochs).toBeLessThanOrEqual(whole.certificate.epochs);
  expect(relativeGap).toBeLessThanOrEqual(1); // that of A = 0; D only rises from there
  expect(hint === undefined).toBe(status === "solved");
  expect(model.history.at(-1)).toMatchObject({ epoch: epochs, relativeGap });
  expectCertified(model, { features, labels, loss, C, precision: "float32", interceptScale: 1 });
}

test("aborted as the tolerance is reached, it is aborted, and the certificate says how near", async () => {
  const stop = new AbortController();
  const { certificate } = await fit(features, labels, {
    ...{ C, tolerance: 1e-2, signal: stop.signal },
    onProgress: ({ relativeGap }) => relativeGap! <= 1e-2 && stop.abort(),
  });
  expect(certificate.status).toBe("aborted");
  expect(certificate.relativeGap).toBeLessThanOrEqual(1e-2);
  expect(certificate.hint).toMatch(/^go on from here with initial: model/);
});

test("and so it is where that is seen off the record, or where there is no dual", async () => {
  const labels = Array.from({ length: 90 }, (_, i) => i % 3);
  const random = uniforms(1);
  const features = labels.map((y) =>
    Array.from({ length: 400 }, (_, l) => random() + (l < 2 ? 2 * Math.cos(2.1 * y - 1.6 * l) : 0)),
  );
  for (const options of [
    { loss: "hinge", C: 1e4, precision: "float32" },
    { loss: "truncated-topk-entropy", k: 1, C: 0.01 },
  ] as const) {
    const { certificate, history } = await fit(features, labels, options);
    expect(certificate.status).toMatch(/solved|stationary/);
    const stop = new AbortController();
    let records = 0;
    const onProgress = (): void => void (++records === history.length && stop.abort());
    const { certificate: stopped } = await fit(features, labels, { ...options, signal: stop.signal, onProgress });
    expect(stopped).toMatchObject({ status: "aborted", primalObjective: certificate.primalObjective });
    expect(records).toBe(history.length);
  }
});

test("aborted from onProgress at a certified point, that is not evaluated again", async () => {
  const initial = await fit(features, labels, { ...base, loss: "hinge", gamma: 1, maxEpochs: 1000 });
  const stop = new AbortController();
  const { certificate, history } = await fit(features, labels, {
    ...{ ...base, loss: "hinge", gamma: 1, tolerance: 0, initial },
    ...{ signal: stop.signal, onProgress: () => stop.abort() },
  });
  expect(certificate).toMatchObject({ status: "aborted", epochs: 0 });
  expect(history).toHaveLength(1);
});

describe.each(allLosses.map((loss, index) => ({ name: nameOf(loss), loss, index })))("$name", ({ loss, index }) => {
  const options = { ...base, ...optionsOf(loss) } as FitOptions;
  const share = Math.ceil(moments / allLosses.length);
  let whole: Model;

  test("aborted by the clock", async () => {
    const began = performance.now();
    whole = await fit(features, labels, options);
    const duration = performance.now() - began;
    const random = uniforms(index);
    for (let i = 0; i < share; i++) {
      const controller = new AbortController();
      const timer = setTimeout(() => controller.abort(), 1.1 * random() * duration);
      check(await fit(features, labels, { ...options, signal: controller.signal }), loss, whole);
      clearTimeout(timer);
    }
  });

  test("aborted from onProgress: the point of that very evaluation", async () => {
    const random = uniforms(1000 + index);
    for (let i = 0; i < 3; i++) {
      const controller = new AbortController();
      // The last record may be that of the best point of all, gone back to when the fit had ended.
      const at = Math.floor(random() * (whole.history.length - 1));
      const records: HistoryRecord[] = [];
      const model = await fit(features, labels, {
        ...options,
        signal: controller.signal,
        onProgress: (record) => isEvaluation(record, records.at(-1)) && records.push(record) > at && controller.abort(),
      });
      expect(records.slice(0, at + 1).map(untimed)).toEqual(whole.history.slice(0, at + 1).map(untimed));
      // What was only estimated then is certified by one closing evaluation of the same point.
      expect(records.length).toBeLessThanOrEqual(at + 2);
      const { visits, relativeGap } = records[at];
      expect(records.at(-1)!.visits).toBe(visits);
      expect(Math.abs(records.at(-1)!.relativeGap! - relativeGap!)).toBeLessThanOrEqual(1e-5);
      expect(model.certificate.status).toBe("aborted");
      check(model, loss, whole);
    }
  });
});

test("a promise of `onProgress` that stays open is not waited for once aborted", async () => {
  const stop = new AbortController();
  const { features, labels } = clouds(40, 3, 3);
  const onProgress = (): Promise<never> => {
    setTimeout(() => stop.abort());
    return new Promise(() => {});
  };
  const { certificate } = await fit(features, labels, { tolerance: 0, signal: stop.signal, onProgress });
  expect(certificate.status).toBe("aborted");
});

test("but what it throws as it aborts is thrown", async () => {
  const stop = new AbortController();
  const { features, labels } = clouds(40, 3, 3);
  const onProgress = async (): Promise<void> => {
    await Promise.resolve();
    stop.abort();
    throw new Error("enough");
  };
  await expect(fit(features, labels, { signal: stop.signal, onProgress })).rejects.toThrow("enough");
});

test("aborted where rounding leaves P below D: it is that point that is certified", async () => {
  let below = 0;
  const suits = vi.spyOn(InteriorPoint, "suits").mockReturnValue(false); // which comes to where there is no telling
  for (let seed = 1; seed <= 60; seed++) {
    const stop = new AbortController();
    let there: HistoryRecord | undefined;
    const random = uniforms(seed); // the same everywhere, unlike Math.sin
    const rows = Array.from({ length: 6 }, () => [random(), random()]);
    const { certificate, history } = await fit(rows, [0, 1, 2, 0, 1, 2], {
      ...{ loss: "hinge", precision: "float64", tolerance: 0, maxEpochs: 3000, signal: stop.signal },
      onProgress: (record) => {
        if (record.primalObjective >= record.dualObjective!) return;
        stop.abort();
        there ??= record;
      },
    });
    if (certificate.status !== "aborted") continue;
    below++;
    expect(certificate.primalObjective).toBe(there!.primalObjective);
    expect(certificate.dualObjective).toBe(there!.dualObjective);
    expect(history.at(-1)).toEqual(there);
  }
  suits.mockRestore();
  expect(below).toBeGreaterThan(2);
});

test("who waits for a promise with a signal leaves no listener, however it ends", async () => {
  const { signal } = new AbortController();
  const listening = vi.spyOn(signal, "addEventListener");
  const leaving = vi.spyOn(signal, "removeEventListener");
  expect(await untilAborted(Promise.resolve(7), signal)).toBe(7);
  await expect(untilAborted(Promise.reject(new Error("no")), signal)).rejects.toThrow("no");
  expect(listening).toHaveBeenCalledTimes(2);
  expect(leaving.mock.calls).toEqual(listening.mock.calls);
  expect(await untilAborted(8, signal)).toBe(8);
  expect(await untilAborted(new Promise(() => {}), AbortSignal.abort())).toBeUndefined();
});

test("of those on one signal all hear of it that have not called it off, whoever has listened before", () => {
  const stop = new AbortController();
  const heard: string[] = [];
  const hear = (name: string): (() => void) => onAbort(stop.signal, () => heard.push(name));
  hear("called off")();
  const callOff = hear("called off, too");
  hear("first");
  callOff();
  callOff();
  hear("second");
  stop.abort();
  expect(heard).toEqual(["first", "second"]);
});

test("the same function hears of it as often as it listens, and is called off once for each time", () => {
  const stop = new AbortController();
  let heard = 0;
  const hear = (): void => void heard++;
  const [first, , third] = [1, 2, 3].map(() => onAbort(stop.signal, hear));
  first();
  stop.abort();
  expect(heard).toBe(2);
  third();
});
