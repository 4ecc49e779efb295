import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DenseSchedule } from "../../src/solver/denseSchedule.ts";
import { ListSchedule } from "../../src/solver/listSchedule.ts";
import { MOST_PASSES, type Next, type Schedule } from "../../src/solver/schedule.ts";

const n = 1000;
const shape = { numExamples: n, numFeatures: 100, numClasses: 50, precision: "float32" as const };
const noLists = { listsFirst: false };
const pass = (movement: number, visits = n) => ({ visits, movement, work: 10 * visits });

/** Passes until an evaluation is asked for, the p-th of which gains gainOf(p). */
function runRound(
  schedule: Schedule,
  target: number,
  gainOf: (p: number) => number,
  visitsOf: (next: Next) => number = () => n,
): number {
  let next: Next = "active";
  for (let p = 1; ; p++) {
    next = schedule.afterPass(pass(gainOf(p), visitsOf(next)), target);
    if (next === "evaluate") return p;
    if (p > MOST_PASSES) throw new Error("a round without end");
  }
}

interface World {
  /** What part of its gain the next pass gains. */
  ratio: number;
  /** What an evaluation finds outside the lists, as a part of the round's first gain. */
  outside: number;
  /** The gap when the next pass gains so much. */
  gapAt: (gain: number) => number;
}

/** A fit in such a world: how many evaluations and passes it takes. */
function solve(schedule: Schedule, { ratio, outside, gapAt }: World, target: number) {
  let gain = 1000;
  const taken = { evaluations: 0, passes: 0, gap: Infinity, foreseen: false };
  while (taken.gap > target && taken.evaluations < 100) {
    const first = gain;
    taken.passes += runRound(schedule, target, (p) => {
      gain = first * ratio ** p;
      return first * ratio ** (p - 1);
    });
    gain += outside * first;
    taken.foreseen = schedule.likelySolved(target);
    taken.gap = gapAt(gain);
    taken.evaluations++;
    schedule.afterEvaluation(taken.gap, false);
  }
  return taken;
}

describe("rounds over lists of candidates", () => {
  const worlds = [
    { name: "smoothed, fast", smooth: true, ratio: 0.1, gapAt: (g: number) => 3 * g, target: 1 },
    { name: "smoothed, slow", smooth: true, ratio: 0.7, gapAt: (g: number) => 3 * g, target: 0.01 },
    { name: "kinked, fast", smooth: false, ratio: 0.2, gapAt: (g: number) => 10 * Math.sqrt(g), target: 1 },
    { name: "kinked, slow", smooth: false, ratio: 0.8, gapAt: (g: number) => 10 * Math.sqrt(g), target: 0.3 },
  ];
  for (const { name, smooth, ratio, gapAt, target } of worlds) {
    it(`takes little more than what is needed and foresees the end: ${name}`, () => {
      const taken = solve(new ListSchedule(shape, smooth, noLists), { ratio, outside: 0.02, gapAt }, target);
      expect(taken.gap).toBeLessThanOrEqual(target);
      expect(taken.foreseen).toBe(true);
      let needed = 0;
      for (let gain = 1000; gapAt(gain) > target; gain *= ratio) needed++;
      expect(taken.passes).toBeLessThanOrEqual(1.3 * needed + 3);
      // Each round but the last takes the gain down to about what waits outside, a few hundredths.
      const falls = Math.log(1000 / (target / gapAt(1)) ** (smooth ? 1 : 2)) / Math.log(25);
      expect(taken.evaluations).toBeLessThanOrEqual(falls + 3);
    });
  }

  it("learns how the gap goes with the gains where gamma is small", () => {
    const kinkedAtFirst = (g: number) => (g > 1 ? 10 * Math.sqrt(g) : 10 * g);
    const taken = solve(
      new ListSchedule(shape, true, noLists),
      { ratio: 0.5, outside: 0.01, gapAt: kinkedAtFirst },
      0.01,
    );
    expect(taken.gap).toBeLessThanOrEqual(0.01);
    expect(taken.evaluations).toBeLessThanOrEqual(8);
  });

  it("begins with two passes where the first one makes lists", () => {
    for (const listsFirst of [false, true]) {
      const schedule = new ListSchedule(shape, true, { listsFirst });
      expect(runRound(schedule, 0, () => 100)).toBe(listsFirst ? 2 : 1);
      expect(runRound(new ListSchedule(shape, true, { listsFirst }), 0, () => 0)).toBe(1); // nothing moves
    }
  });

  it("goes on with what still moves while that gains more for its work", () => {
    const schedule = new ListSchedule(shape, false, noLists);
    runRound(schedule, 1, () => 100);
    schedule.afterEvaluation(100, false);
    expect(schedule.afterPass(pass(100), 1)).toBe("moving");
    expect(schedule.afterPass(pass(90, n / 2), 1)).toBe("moving");
    expect(schedule.afterPass(pass(4, n / 4), 1)).toBe("active");
    expect(schedule.afterPass(pass(50), 1)).toBe("moving");
  });

  it("keeps a round going for as many visits as it is told", () => {
    const schedule = new ListSchedule(shape, true, noLists);
    runRound(
      schedule,
      1,
      () => 100,
      () => 40 * n,
    );
    schedule.afterEvaluation(100, true);
    expect(runRound(schedule, 1, (p) => 100 * 0.01 ** p)).toBe(10);
  });
});

describe("rounds over every class", () => {
  it("foresees the end by the gain", () => {
    const taken = solve(new DenseSchedule(shape), { ratio: 0.3, outside: 0, gapAt: (g) => 2 * g }, 0.1);
    expect(taken.gap).toBeLessThanOrEqual(0.1);
    expect(taken.foreseen).toBe(true);
    expect(taken.evaluations).toBeLessThanOrEqual(2);
  });

  it("tells soon how fast the gap falls where gains fall slowly and there would be a detour", () => {
    const secondRound = (detours: boolean, ratio: number): number => {
      const schedule = new DenseSchedule(shape, detours);
      runRound(schedule, 1e-3, (p) => 1000 * ratio ** p);
      schedule.afterEvaluation(1000, false);
      return runRound(schedule, 1e-3, (p) => 1000 * ratio ** p);
    };
    expect(secondRound(true, 0.8)).toBe(3);
    expect(secondRound(false, 0.8)).toBeGreaterThan(10);
    expect(secondRound(true, 0.3)).toBe(secondRound(false, 0.3));
  });

  it("may come down to the target within a pass if that is not too far away", () => {
    const schedule = new DenseSchedule(shape);
    expect(schedule.mayReach(1)).toBe(false); // nothing is known of a first pass
    schedule.afterPass(pass(1000), 1);
    expect(schedule.mayReach(1)).toBe(true);
    expect(schedule.afterPass(pass(200), 1)).toBe("evaluate");
    schedule.afterEvaluation(100, false);
    expect(schedule.mayReach(1)).toBe(false);
    expect(schedule.mayReach(10)).toBe(true);
    schedule.afterPass(pass(20), 1); // predicted: 100 by 200, times 20
    expect(schedule.mayReach(1)).toBe(true);
  });
});

describe.each([
  ["lists, smoothed", () => new ListSchedule(shape, true, noLists)],
  ["lists, kinked", () => new ListSchedule(shape, false, noLists)],
  ["lists from the first pass on", () => new ListSchedule(shape, true, { listsFirst: true })],
  ["dense", () => new DenseSchedule(shape)],
])("%s: whatever passes gain", (_, create) => {
  const gains = fc.oneof(fc.double({ min: 0, max: 1e300, noNaN: true }), fc.constantFrom(0, 1e-320, Infinity, NaN));

  it("a round ends", () => {
    fc.assert(
      fc.property(fc.array(gains, { minLength: 1 }), gains, gains, fc.nat(n), (sequence, gap, target, visits) => {
        const schedule = create();
        const visitsOf = (next: Next): number => (next === "moving" ? Math.max(visits, 1) : n);
        for (let r = 0; r < 3; r++) {
          const passes = runRound(schedule, target, (p) => sequence[(p + r) % sequence.length], visitsOf);
          expect(passes).toBeLessThanOrEqual(MOST_PASSES);
          schedule.afterEvaluation(gap, false);
          expect(schedule.rounds.fall).toBeGreaterThanOrEqual(1);
        }
      }),
    );
  });

  /** A round of passes that gain all the same, and its evaluation. */
  const round = (schedule: Schedule, visits: readonly number[], gap: number, doubtful = false): void => {
    for (const count of visits) schedule.afterPass(pass(1, count), 0);
    schedule.afterEvaluation(gap, doubtful);
  };
  /** Passes of so many visits that the round has from now on. */
  const passesOf = (schedule: Schedule, visits: number): number => {
    let passes = 1;
    for (; ; passes++) {
      const next = schedule.afterPass(pass(1, visits), 0);
      if (next === "evaluate") return passes;
      expect(next).toBe("active");
    }
  };

  it("rounds in which the gap falls slowly become long, a quarter of all visits, of all active examples", () => {
    const schedule = create();
    for (const gap of [100, 90, 80]) round(schedule, [10 * n], gap);
    expect(schedule.rounds.steady).toBe(false);
    round(schedule, [10 * n], 70);
    expect(schedule.rounds.steady).toBe(true);
    expect(passesOf(schedule, n)).toBe(10);
    schedule.afterEvaluation(60, false);
    expect(passesOf(schedule, n)).toBe(13);
    schedule.afterEvaluation(20, false);
    expect(schedule.rounds.steady).toBe(false);
  });

  it("a long round of few visits has more passes than others where there have been many", () => {
    const schedule = create();
    const passes = (count: number): number[] => [1e6 * n, ...new Array<number>(count - 1).fill(1)];
    for (const gap of [100, 90, 80, 70]) round(schedule, passes(10), gap);
    expect(passesOf(schedule, 1)).toBe(MOST_PASSES);
    round(schedule, passes(2000), 60);
    expect(passesOf(schedule, 1)).toBe(574); // a quarter of 40, 256 and 2000
  });

  it("all examples become active where those that are have nothing left to gain", () => {
    const schedule = create();
    for (const gap of [100, 90, 80, 70]) round(schedule, [10 * n], gap);
    expect(schedule.rounds.everyExample).toBe(false);
    expect([100, 1, 0.1].map((gain) => schedule.afterPass(pass(gain), 0))).toEqual(["active", "active", "evaluate"]);
    schedule.afterEvaluation(65, false);
    expect(schedule.rounds.everyExample).toBe(true);
    round(schedule, [n, n], 60);
    expect(schedule.rounds.everyExample).toBe(true);
    round(schedule, [n, n], 30);
    expect(schedule.rounds.everyExample).toBe(false);
    round(schedule, [n, n], 31, true);
    expect(schedule.rounds.everyExample).toBe(true);
  });

  it("nothing moves: it is evaluated at once", () => {
    const schedule = create();
    schedule.afterEvaluation(1, false);
    expect(schedule.afterPass(pass(0), 1e-3)).toBe("evaluate");
  });
});
