import { describe, expect, test, vi } from "vitest";
import type { Scoring } from "../../src/model/kernelScores.ts";
import { scorerOf } from "../../src/model/scorer.ts";
import { finish } from "../../src/pace/steps.ts";
import { normals, uniforms } from "../helpers/data.ts";

describe("scores by weights feature by feature are those by weights class by class, to the last bit", () => {
  const [m, d, n] = [128, 8192, 120];
  const normal = normals(9);
  const uniform = uniforms(10);
  const data = Float64Array.from({ length: m * d }, normal);
  const intercepts = Float64Array.from({ length: m }, normal);
  // From none to some hundred nonzeros, of whatever remainder by 4.
  const rows = Array.from({ length: n }, (_, i) => {
    const indices = Int32Array.from(new Set(Array.from({ length: 3 * i }, () => Math.floor(d * uniform())))).sort();
    return { indices, values: Float64Array.from(indices, normal) };
  });
  const nonzeros = rows.reduce((sum, { values }) => sum + values.length, 0);
  const shift = Float64Array.from({ length: d }, (_, l) => Number(l === 5));
  const factor = Float64Array.from({ length: d }, () => 1 + uniform());

  test.each([
    ["float64", Float64Array, undefined],
    ["float32", Float32Array, undefined],
    ["unit rows", Float32Array, { kind: "unit-rows", shift: new Float64Array(0), factor: new Float64Array(0) }],
    ["columns scaled", Float64Array, { kind: "standard", shift: new Float64Array(d), factor }],
    ["columns moved, which fills the zeros", Float64Array, { kind: "standard", shift, factor }],
  ] as const)("%s", (_, Floats, scaling) => {
    const scoring: Scoring = { weights: { data: new Floats(data), rows: m, cols: d }, intercepts, scaling };
    const slice = vi.spyOn(scoring.weights!.data, "slice");
    const scores = (entries: number): Float64Array => finish(finish(scorerOf(scoring, entries))(rows));
    const byClass = scores(2 * d - 1);
    expect(slice).not.toHaveBeenCalled();
    const byFeature = scores(nonzeros);
    expect(slice).toHaveBeenCalledOnce(); // to be copied
    expect(byFeature).toEqual(byClass);
    expect(new Set(byClass).size).toBeGreaterThan((n - 1) * m);
  });
});
