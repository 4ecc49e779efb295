import { beforeAll, describe, expect, test } from "vitest";
import { Certifier, type CertifierParts } from "../../src/fit/certifier.ts";
import { Evaluations } from "../../src/fit/evaluations.ts";
import { init } from "../../src/index.ts";
import { Pacer } from "../../src/pace/pace.ts";
import { certify } from "../../src/solver/evaluate.ts";
import type { ResidentProblem } from "../../src/wasm/problem.ts";
import { clouds } from "../helpers/data.ts";
import { openProblem } from "../helpers/problem.ts";

/** What a certificate is worth whose kernel values are rounded, or turn out to be none. */

beforeAll(() => init());

const pacer = new Pacer("never");
const rounding = { takesSummands: () => false, hidden: () => 0, doubt: () => 0, costs: 1, unseen: 1e-6 };

const certifierOf = (problem: ResidentProblem, given: Partial<CertifierParts>): Certifier =>
  new Certifier({
    ...{ problem, pacer, rounding, tolerance: 1e-3, kernelRounding: () => 0, largestNorm: 1 },
    valuesIn: problem.shape.precision,
    ...given,
  });

/** Two examples of two classes, whose kernel values are as much as indefinite, and dual variables that show it. */
async function indefinite(): Promise<ResidentProblem> {
  const kernel = { name: "precomputed", gamma: 0, degree: 0, coef0: 0, constant: 0, columns: 0 } as const;
  const problem = await openProblem({ loss: "hinge" }, [[], []], [0, 1], { numClasses: 2, kernel });
  [[1, 3], [3, 1]].forEach((row, i) => problem.kernel!.gramRow(i).set(row)); // prettier-ignore
  problem.measureRows(0, 2);
  problem.duals.restore(Float64Array.of(1, -1, -1, 1));
  return problem;
}

describe("dual variables at which kernel values are indefinite", () => {
  const offRecord = async (largestNorm: number, given: Partial<CertifierParts> = {}) => {
    const certifier = certifierOf(await indefinite(), { largestNorm, ...given });
    return new Evaluations({ certifier } as never).certifyOffRecord();
  };

  test("prove nothing off the record either, if rounding may have made them so", async () => {
    // Both margins are 5 and C_i = 2, both dual variables 1, and ||A^T X||^2 is -8: P = 16 and D = 6.
    const found = { primalObjective: 16, dualObjective: 6 };
    expect(await certify(await indefinite(), pacer)).toMatchObject({ ...found, dualityGap: 10 });
    expect(await offRecord(1e9)).toEqual({ ...found, dualityGap: Infinity, relativeGap: Infinity });
  });

  test("are refused off the record, too, where they cannot be rounding", async () => {
    await expect(offRecord(2)).rejects.toThrow("gram must be positive semidefinite, as values of a kernel are: ");
  });

  test("are rounding where they were given in float32, though the fit is in float64", async () => {
    await expect(offRecord(1e5)).rejects.toThrow("gram must be positive semidefinite");
    expect((await offRecord(1e5, { valuesIn: "float32" })).dualityGap).toBe(Infinity);
  });
});

describe("where rounding of kernel values to float32 may hide a part of P", () => {
  const labels = [0, 1, 2, 0, 1, 2, 0, 1, 2];
  const { features } = clouds(labels.length, 4, 3, 7);

  const opened = async (): Promise<ResidentProblem> => {
    const kernel = { name: "rbf", gamma: 0.3, degree: 0, coef0: 0, constant: 0, columns: 4 } as const;
    const shape = { numClasses: 3, precision: "float32", kernel } as const;
    const problem = await openProblem({ loss: "hinge" }, features, labels, shape);
    for (let pass = 0; pass < 3; pass++) problem.sweep(0, labels.length, true);
    return problem;
  };

  /** What is certified if that part, and the tolerance, are such parts of P - D, and what is of rounded and of exact values. */
  async function certified(part: number, toleranceOf: (hidden: number, gap: number, P: number) => number) {
    const problem = await opened();
    const [rounded, exact] = [await certify(problem, pacer), await certify(problem, pacer, undefined, true)];
    const { primalObjective: P, dualityGap: gap } = rounded;
    const hidden = part * P;
    const tolerance = toleranceOf(hidden, gap, P);
    const certifier = certifierOf(problem, { tolerance, kernelRounding: () => hidden });
    return { rounded, exact, hidden, found: await certifier.certify() };
  }

  test("a gap that is within the tolerance with it stays as it was found, P being no less than the rest", async () => {
    const { rounded, exact, found } = await certified(
      0.01,
      (hidden, gap, P) => (1.001 * (gap + hidden)) / (P - hidden),
    );
    expect(exact.primalObjective).not.toBe(rounded.primalObjective);
    expect(found).toEqual(rounded);
  });

  test("a little of it is added to a gap that is not", async () => {
    const { rounded, hidden, found } = await certified(0.01, (hidden, gap, P) => (gap + 0.9 * hidden) / (P - hidden));
    const dualityGap = rounded.dualityGap + hidden;
    expect(found).toEqual({ ...rounded, dualityGap, relativeGap: dualityGap / rounded.primalObjective });
  });

  test.each([
    ["P may be less by that, and the tolerance a part of less", 0.05, (hidden: number, gap: number, P: number) => (gap + hidden) / (P - hidden / 2)],
    ["it is more than half the tolerance", 0.05, (_: number, gap: number, P: number) => gap / P],
  ])("exact values are taken where %s", async (_, part, toleranceOf) => {
    const { rounded, exact, found } = await certified(part, toleranceOf);
    expect(exact.primalObjective).not.toBe(rounded.primalObjective);
    expect(found).toEqual(exact);
  }); // prettier-ignore
});
