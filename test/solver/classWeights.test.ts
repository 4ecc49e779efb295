import { describe, expect, test } from "vitest";
import { fit, load, select, type Features, type FitOptions, type Label, type Model } from "../../src/index.ts";
import { csrOf, spread } from "../helpers/csr.ts";
import { clouds } from "../helpers/data.ts";
import { rowsOf } from "../helpers/problem.ts";
import { setConjugate, setLoss, type SetLossSpec } from "../reference/multilabel.ts";
import { sum } from "../reference/sum.ts";

/** Label sets with class weights: the binary loss of a class counts w times on the examples that have it, and once on the others. */

const specs: SetLossSpec[] = [{ loss: "ova-hinge" }, { loss: "ova-hinge", gamma: 0.5 }, { loss: "ova-logistic" }];
const cases = specs.map((spec) => [Object.values(spec).join(" "), spec] as const);

const m = 5;
const n = 80;
const { features, labels } = clouds(n, 6, m, 3);
const classes = Array.from({ length: m }, (_, j) => `t${j}`);
/** From none to all; the last class is rare. */
const sets = labels.map((y, i) => {
  if (i % 20 === 0) return i === 0 ? [...classes] : [];
  return classes.filter((_, j) => (j === m - 1 ? y === j && i % 3 === 0 : j === y || (i + j) % 4 === 1));
});
const factors = new Map([
  ["t0", 3],
  ["t2", 0.25],
  ["t4", 20],
]);
const factorOf = (label: string): number => factors.get(label) ?? 1;
const sampleWeight = labels.map((_, i) => 0.5 + (i % 3));

const solve = (
  spec: SetLossSpec,
  options: FitOptions = {},
  truth: readonly Label[][] = sets,
  rows: Features = features,
): Promise<Model<Label[]>> =>
  fit(rows, truth, {
    ...{ tolerance: 1e-8, precision: "float64", maxEpochs: 20_000, classWeight: factors, sampleWeight },
    ...options,
    ...spec,
  } as FitOptions) as unknown as Promise<Model<Label[]>>;

const squares = (values: readonly number[]): number => sum(values.map((v) => v * v));

/** P and D from their definitions, class by class, of what a model shows. */
function recompute(model: Model<Label[]>, spec: SetLossSpec, C: number): { primal: number; dual: number } {
  const scores = rowsOf(model.scores(features), m);
  const A = rowsOf(model.dualVariables!.data, m);
  const losses: number[] = [];
  const conjugates: number[] = [];
  const Z = classes.map(() => new Float64Array(features[0].length + 1));
  for (const [i, row] of A.entries()) {
    for (const [j, a] of row.entries()) {
      const own = sets[i].includes(classes[j]);
      const cost = C * sampleWeight[i] * (own ? factorOf(classes[j]) : 1);
      const binary = (f: typeof setLoss): number =>
        (own ? f(spec, [scores[i][j]], []) : f(spec, [], [scores[i][j]])).value;
      losses.push(cost * binary(setLoss));
      const v = -a / cost;
      conjugates.push(cost * (own ? setConjugate(spec, [v], [], 1e-12) : setConjugate(spec, [], [v], 1e-12)));
      [...features[i], 1].forEach((x, l) => (Z[j][l] += a * x));
    }
  }
  const norm2 = squares([...model.weights.data]) + squares([...model.intercepts]);
  return { primal: sum(losses) + norm2 / 2, dual: -sum(conjugates) - squares(Z.flatMap((z) => [...z])) / 2 };
}

describe.each(cases)("%s", (_, spec) => {
  test.each(["float32", "float64"] as const)(
    "solved, and the certificate holds when recomputed: %s",
    async (precision) => {
      // Where C is large the smooth losses take detours.
      for (const C of spec.loss === "ova-logistic" || spec.gamma ? [0.02, 1, 100] : [0.02, 1]) {
        const model = await solve(spec, { C, precision, tolerance: precision === "float32" ? 1e-4 : 1e-8 });
        const { status, primalObjective, dualObjective } = model.certificate;
        expect(status).toBe("solved");
        const { primal, dual } = recompute(model, spec, C);
        const rounding = (precision === "float32" ? 1e-6 : 1e-10) * primal;
        expect(Math.abs(primal - primalObjective)).toBeLessThanOrEqual(rounding);
        expect(Math.abs(dual - dualObjective!)).toBeLessThanOrEqual(rounding);
      }
    },
  );

  test("each class as in a fit for that class alone, its examples weighing as much", async () => {
    const model = await solve(spec);
    for (const [j, label] of classes.entries()) {
      const weights = sets.map((set, i) => sampleWeight[i] * (set.includes(label) ? factorOf(label) : 1));
      const alone = await solve(
        spec,
        { classWeight: undefined, sampleWeight: weights, classes: [label, "another"] },
        sets.map((set) => set.filter((other) => other === label)),
      );
      const [row, same] = [model, alone].map(({ weights: { data, cols } }, of) => {
        const first = of === 0 ? j * cols : 0;
        return [...data.subarray(first, first + cols)];
      });
      // P is strongly convex: ||W - W*||^2 is at most twice the duality gap, of either fit.
      const gaps = model.certificate.dualityGap! + alone.certificate.dualityGap!;
      expect(squares(row.map((w, l) => w - same[l]))).toBeLessThanOrEqual(4 * gaps);
    }
  });

  test("weights of 1 are none; balanced is as many as do not have a class to one that has it, and 1 if none has it or all", async () => {
    const truth = sets.map((set) => [...set, "always"]);
    const P = async (classWeight: FitOptions["classWeight"]): Promise<number> =>
      (await solve(spec, { classWeight, classes: [...classes, "absent", "always"] }, truth)).certificate
        .primalObjective;
    const same = async (a: FitOptions["classWeight"], b: FitOptions["classWeight"]): Promise<void> => {
      const [p, q] = [await P(a), await P(b)];
      expect(Math.abs(p - q)).toBeLessThanOrEqual(2e-8 * p);
    };
    const count = (label: string): number => sets.filter((set) => set.includes(label)).length;
    await same([["t1", 1]], undefined);
    await same(
      "balanced",
      classes.map((label) => [label, (n - count(label)) / count(label)]),
    );
  });

  test("with a kernel, sparse rows, saved and loaded, from a start with other weights, and selected", async () => {
    const kernel = { name: "rbf", gamma: 0.1 } as const;
    expect((await solve(spec, { kernel, tolerance: 1e-6 })).certificate.status).toBe("solved");
    const model = await solve(spec, { tolerance: 1e-6 });
    const P = model.certificate.primalObjective;
    const sparse = csrOf(spread(features, 90)); // so few of their columns hold anything that they are stored sparse
    const { certificate: ofSparse } = await solve(spec, { tolerance: 1e-6 }, sets, sparse);
    expect(Math.abs(ofSparse.primalObjective - P)).toBeLessThanOrEqual(2e-6 * P);

    const back = load<Label[]>(model.toBytes({ duals: true }));
    expect((await solve(spec, { initial: back, tolerance: 1e-6 })).certificate.epochs).toBe(0);
    for (const options of [{ classWeight: undefined }, { C: 3 }, { classWeight: "balanced" }] as const) {
      const warm = await solve(spec, { ...options, initial: back, tolerance: 1e-6 });
      const cold = await solve(spec, { ...options, tolerance: 1e-6 });
      expect(warm.certificate.status).toBe("solved");
      const p = cold.certificate.primalObjective;
      expect(Math.abs(warm.certificate.primalObjective - p)).toBeLessThanOrEqual(2e-6 * p);
    }
    const C = [0.1, 1];
    const { best, model: chosen } = await select(features, sets, {
      ...{ grid: { loss: [spec.loss], C }, folds: 2 },
      options: { classWeight: "balanced", ...(spec.gamma && { gamma: spec.gamma }) },
    });
    expect(C).toContain(best.C);
    expect(chosen.certificate.status).toBe("solved");
  });
});

test("a class that weighs more is found more often", async () => {
  const found = async (weight: number): Promise<number> => {
    const model = await solve({ loss: "ova-logistic" }, { classWeight: [["t4", weight]], tolerance: 1e-3, C: 0.01 });
    return model.predict(features).filter((set) => set.includes("t4")).length;
  };
  const [seldom, often] = [await found(1), await found(50)];
  expect(often).toBeGreaterThan(seldom + 5);
});
