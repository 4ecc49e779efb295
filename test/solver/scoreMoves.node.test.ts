import { beforeAll, describe, expect, test } from "vitest";
import { fit, init, type FitOptions } from "../../src/index.ts";
import { Pacer } from "../../src/pace/pace.ts";
import { finish } from "../../src/pace/steps.ts";
import { Momentum } from "../../src/solver/momentum.ts";
import { StepThreshold } from "../../src/solver/stepThreshold.ts";
import type { Shape } from "../../src/wasm/layout.ts";
import type { ResidentProblem } from "../../src/wasm/problem.ts";
import { expectNeverFalls } from "../helpers/certified.ts";
import { clouds } from "../helpers/data.ts";
import { EPS } from "../helpers/expect.ts";
import { asGram, expectKernelCertified } from "../helpers/kernels.ts";
import { allLosses, nameOf, setLosses } from "../helpers/losses.ts";
import { copyOf, dualOf, far, openProblem, rowsOf } from "../helpers/problem.ts";
import { certifyKernel, gramOf, scoresOf } from "../reference/kernel.ts";
import type { LossSpec } from "../reference/losses.ts";
import { infeasibility } from "../reference/objective.ts";

/** With a kernel, whose scores are at hand: moves of momentum with all scores at once, and steps that are taken back. */

beforeAll(() => init());

type Precision = Shape["precision"];

const n = 36;
const d = 4;
const m = 9;
const C = 2;
const cloud = clouds(n, d, m, 7);
const features = cloud.features.map((row) => row.map(Math.fround));
const { labels } = cloud;
features[3].fill(0);
const linear = { name: "linear", gamma: 0, degree: 0, coef0: 0, constant: 0, columns: d } as const;
const K = gramOf(features, features, { name: "linear" });
const sets = labels.map((y, i) => (i === 5 ? [] : [...new Set([y, (y + i) % m])].sort((a, b) => a - b)));
const ulp = { float64: EPS, float32: 2 ** -23 };

const open = (
  spec: { loss: string },
  precision: Precision,
  truth: number[] | number[][] = labels,
): Promise<ResidentProblem> => openProblem(spec, features, truth, { numClasses: m, kernel: linear, precision });

const dualsOf = (problem: ResidentProblem): number[][] => rowsOf(copyOf(problem.duals), m);
/** S as it is stored, by example. */
function scoresIn(problem: ResidentProblem): number[][] {
  const S = problem.weights.take();
  const ld = S.length / m;
  return features.map((_, i) => Array.from({ length: m }, (_, j) => S[j * ld + i]));
}

function pass(problem: ResidentProblem, everyClass: boolean): void {
  finish(problem.visits.shuffle(n));
  problem.sweep(0, n, everyClass);
}

function remember(problem: ResidentProblem): void {
  problem.scoreMoves!.moveScores(0, m, 0);
  problem.scoreMoves!.remember(0, n);
}

/** Some passes, the last of them after a note of the dual point, which is returned; the last two on lists, if there are to be. */
function start(problem: ResidentProblem, onLists: boolean): number[][] {
  pass(problem, true);
  if (onLists) dualOf(problem);
  pass(problem, !onLists);
  remember(problem);
  const before = dualsOf(problem);
  pass(problem, !onLists);
  return before;
}

/** The rise of D that a move claims. */
function carry(problem: ResidentProblem, beta: number): number {
  const moves = problem.scoreMoves!;
  problem.clear(false);
  for (let j = 0; j < m; j += 4) moves.moveScores(j, Math.min(4, m - j), beta);
  for (let i = 0; i < n; i += 7) moves.carry(i, Math.min(7, n - i), beta);
  return problem.sums.dualLoss - moves.penaltyRise(0, 20) - moves.penaltyRise(20, n - 20);
}

function takeBack(problem: ResidentProblem): void {
  problem.scoreMoves!.takeScoresBack(0, 5);
  problem.scoreMoves!.takeScoresBack(5, m - 5);
  for (let i = 0; i < n; i += 7) problem.scoreMoves!.takeBack(i, Math.min(7, n - i));
}

const ways = (["float64", "float32"] as const).flatMap((precision) =>
  [false, true].map((onLists) => [`${precision}${onLists ? ", on lists" : ""}`, precision, onLists] as const),
);

describe.each(allLosses.map((spec) => [nameOf(spec), spec] as const))("%s", (_, spec) => {
  test.each(ways)("scores and dual variables move on together, and go back: %s", async (_, precision, onLists) => {
    const eps = ulp[precision];
    const problem = await open(spec, precision);
    const before = start(problem, onLists);
    const [now, scoresNow] = [dualsOf(problem), scoresIn(problem)];
    const rise = carry(problem, 0.6);
    const moved = dualsOf(problem);

    expect(infeasibility(moved, labels, C, spec)).toBeLessThanOrEqual(16 * m * eps);
    let free = 0;
    now.forEach((row, i) => {
      const aim = row.map((a, j) => a + 0.6 * (a - before[i][j]));
      if (infeasibility([aim], [labels[i]], C, spec) > 4 * eps || far([row], [before[i]]) < 64 * eps) return;
      free++;
      expect(far([moved[i]], [aim])).toBeLessThanOrEqual(16 * eps);
    });
    expect(free).toBeGreaterThan(5);
    expect(far(moved, now)).toBeGreaterThan(0);
    const largest = Math.max(...K.flat());
    expect(far(scoresIn(problem), scoresOf(K, moved))).toBeLessThanOrEqual(4 * n * eps * largest);
    const dual = (A: number[][]): number => certifyKernel(K, A, labels, C, spec).dual;
    expect(Math.abs(rise - (dual(moved) - dual(now)))).toBeLessThanOrEqual(64 * n * eps * n * C);

    takeBack(problem);
    expect(dualsOf(problem)).toEqual(now);
    expect(scoresIn(problem)).toEqual(scoresNow);
  });
});

test.each(setLosses)("label sets: $loss, gamma $gamma", async (spec) => {
  for (const precision of ["float64", "float32"] as const) {
    const eps = ulp[precision];
    const problem = await open(spec, precision, sets);
    start(problem, false);
    const [now, scoresNow] = [copyOf(problem.duals), scoresIn(problem)];
    const rise = carry(problem, 0.6);
    const moved = copyOf(problem.duals);
    expect(moved).not.toEqual(now);
    expect(far(scoresIn(problem), scoresOf(K, rowsOf(moved, m)))).toBeLessThanOrEqual(256 * n * eps);
    takeBack(problem);
    expect(copyOf(problem.duals)).toEqual(now);
    expect(scoresIn(problem)).toEqual(scoresNow);
    const first = dualOf(problem);
    problem.duals.restore(moved);
    expect(Math.abs(rise - (dualOf(problem) - first))).toBeLessThanOrEqual(64 * n * eps * n * C);
  }
});

test.each(["float64", "float32"] as const)("the direction outlasts a certificate, %s", async (precision) => {
  const eps = ulp[precision];
  const spec: LossSpec = { loss: "hinge", gamma: 0.5 };
  const problem = await open(spec, precision);
  const before = start(problem, true);
  const now = dualsOf(problem);
  dualOf(problem);
  expect(far(dualsOf(problem), now)).toBeLessThanOrEqual(eps);
  carry(problem, 0.6);
  const moved = dualsOf(problem);
  const aims = now.map((row, i) => row.map((a, j) => a + 0.6 * (a - before[i][j])));
  const free = aims.flatMap((aim, i) => (infeasibility([aim], [labels[i]], C, spec) <= 4 * eps ? [i] : []));
  expect(free.length).toBeGreaterThan(5);
  for (const i of free) expect(far([moved[i]], [aims[i]])).toBeLessThanOrEqual(16 * eps);
  expect(far(scoresIn(problem), scoresOf(K, moved))).toBeLessThanOrEqual(256 * n * eps);
});

test.each(allLosses.flatMap((spec) => (["float64", "float32"] as const).map((p) => [nameOf(spec), p, spec] as const)))(
  "a move never lowers D, whatever evaluations come between: %s, %s",
  async (_, precision, spec) => {
    const problem = await open(spec, precision);
    problem.C.fill(30);
    const momentum = new Momentum(problem, new Pacer("never"));
    const dual = (): number => certifyKernel(K, dualsOf(problem), labels, 30, spec).dual;
    momentum.resume();
    let moves = 0;
    for (let at = 0; at < 60; at++) {
      if (at % 7 === 6) dualOf(problem);
      finish(problem.visits.shuffle(n));
      const before = dual();
      await momentum.moveOn(n);
      const after = dual();
      // In float32 D of the dual variables as they are stored is off that of the scores.
      const noise = precision === "float64" ? 1e-10 : 1e-5;
      expect(after).toBeGreaterThanOrEqual(before - noise * Math.abs(before));
      moves += Number(after > before);
      problem.sweep(0, n, at % 3 === 0);
    }
    expect(moves).toBeGreaterThan(0);
  },
);

/**
 * Scores are those of dual variables and of what rounding has taken off them, which a move by nothing has them take in
 * as far as they can. Then it is a rounding or two of each, however long it has been before.
 */
function expectScoresToBelong(problem: ResidentProblem, largestC: number): void {
  carry(problem, 0);
  const S = scoresIn(problem);
  const exact = scoresOf(K, dualsOf(problem));
  K.forEach((row, i) => {
    const all = row.reduce((total, value) => total + Math.abs(value), 0);
    expect(far([S[i]], [exact[i]])).toBeLessThanOrEqual(2 * ulp.float32 * largestC * all);
  });
}

describe.each([
  ["hinge", { loss: "hinge", gamma: 0.1 } as LossSpec, labels],
  ["multilabel hinge", { loss: "multilabel-hinge", gamma: 0.1 }, sets],
] as const)("what rounding takes off dual variables in float32 does not grow in scores, %s", (_, spec, truth) => {
  /** Steps are long, and come with much rounding, where C goes up and down. */
  const shake = (problem: ResidentProblem, at: number): void => {
    problem.C.fill(at % 2 === 0 ? 1000 : 3 + (at % 10));
    pass(problem, at % 5 === 0);
    problem.C.fill(1000);
  };

  test("however many moves there are", async () => {
    const problem = await open(spec, "float32", [...truth] as number[]);
    problem.C.fill(1000);
    const momentum = new Momentum(problem, new Pacer("never"));
    momentum.resume();
    for (let at = 0; at < 400; at++) {
      if (at % 50 === 3) dualOf(problem);
      await momentum.moveOn(n);
      pass(problem, at % 5 === 0);
    }
    expectScoresToBelong(problem, 1000);
  });

  test("however many are taken back", async () => {
    const problem = await open(spec, "float32", [...truth] as number[]);
    for (let at = 0; at < 400; at++) {
      shake(problem, at);
      if (at === 0) dualOf(problem);
      if (at % 3 === 0) remember(problem);
      else {
        carry(problem, 3);
        takeBack(problem);
      }
    }
    expectScoresToBelong(problem, 1000);
  });

  test("and where a certificate comes between", async () => {
    const problem = await open(spec, "float32", [...truth] as number[]);
    shake(problem, 0);
    remember(problem);
    for (let at = 0; at < 400; at++) shake(problem, at);
    remember(problem);
    shake(problem, 0);
    dualOf(problem);
    carry(problem, 0.9);
    expectScoresToBelong(problem, 1000);
  });
});

test("a direction that is gone is not taken", async () => {
  const problem = await open({ loss: "hinge" }, "float64");
  const momentum = new Momentum(problem, new Pacer("never"));
  momentum.resume();
  for (let at = 0; at < 6; at++) {
    await momentum.moveOn(n);
    pass(problem, true);
  }
  problem.duals.restore(new Float64Array(n * m));
  dualOf(problem);
  momentum.restart();
  await momentum.moveOn(n);
  expect(dualsOf(problem).flat().every((a) => a === 0)).toBe(true); // prettier-ignore
  expect(scoresIn(problem).flat().every((u) => u === 0)).toBe(true); // prettier-ignore
  pass(problem, true);
  const before = dualsOf(problem);
  await momentum.moveOn(n);
  expect(dualsOf(problem)).not.toEqual(before);
});

describe("steps that are not worth a row", () => {
  test.each(["float64", "float32"] as const)("are taken back, and their movement is noted, %s", async (precision) => {
    for (const truth of [labels, sets]) {
      const spec = truth === labels ? { loss: "topk-hinge", k: 2 } : { loss: "multilabel-hinge" };
      const problem = await open(spec, precision, truth);
      pass(problem, true);
      dualOf(problem);
      problem.progress.takeTaken();
      problem.progress.take();
      const [A, S] = [copyOf(problem.duals), scoresIn(problem)];
      problem.progress.leastMovement = 1e9;
      pass(problem, false);
      expect(problem.progress.takeTaken()).toBe(0);
      expect(problem.progress.take()).toEqual({ movement: 0, work: 0 });
      expect(copyOf(problem.duals)).toEqual(A);
      expect(scoresIn(problem)).toEqual(S);
      // Each is the step from where all are.
      const wouldMove = [...problem.gaps];
      expect(wouldMove.filter((movement) => movement > 0).length).toBeGreaterThan(5);
      const least = [...wouldMove].sort((a, b) => b - a)[5];
      problem.progress.leastMovement = least;
      pass(problem, false);
      const taken = problem.progress.takeTaken();
      expect(taken).toBeGreaterThan(0);
      expect(taken).toBeLessThan(n);
      expect([...problem.gaps].filter((movement) => movement >= least).length).toBe(taken);
      expect(problem.progress.take().movement).toBeGreaterThanOrEqual(taken * least);
    }
  });

  test("are taken back where there was no dual variable yet, whatever was there in memory", async () => {
    const other = await open({ loss: "hinge" }, "float64");
    for (let at = 0; at < 3; at++) pass(other, true);
    other.release();
    const problem = await open({ loss: "hinge" }, "float64");
    problem.progress.leastMovement = 1e9;
    pass(problem, false);
    expect(problem.progress.takeTaken()).toBe(0);
    expect(copyOf(problem.duals).every((a) => a === 0)).toBe(true);
    problem.progress.leastMovement = 0;
    pass(problem, false);
    expect(problem.progress.takeTaken()).toBe(n);
    expect(infeasibility(dualsOf(problem), labels, C, { loss: "hinge" })).toBeLessThanOrEqual(16 * m * EPS);
  });

  test("are taken by passes over every class", async () => {
    const problem = await open({ loss: "hinge" }, "float64");
    problem.progress.leastMovement = 1e9;
    pass(problem, true);
    expect(problem.progress.takeTaken()).toBe(n);
    expect(problem.progress.take().movement).toBeGreaterThan(0);
  });

  test("are told by what the last pass has gained for its rows and visits", () => {
    const threshold = new StepThreshold(1200);
    expect(threshold.least).toBe(0);
    // 100 rows, and 400 visits of half a row each.
    expect(threshold.notePass({ visits: 400, taken: 100, movement: 30 })).toBe(100 + 300 / 16);
    expect(threshold.least).toBe(0.1);
    expect(threshold.notePass({ visits: 400, taken: 0, movement: 0 })).toBe(400 / 16);
    expect(threshold.least).toBe(0);
    threshold.notePass({ visits: 0, taken: 0, movement: 0 });
    expect(threshold.least).toBe(0);
  });
});

describe("fits that take many passes without", () => {
  const hard = clouds(300, 3, 2, 1, 2);
  const kernel = { name: "rbf", gamma: 1 } as const;
  test.each(["float64", "float32"] as const)("end soon, certified, and D never falls, %s", async (precision) => {
    const options: FitOptions<number> = { loss: "hinge", C: 100, intercept: false, kernel, precision };
    const model = await fit(hard.features, hard.labels, options);
    expect(model.certificate.status).toBe("solved");
    expect(model.certificate.epochs).toBeLessThan(150);
    const loss: LossSpec = { loss: "hinge" };
    expectKernelCertified(model, { ...hard, kernel, loss, C: 100, precision });
    expectNeverFalls(model.history, precision === "float64" ? 1e-12 : 1e-6);
    const gram = asGram(gramOf(hard.features, hard.features, kernel));
    const same = await fit(gram, hard.labels, { loss: "hinge", C: 100, intercept: false, precision });
    expect(same.certificate.status).toBe("solved");
  });

  test.each<[string, FitOptions]>([
    ["hinge", { loss: "hinge" }],
    ["one-vs-all hinge", { loss: "ova-hinge" }],
    ["multilabel hinge", { loss: "multilabel-hinge" }],
  ])("make no support vectors of rounding, %s", async (name, options) => {
    const { features, labels } = clouds(500, 6, 5, 2, 1.5);
    const truth: any = name.startsWith("multilabel") ? labels.map((y) => [y, (y + 1) % 5]) : labels;
    const model = await fit(features, truth, { ...options, C: 100, kernel: { name: "rbf", gamma: 0.1 } });
    expect(model.certificate.status).toBe("solved");
    const sizes = rowsOf(model.dualVariables!.data, 5).map((row) => Math.max(...row.map(Math.abs)));
    expect(sizes.filter((a) => a === 0).length).toBeGreaterThan(100);
    expect(sizes.filter((a) => a > 0 && a < 1e-8 * 100)).toEqual([]);
  });
});
