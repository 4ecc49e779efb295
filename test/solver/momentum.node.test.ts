import { beforeAll, describe, expect, test } from "vitest";
import { fit, init } from "../../src/index.ts";
import { Pacer } from "../../src/pace/pace.ts";
import { finish } from "../../src/pace/steps.ts";
import { Momentum } from "../../src/solver/momentum.ts";
import type { Shape } from "../../src/wasm/layout.ts";
import type { ResidentProblem } from "../../src/wasm/problem.ts";
import { clouds } from "../helpers/data.ts";
import { EPS } from "../helpers/expect.ts";
import { allLosses, nameOf, optionsOf, setLosses } from "../helpers/losses.ts";
import { copyOf, dualOf, far, openProblem, rowsOf } from "../helpers/problem.ts";
import { dualObjective, infeasibility, weightsOf } from "../reference/objective.ts";

/** Extrapolation between the passes of a fit: what one does to a dual point, and what many do to a fit. */

beforeAll(() => init());

const n = 36;
const d = 4;
const m = 9;
const { features, labels } = clouds(n, d, m, 7);
features[3].fill(0);

const open = (spec: { loss: string }, shape: Partial<Shape>, truth: number[] | number[][]): Promise<ResidentProblem> =>
  openProblem(spec, features, truth, { numClasses: m, ...shape });

/** Some passes, the last of them with a note of the dual point before it, which is returned; the last two on lists, if there are to be. */
function start(problem: ResidentProblem, onLists = false): number[][] {
  finish(problem.visits.shuffle(n));
  problem.sweep(0, n, true);
  if (onLists) dualOf(problem);
  finish(problem.visits.shuffle(n));
  problem.sweep(0, n, !onLists);
  problem.duals.remember(0, problem.shape.numExamples);
  finish(problem.visits.shuffle(n));
  const before = rowsOf(copyOf(problem.duals), m);
  problem.sweep(0, n, !onLists);
  return before;
}

/** The rise of D that `extrapolate` claims. */
function moveOn(problem: ResidentProblem, beta: number): number {
  problem.clear(false);
  const before = problem.takePenalty();
  for (let i = 0; i < n; i += 7) problem.extrapolate(i, Math.min(7, n - i), beta);
  return problem.sums.dualLoss - (problem.takePenalty() - before);
}

describe.each(allLosses.map((spec) => [nameOf(spec), spec] as const))("%s", (_, spec) => {
  test.each([
    ["dense", {}, false],
    ["sparse", { nonzeros: n * d }, false],
    ["dense, on lists", {}, true],
    ["sparse, on lists", { nonzeros: n * d }, true],
  ] as const)("moves on, stays feasible, says how D changes, and goes back: %s", async (_how, shape, onLists) => {
    const problem = await open(spec, shape, labels);
    const before = start(problem, onLists);
    const now = rowsOf(copyOf(problem.duals), m);
    const rise = moveOn(problem, 0.6);
    const moved = rowsOf(copyOf(problem.duals), m);

    expect(infeasibility(moved, labels, 2, spec)).toBeLessThanOrEqual(16 * m * EPS);
    let free = 0;
    now.forEach((row, i) => {
      const aim = row.map((a, j) => a + 0.6 * (a - before[i][j]));
      if (infeasibility([aim], [labels[i]], 2, spec) > 1e-12 || far([row], [before[i]]) < 1e-9) return;
      free++;
      expect(far([moved[i]], [aim])).toBeLessThanOrEqual(1e-12);
    });
    expect(free).toBeGreaterThan(5);
    expect(far(moved, now)).toBeGreaterThan(0);
    expect(far(rowsOf(problem.weights.copy(), d), weightsOf(moved, features))).toBeLessThanOrEqual(1e-11);
    const size = 2 * n;
    const dual = (A: number[][]): number => dualObjective(A, features, labels, 2, spec);
    expect(Math.abs(rise - (dual(moved) - dual(now)))).toBeLessThanOrEqual(64 * n * EPS * size);

    moveOn(problem, -1);
    expect(far(rowsOf(copyOf(problem.duals), m), now)).toBeLessThanOrEqual(1e-14);
    moveOn(problem, 0);
    expect(moveOn(problem, 5)).toBe(0);
    expect(far(rowsOf(copyOf(problem.duals), m), now)).toBeLessThanOrEqual(1e-14);
  });
});

const sets = labels.map((y, i) => (i === 5 ? [] : [...new Set([y, (y + i) % m])].sort((a, b) => a - b)));
test.each(setLosses)("label sets: $loss, gamma $gamma", async (spec) => {
  const problem = await open(spec, {}, sets);
  start(problem);
  const now = copyOf(problem.duals);
  const rise = moveOn(problem, 0.6);
  const moved = copyOf(problem.duals);
  const risen = dualOf(problem);
  expect(far(rowsOf(copyOf(problem.duals), m), rowsOf(moved, m))).toBeLessThanOrEqual(1e-13); // nothing to repair
  problem.duals.restore(now);
  const size = 2 * n;
  expect(Math.abs(rise - (risen - dualOf(problem)))).toBeLessThanOrEqual(64 * n * EPS * size);
});

test.each(allLosses.map((spec) => [nameOf(spec), spec] as const))("a move never lowers D: %s", async (_, spec) => {
  const problem = await open(spec, {}, labels);
  problem.C.fill(30);
  const momentum = new Momentum(problem, new Pacer("never"));
  const dual = (): number => dualObjective(rowsOf(copyOf(problem.duals), m), features, labels, 30, spec);
  momentum.resume();
  let moves = 0;
  for (let pass = 0; pass < 60; pass++) {
    finish(problem.visits.shuffle(n));
    const before = dual();
    await momentum.moveOn(n);
    const after = dual();
    expect(after).toBeGreaterThanOrEqual(before - 1e-10 * Math.abs(before));
    moves += Number(after > before);
    problem.sweep(0, n, true);
  }
  expect(moves).toBeGreaterThan(0);
});

describe("a fit", () => {
  const many = clouds(250, 3, 8, 3, 2);
  test.each(allLosses.map((spec) => [nameOf(spec), spec] as const))(
    "with a large C, where there is much to move: D never falls, and it ends: %s",
    async (_, spec) => {
      const options = { ...optionsOf(spec), C: 30, tolerance: 1e-3, precision: "float64", maxEpochs: 3000 } as const;
      const { certificate, history } = await fit(many.features, many.labels, options);
      expect(certificate.status).toBe("solved");
      for (let r = 1; r < history.length; r++) {
        const [then, now] = [history[r - 1].dualObjective!, history[r].dualObjective!];
        expect(now).toBeGreaterThanOrEqual(then - 1e-11 * Math.abs(then));
      }
    },
  );
});
