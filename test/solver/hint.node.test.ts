import { describe, expect, test } from "vitest";
import { hintFor } from "../../src/fit/hint.ts";
import { fit, type FitOptions } from "../../src/index.ts";
import { resolveSettings } from "../../src/settings.ts";
import { csrOf } from "../helpers/csr.ts";
import { uniforms } from "../helpers/data.ts";
import { asGram } from "../helpers/kernels.ts";
import { gramOf } from "../reference/kernel.ts";

/** What a fit that was not solved says would help; and whether it does. */

const uniform = uniforms(7);
/** Columns of three sizes, as of a table that nobody has scaled. */
const table = Array.from({ length: 200 }, () => [20 + 60 * uniform(), 1 + 3 * uniform(), 10 * uniform()]);
const labels = table.map(([a, b, c]) => (a * b > 120 ? (c > 5 ? "high" : "middle") : "low"));
const scaled = table.map(([a, b, c]) => [a / 80, b / 4, c / 10]);
const kernel = { name: "poly", degree: 3, gamma: 1, coef0: 1 } as const;

const goOn = (budget: string): string => `go on from here with initial: model, more ${budget}`;
const norm = Math.max(...table.map((row) => Math.hypot(...row))).toPrecision(2);
const scale = `scale the features (rows have norms up to ${norm}), for example scaling: "standard"`;
const smooth = "smooth the loss with gamma: 1";
const smallerScale = "use a smaller interceptScale than 1000";
const smallerC = "use a smaller C";
const hard = { loss: "hinge", C: 100, maxEpochs: 3 } as const;

const cases: [string, unknown, FitOptions, unknown[]][] = [
  ["hinge", scaled, hard, [smooth, smallerC, goOn("maxEpochs")]],
  ["smooth hinge", scaled, { ...hard, C: 1e6, gamma: 1 }, [smallerC, goOn("maxEpochs")]],
  ["large rows", table, hard, [scale, smooth, smallerC, goOn("maxEpochs")]],
  ["no time", scaled, { ...hard, maxSeconds: 0 }, ["allow more maxSeconds", smooth, smallerC]],
  ["no epochs", scaled, { ...hard, maxEpochs: 0 }, ["allow more maxEpochs", smooth, smallerC]],
  ["an epoch", scaled, { ...hard, maxEpochs: 1 }, [smooth, smallerC, goOn("maxEpochs")]],
  ["one-vs-all", scaled, { ...hard, loss: "ova-hinge" }, [smooth, smallerC, goOn("maxEpochs")]],
  ["aborted", table, { ...hard, signal: AbortSignal.abort() }, [scale, "go on from here with initial: model"]],
  ["aborted, softmax", scaled, { signal: AbortSignal.abort() }, ["go on from here with initial: model"]],
  ["linear kernel", table, { ...hard, kernel: { name: "linear" } }, [scale, smooth, smallerC, goOn("maxEpochs")]],
  ["rbf", table, { ...hard, kernel: { name: "rbf", gamma: 1 } }, [smooth, smallerC, goOn("maxEpochs")]],
  ["large constant", scaled, { ...hard, interceptScale: 1000 }, [smallerScale, smooth, smallerC, goOn("maxEpochs")]],
  ["large constant, large rows", table, { ...hard, interceptScale: 1000 }, [smallerScale, scale, smooth, smallerC, goOn("maxEpochs")]],
  ["large constant, poly", scaled, { ...hard, interceptScale: 1000, kernel: { name: "poly", degree: 1 } }, [smallerScale, smooth, smallerC, goOn("maxEpochs")]],
  ["Gram matrix", asGram(gramOf(table, table, { name: "linear" })), hard, [smooth, smallerC, goOn("maxEpochs")]],
]; // prettier-ignore

test("rows that are far from 0 where distances come from products", async () => {
  const far = Array.from({ length: 60 }, (_, i) => [
    1e8 + uniform(),
    1e8 + uniform(),
    ...new Array(40).fill(i % 30 ? 0 : 1),
  ]);
  const options = { loss: "hinge", kernel: { name: "rbf", gamma: 1 }, precision: "float64" } as const;
  const y = far.map(([a, b]) => (a > b ? "above" : "below"));
  const { certificate } = await fit(csrOf(far), y, options);
  expect(certificate.relativeGap).toBe(Infinity);
  expect(certificate.hint!.split("; or ")).toEqual(["subtract the mean of each column", smooth, smallerC]);
  const centred = far.map(([a, b, ...rest]) => [a - 1e8, b - 1e8, ...rest]);
  expect((await fit(csrOf(centred), y, options)).certificate.status).toBe("solved");
});

test.each(cases)("%s", async (_, features, options, advice) => {
  const { certificate } = await fit(features as number[][], labels, options);
  expect(certificate.relativeGap!).toBeGreaterThan(certificate.tolerance);
  expect(certificate.hint!.split("; or ")).toEqual(advice);
});

test("float32 at its end", async () => {
  const { certificate } = await fit(scaled, labels, {
    ...hard,
    gamma: 1,
    tolerance: 0,
    maxEpochs: 1e6,
    precision: "float32",
  });
  expect(certificate.status).toBe("no-progress");
  expect(certificate.hint!.split("; or ")).toEqual(['use precision: "float64"', smallerC]);
});

test("float64 is no help where the rounding of its own scores stands in the way", () => {
  const settings = resolveSettings("test", { loss: "softmax", precision: "float32" });
  const obstacles = { kernel: undefined, largestNorm: 1, coarse: false, indefinite: false, roundedGram: false };
  expect(hintFor("no-progress", settings, { ...obstacles, drowned: true })).toBe(smallerC);
  expect(hintFor("no-progress", settings, { ...obstacles, drowned: false })).toMatch(/^use precision: "float64"; or /);
});

test.each(["float32", "float64"] as const)("a Gram matrix that was rounded, %s", async (precision) => {
  const rows = table.slice(0, 30).map((row) => row.map((v) => 100 * v));
  const { gram } = asGram(gramOf(rows, rows, { name: "linear" }));
  const options: FitOptions = { loss: "hinge", C: 1000, precision };
  const y = labels.slice(0, 30);
  const { certificate } = await fit({ gram: Float32Array.from(gram), rows: 30 }, y, options);
  expect(certificate.hint!.split("; or ")).toContain("give the Gram matrix in a Float64Array");
  expect((await fit({ gram, rows: 30 }, y, { ...options, precision: "float64" })).certificate.status).toBe("solved");
});

test("an anchor whose scaling rows are far out of", async () => {
  const anchor = await fit(scaled, labels, { scaling: "standard" });
  const rows = table.map((row) => row.map((v) => 10 * v));
  const { certificate } = await fit(rows, labels, { ...hard, scaling: "standard", anchor });
  const advice = /^fit without the anchor, whose scaling these rows are far out of \(norms up to [\d.e+]+\); or smooth/;
  expect(certificate.hint).toMatch(advice);
  const near = scaled.map((row) => row.map((v) => 3 * v));
  const { certificate: unsolved } = await fit(near, labels, { ...hard, scaling: "standard", anchor });
  expect(unsolved.hint!.split("; or ")).toEqual([smooth, smallerC, goOn("maxEpochs")]);
});

test("solved needs none", async () => {
  expect((await fit(scaled, labels)).certificate).not.toHaveProperty("hint");
});

test("poly: the kernel's values, and scaling unless there is one", async () => {
  const { certificate } = await fit(table, labels, { ...hard, kernel });
  const largest = Math.max(...gramOf(table, table, kernel).map((row, i) => row[i])).toPrecision(2);
  const smaller = `use a smaller gamma of the kernel, whose values go up to ${largest}`;
  const unscaled = 'scale the features, for example scaling: "standard"';
  expect(certificate.hint!.split("; or ")).toEqual([smaller, unscaled, smooth, smallerC, goOn("maxEpochs")]);
  const again = await fit(table, labels, { ...hard, kernel, scaling: "standard", C: 1e4 });
  expect(again.certificate.hint).toMatch(
    /^use a smaller gamma of the kernel, whose values go up to [\d.e+]+; or smooth/,
  );
});

describe("does help:", () => {
  const options = { loss: "hinge", C: 100, maxEpochs: 75, precision: "float64" } as const;
  test.each<[string, FitOptions]>([
    ["scaling", { scaling: "standard" }],
    ["a smaller C", { C: 1e-4 }],
  ])("%s", async (_, followed) => {
    const unsolved = await fit(table, labels, options);
    expect(unsolved.certificate.status).toBe("max-epochs");
    const helped = await fit(table, labels, { ...options, ...followed });
    expect(helped.certificate.relativeGap).toBeLessThan(0.2 * unsolved.certificate.relativeGap!);
  });

  test("smoothing, and to go on", async () => {
    const few = { ...options, C: 10, maxEpochs: 4 };
    const unsolved = await fit(scaled, labels, few);
    expect(unsolved.certificate.status).toBe("max-epochs");
    const smoothed = await fit(scaled, labels, { ...few, gamma: 1 });
    expect(smoothed.certificate.relativeGap).toBeLessThan(unsolved.certificate.relativeGap!);
    const further = await fit(scaled, labels, { ...few, initial: unsolved, maxEpochs: 2000 });
    expect(further.certificate.status).toBe("solved");
  });

  test("a smaller gamma of the kernel", async () => {
    const { certificate } = await fit(table, labels, { ...options, kernel });
    expect(certificate.status).toBe("max-epochs");
    const smaller = await fit(table, labels, { ...options, kernel: { ...kernel, gamma: 1e-4 } });
    expect(smaller.certificate.relativeGap).toBeLessThan(certificate.relativeGap!);
  });
});
