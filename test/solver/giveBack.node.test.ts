import { beforeAll, describe, expect, test } from "vitest";
import {
  fit,
  init,
  type FitOptions,
  type HistoryRecord,
  type Label,
  type LabelSets,
  type Model,
} from "../../src/index.ts";
import { bounded, expectCertified } from "../helpers/certified.ts";
import { clouds, uniforms } from "../helpers/data.ts";
import { expectWithin } from "../helpers/expect.ts";
import { allLosses, nameOf, optionsOf, setLosses } from "../helpers/losses.ts";
import { lossValue } from "../reference/losses.ts";
import { setLoss } from "../reference/multilabel.ts";
import { sum } from "../reference/sum.ts";

/** With a large C a fit that ends early may have gone far beyond where P is least: then it gives back a part of A. */

beforeAll(() => init());

const [n, d, m] = [40, 3, 5];
const uniform = uniforms(7);
const features = Array.from({ length: n }, () => Array.from({ length: d }, () => 2 * uniform() - 1));
const labels = features.map((_, i) => (i * 7) % m);
const classes = [0, 1, 2, 3, 4];
const sets = labels.map((y, i) => classes.filter((j) => (i % 9 === 0 ? i % 2 : j === y || (3 * i + j) % 4 === 0)));
const zeros = classes.map(() => 0);

const budgets = [1, 2, 5].flatMap((maxEpochs) => [1e3, 1e7, 1e18].map((C): FitOptions => ({ C, maxEpochs })));
/** How many fits have given back a part of the last point. */
let shortened = 0;

async function check(
  atZero: (C: number) => number,
  run: (options: FitOptions) => Promise<Model | Model<Label[]>>,
): Promise<void> {
  for (const options of budgets) {
    const { certificate, history } = await run(options);
    const { dualityGap } = bounded(certificate);
    expect(dualityGap).toBeLessThanOrEqual(atZero(options.C!) * (1 + 1e-9));
    const [last, before] = history.slice(-2).reverse() as [HistoryRecord, HistoryRecord?];
    expect(last.dualityGap).toBe(dualityGap);
    shortened += Number(before?.visits === last.visits && before.dualityGap! > atZero(options.C!));
  }
}

describe("no model has a larger gap than A = 0", () => {
  for (const precision of ["float32", "float64"] as const) {
    test.each(allLosses.map((loss) => [nameOf(loss), loss] as const))(`${precision}, %s`, async (_, loss) => {
      const atZero = (C: number): number => sum(labels.map((y) => C * lossValue(loss, zeros, y)));
      const common = { ...optionsOf(loss), precision } as FitOptions;
      await check(atZero, async (options) => {
        const model = await fit(features, labels, { ...common, ...options } as FitOptions);
        if (options.C! > 1e7) return model;
        const fitted = { features, labels, loss, C: options.C!, precision, interceptScale: 1 };
        expectCertified(model, fitted, atZero(options.C!));
        return model;
      });
    });
  }

  test.each(setLosses.map((loss) => [`${loss.loss}, gamma = ${loss.gamma ?? 0}`, loss] as const))(
    "sets of labels, %s",
    async (_, loss) => {
      const weights = loss.loss.startsWith("ova-") ? [1, 0.1, 4, 1, 2] : undefined;
      // Of one-vs-all losses the binary ones, each of which is the same for either side at 0, one of them m times.
      const each = setLoss(loss, zeros, []).value / m;
      const atZero = sets.map((set) => {
        const value = setLoss(loss, zeros.slice(0, set.length), zeros.slice(set.length)).value;
        const dual = loss.loss === "multilabel-softmax" && set.length > 0 ? Math.log(set.length) : 0;
        return value - dual + sum(set.map((j) => ((weights?.[j] ?? 1) - 1) * each));
      });
      const classWeight = weights?.map((w, j): [number, number] => [j, w]);
      await check(
        (C) => C * sum(atZero),
        (options) =>
          fit(features, sets as LabelSets, { ...loss, ...options, classWeight, classes } as FitOptions<Label[]>),
      );
    },
  );

  test.each([{ name: "linear" }, { name: "rbf", gamma: 1 }, { name: "poly", degree: 3 }] as const)(
    "with a kernel, $name",
    async (kernel) => {
      const sampleWeight = labels.map((_, i) => 1 + (i % 3));
      await check(
        (C) => C * sum(sampleWeight) * Math.log(m),
        (options) => fit(features, labels, { ...options, kernel, sampleWeight }),
      );
    },
  );

  test("for which a part of them had to be given back", () => expect(shortened).toBeGreaterThan(100));
});

test("where no step is taken there is nothing to shorten", async () => {
  const sampleWeight = labels.map((_, i) => 1 + i / 3);
  for (const spec of [{ loss: "softmax" }, { loss: "hinge", gamma: 0.3 }, { loss: "ova-logistic" }] as const) {
    const { history } = await fit(features, labels, { ...spec, maxEpochs: 0, C: 1 / 3, sampleWeight });
    expect(history).toHaveLength(1);
  }
});

test("a part of A classifies as A does", async () => {
  const held = clouds(60, 4, 3, 2, 2);
  const options: FitOptions = { loss: "ova-logistic", C: 1e4, maxEpochs: 2, precision: "float64" };
  const { history } = await fit(held.features, held.labels, { ...options, validation: held });
  const [before, last] = history.slice(-2);
  expect(last.primalObjective).toBeLessThan(before.primalObjective);
  expect(before.validation![0].topKAccuracy![1]).toBeGreaterThan(0.4);
  expect(last.validation![0].topKAccuracy).toEqual(before.validation![0].topKAccuracy);
});

test("the next fit goes on from what has been left", async () => {
  const options: FitOptions = { loss: "ova-logistic", C: 1e4, maxEpochs: 2, precision: "float64" };
  const initial = await fit(features, labels, options);
  const [before, last] = initial.history.slice(-2);
  expect(last.dualObjective).toBeLessThan(before.dualObjective!);
  const { history } = await fit(features, labels, { ...options, initial });
  expect(history[1].visits).toBe(0);
  expectWithin(history[1].dualObjective!, before.dualObjective!, 1e-9 * Math.abs(before.dualObjective!));
});

test("an aborted fit takes no time for it", async () => {
  const stop = new AbortController();
  const { certificate, history } = await fit(features, labels, {
    ...{ loss: "ova-logistic", C: 1e4, precision: "float64", signal: stop.signal },
    onProgress: () => stop.abort(),
  });
  expect(certificate.status).toBe("aborted");
  expectWithin(certificate.dualObjective!, history[0].dualObjective!, 1e-9 * Math.abs(history[0].dualObjective!));
});
