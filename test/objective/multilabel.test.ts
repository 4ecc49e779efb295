import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { init, losses } from "../../src/index.ts";
import { RUNS, shuffled } from "../helpers/arbitraries.ts";
import { EPS, expectAtMost, expectVectorWithin, expectWithin, maxAbs } from "../helpers/expect.ts";
import { openSetLoss } from "../helpers/setLoss.ts";
import { setConjugate, setLoss, setStep, type SetLossSpec } from "../reference/multilabel.ts";
import { dot, sum } from "../reference/sum.ts";
import lossCases from "../vectors/B1_losses.json" with { type: "json" };
import conjugateCases from "../vectors/B2_conjugates.json" with { type: "json" };

beforeAll(() => init());

const SPECS: SetLossSpec[] = [
  { loss: "multilabel-hinge" },
  { loss: "multilabel-hinge", gamma: 0.1 },
  { loss: "multilabel-hinge", gamma: 2 },
  { loss: "multilabel-softmax" },
  { loss: "ova-hinge" },
  { loss: "ova-hinge", gamma: 0.5 },
  { loss: "ova-logistic" },
];
const isOneVsAll = ({ loss }: SetLossSpec): boolean => loss.startsWith("ova-");

/** Our names of the stored cases on label sets. */
function specOf({ loss, gamma }: { loss: string; gamma?: number | null }): SetLossSpec | null {
  if (loss === "ml_softmax") return { loss: "multilabel-softmax" };
  return loss === "ml_svm" ? { loss: "multilabel-hinge", gamma: gamma ?? 0 } : null;
}

const others = (m: number, Y: readonly number[]): number[] =>
  Array.from({ length: m }, (_, j) => j).filter((j) => !Y.includes(j));
const pick = (v: readonly number[], indices: readonly number[]): number[] => indices.map((j) => v[j]);
const optionsOf = ({ gamma }: SetLossSpec): { gamma?: number } => (gamma === undefined ? {} : { gamma });

describe("stored exact answers", () => {
  test("values and gradients", () => {
    let compared = 0;
    for (const { name, u, Y, value, grad, atol, rtol, ...which } of lossCases) {
      const spec = specOf(which);
      if (spec === null) continue;
      const set = Y as number[];
      const got = losses.value(spec.loss, u, set, optionsOf(spec));
      expectWithin(got, value, atol + rtol * Math.abs(value), name);
      const gradient = losses.gradient(spec.loss, u, set, optionsOf(spec));
      if (grad !== null) expectVectorWithin(gradient, grad, (entry) => atol + rtol * Math.abs(entry), name);
      const rest = others(u.length, set);
      const exact = setLoss(spec, pick(u, set), pick(u, rest));
      expectWithin(exact.value, value, atol + rtol * Math.abs(value), name);
      compared++;
    }
    expect(compared).toBe(24);
  });

  test("conjugates", () => {
    let compared = 0;
    for (const { name, v, Y, finite, value, atol, ...which } of conjugateCases) {
      const spec = specOf(which);
      if (spec === null) continue;
      const set = Y as number[];
      const rest = others(v.length, set);
      const exact = setConjugate(spec, pick(v, set), pick(v, rest));
      expect(Number.isFinite(exact), name).toBe(finite);
      compared++;
      if (!finite) continue;
      expectWithin(exact, value as number, atol, name);
      // -C L*(-a/C) at a = -C v.
      const kernels = openSetLoss(spec, set.length, rest.length);
      const x = [...pick(v, set).map((entry) => -entry), ...pick(v, rest)];
      for (const C of [1, 0.25, 8]) {
        const dual = kernels.dual(
          x.map((entry) => C * entry),
          C,
        );
        expectWithin(dual, -C * (value as number), C * atol, `${name}, C ${C}`);
      }
    }
    expect(compared).toBe(24);
  });
});

const entries = fc.oneof(
  fc.double({ min: -3, max: 3, noNaN: true }),
  fc.integer({ min: -2, max: 2 }),
  fc.integer({ min: -300, max: 300 }).map((j) => j / 7),
);

interface Example {
  own: number[];
  other: number[];
}

/** Scores of the true classes and of the others; at most one side is empty. */
const examples: fc.Arbitrary<Example> = fc
  .record({ own: fc.array(entries, { maxLength: 6 }), other: fc.array(entries, { maxLength: 6 }) })
  .filter(({ own, other }) => own.length + other.length > 0);

const rounding = (u: readonly number[]): number => 16 * (1 + u.length) * EPS * (1 + maxAbs(u));

describe.each(SPECS.map((spec) => [Object.values(spec).join(" "), spec] as const))("%s", (_, spec) => {
  const exactAt = ({ own, other }: Example) => setLoss(spec, own, other);
  const kernelsFor = ({ own, other }: Example) => openSetLoss(spec, own.length, other.length);

  test("value and gradient equal the definition, in any order of the classes", () => {
    fc.assert(
      fc.property(examples, fc.integer({ min: 1, max: 1000 }), (example, seed) => {
        const { own, other } = example;
        const m = own.length + other.length;
        fc.pre(m >= 2);
        const order = shuffled(
          Array.from({ length: m }, (_, j) => j),
          seed,
        );
        const u = Array<number>(m);
        [...own, ...other].forEach((score, j) => (u[order[j]] = score));
        const set = order.slice(0, own.length);
        const exact = exactAt(example);
        const value = losses.value(spec.loss, u, set, optionsOf(spec));
        expectWithin(value, exact.value, rounding(u), "value");
        expectAtMost(0, value, "value");
        const gradient = Array.from(losses.gradient(spec.loss, u, set, optionsOf(spec)));
        if (spec.gamma || spec.loss.endsWith("softmax") || spec.loss.endsWith("logistic")) {
          const tolerance = rounding(u) / Math.min(1, spec.gamma ?? 1);
          expectVectorWithin(pick(gradient, set), exact.ofTrue, tolerance, "gradient");
          expectVectorWithin(pick(gradient, order.slice(own.length)), exact.ofOther, tolerance, "gradient");
        }
        expectAtMost(
          setConjugate(spec, pick(gradient, set), pick(gradient, order.slice(own.length)), 8 * m * EPS),
          dot(gradient, u) - value + rounding(u) * m,
          "conjugate at the gradient",
        );
      }),
      RUNS,
    );
  });

  test("Fenchel's inequality, with equality at the gradient, by the kernels alone", () => {
    const twice = examples.chain(({ own, other }) =>
      fc.record({
        u: fc.tuple(...[...own, ...other].map(() => entries)),
        v: fc.constant([...own, ...other]),
        t: fc.constant(own.length),
      }),
    );
    fc.assert(
      fc.property(twice, fc.constantFrom(1e-150, 1e-3, 1, 7, 1e150), ({ u, v, t }, C) => {
        const kernels = openSetLoss(spec, t, u.length - t);
        const dualAt = (gradient: readonly number[]): number => {
          const x = gradient.map((entry, j) => C * (j < t ? 0 - entry : entry));
          return kernels.dual(x, C) / C; // -L*(gradient)
        };
        const { value, gradient, alone } = kernels.value(u);
        expect(alone).toBe(value);
        expectWithin(value - dualAt(gradient), dot(u, gradient), rounding(u) * u.length, "at the gradient");
        const elsewhere = kernels.value(v).gradient;
        expectAtMost(dot(u, elsewhere) + dualAt(elsewhere), value + rounding(u) * u.length, "at another dual point");
      }),
      RUNS,
    );
  });

  const steps = fc.record({
    example: examples,
    start: fc.constantFrom(0, 0.5, 1),
    K: fc.oneof(fc.constantFrom(0, 1e-150, 1, 1e150), fc.double({ min: 1e-3, max: 50, noNaN: true })),
    C: fc.oneof(fc.constantFrom(1e-150, 1e-6, 1, 1e6, 1e150), fc.double({ min: 1e-2, max: 50, noNaN: true })),
  });

  /** The largest violation of the domain of radius C, divided by C. */
  function infeasibility(x: readonly number[], t: number, C: number): number {
    const v = x.map((entry, j) => (j < t ? -entry : entry) / C);
    for (const tolerance of [0, 4, 64]) {
      const slack = tolerance * x.length * EPS;
      if (setConjugate(spec, v.slice(0, t), v.slice(t), slack) < Infinity) return slack;
    }
    return Infinity;
  }

  test("a step is feasible, equal to the oracle's, and no start changes it", () => {
    fc.assert(
      fc.property(steps, ({ example, start, K, C }) => {
        const { own, other } = example;
        const q = [...own, ...other];
        const m = q.length;
        // A zero row has no scores, and without curvature there is no one answer.
        fc.pre(!spec.loss.endsWith("hinge") || K * C + (spec.gamma ?? 0) >= 1e-100);
        const kernels = kernelsFor(example);
        const x = kernels.step(q, Array<number>(m).fill(0), K, C);
        expectAtMost(infeasibility(x, own.length, C), 64 * m * EPS, "infeasibility");
        const exact = setStep(spec, own, other, K, C);
        // x/C moves by at most 1/(alpha + gamma) for a change of q, or by 1 without curvature where the loss is smooth.
        const curvature = K * C + (spec.gamma ?? (spec.loss.endsWith("hinge") ? 0 : 1));
        const tolerance = rounding(q) * Math.max(1, 1 / curvature);
        if (tolerance < 1e-2) expectVectorWithin(x, exact, C * tolerance, "x");
        const from = exact.map((entry) => start * entry);
        const warm = kernels.step(q, from, K, C);
        expectVectorWithin(warm, x, 64 * m * EPS * C, "from another start");
      }),
      { ...RUNS, numRuns: 400 },
    );
  });

  test("a step maximises the dual of its example: no feasible direction leads up", () => {
    fc.assert(
      fc.property(steps, ({ example, K, C }) => {
        const { own, other } = example;
        const { gamma = 0 } = spec;
        const q = [...own, ...other];
        const t = own.length;
        fc.pre(K * C < 1e100 && K * C + gamma >= 1e-100);
        const kernels = kernelsFor(example);
        const x = kernels.step(q, Array<number>(q.length).fill(0), K, C);
        const z = x.map((entry) => entry / C);
        const against = q.map((score, j) => (j < t ? score : -score)); // t q
        const alpha = K * C;
        const size = 64 * q.length * EPS * (1 + maxAbs(q) + alpha + gamma);
        if (spec.loss === "multilabel-softmax") {
          if (t === 0) return;
          const p = z.map((entry, j) => (j < t ? 1 / t - entry : entry));
          const kept = p.map((_, j) => j).filter((j) => p[j] > 1e-9); // others: 1/t - x/C has lost them
          const g = kept.map((j) => q[j] + (j < t ? alpha / t : 0) - alpha * p[j] - Math.log(p[j]));
          expectWithin(Math.max(...g), Math.min(...g), size / Math.min(...pick(p, kept)), "one multiplier");
        } else if (spec.loss === "ova-logistic") {
          z.forEach((v, j) => {
            if (v > 1e-6 && v < 1 - 1e-6) expectWithin(Math.log(v / (1 - v)) + alpha * v, -against[j], 1e6 * size);
          });
        } else {
          const g = z.map((entry, j) => (isOneVsAll(spec) ? 1 : 0.5) - against[j] - (alpha + gamma) * entry);
          const best = isOneVsAll(spec)
            ? sum(g.map((slope) => Math.max(0, slope)))
            : t > 0 && t < g.length
              ? Math.max(0, Math.max(...g.slice(0, t)) + Math.max(...g.slice(t)))
              : 0;
          expectAtMost(best - dot(g, z), size * q.length, "excess");
        }
      }),
      { ...RUNS, numRuns: 400 },
    );
  });

  test("a zero row without smoothing: an optimal point, the same on each side", () => {
    for (const [t, n] of [
      [1, 1],
      [2, 3],
      [4, 1],
      [0, 3],
      [3, 0],
    ]) {
      // prettier-ignore
      const kernels = openSetLoss(spec, t, n);
      const zeros = Array<number>(t + n).fill(0);
      for (const [K, C] of [
        [0, 3],
        [1e-310, 1e100], // as good as zero, though K C is not
      ]) {
        const x = kernels.step(zeros, zeros, K, C);
        const { value } = kernels.value(zeros);
        expectWithin(kernels.dual(x, C), C * value, 16 * EPS * C * (t + n), `${t} + ${n}, C ${C}`);
        expectAtMost(infeasibility(x, t, C), 4 * (t + n) * EPS, `${t} + ${n}, C ${C}`);
      }
    }
  });

  test("steps for float32: the same to six digits", () => {
    fc.assert(
      fc.property(steps, fc.boolean(), ({ example: { own, other }, K, C }, warm) => {
        fc.pre(K * C > 1e-30 && K * C < 1e6 && C > 1e-30 && C < 1e30);
        const t = own.length;
        const q = [...own, ...other];
        const zeros = Array<number>(q.length).fill(0);
        const exact = openSetLoss(spec, t, other.length).step(q, zeros, K, C);
        const x = openSetLoss(spec, t, other.length, { float32: true }).step(q, warm ? exact : zeros, K, C);
        // An error of 1e-7 in the scores, and in K times the dual variables, which the scores are compared with.
        const error = 4e-6 * (1 + Math.min(K * C, 100) + Math.max(0, ...q.map(Math.abs)));
        expectVectorWithin(x, exact, error * C, "x");
      }),
      RUNS,
    );
  });

  test.each(["float32", "float64"] as const)(
    "%s: repairing makes anything feasible, changes little, and is done once",
    (precision) => {
      const round = precision === "float32" ? Math.fround : (v: number): number => v;
      const epsilon = precision === "float32" ? 2 ** -23 : EPS;
      const noises = fc.constantFrom(0, 1e-7, 1e-3, 10);
      fc.assert(
        fc.property(
          steps,
          noises,
          fc.infiniteStream(fc.double({ min: -1, max: 1, noNaN: true })),
          ({ example, K, C }, noise, draws) => {
            fc.pre(C > 1e-30 && C < 1e30 && K * C + (spec.gamma ?? 0) > 1e-30);
            const { own, other } = example;
            const t = own.length;
            const q = [...own, ...other];
            const kernels = kernelsFor(example);
            const exact = kernels.step(q, Array<number>(q.length).fill(0), K, C);
            const given = exact.map((entry) => round(entry + noise * C * (draws.next().value as number)));
            const x = kernels.restore(given, C, precision);
            expectAtMost(infeasibility(x, t, C), 4 * q.length * EPS, "infeasibility");
            const separate = isOneVsAll(spec);
            x.forEach((entry, j) => {
              if (separate || j > 0 || t === 0) expect(round(entry), `entry ${j}`).toBe(entry);
            });
            if (noise <= 1e-3) {
              const moved = 4 * q.length * (q.length * noise + epsilon) * C;
              expectVectorWithin(x, exact, moved, "repaired");
            }
            // What is stored of it in this precision is repaired to the same.
            const again = kernels.restore(x.map(round), C, precision);
            expect(again).toEqual(x);
            expect(Number.isFinite(kernels.dual(x, C))).toBe(true);
          },
        ),
        RUNS,
      );
    },
  );

  test("scores up to 1e300 neither overflow nor turn into NaN", () => {
    fc.assert(
      fc.property(examples, fc.constantFrom(1e-150, 1e4, 1e16, 1e150, 1e299), ({ own, other }, factor) => {
        const scale = (v: readonly number[]): number[] => v.map((score) => Math.max(-4, Math.min(4, score)) * factor);
        const large = { own: scale(own), other: scale(other) };
        const u = [...large.own, ...large.other];
        const { value, gradient } = kernelsFor(large).value(u);
        expectWithin(value, exactAt(large).value, rounding(u), "value");
        const t = own.length;
        const conjugate = setConjugate(spec, gradient.slice(0, t), gradient.slice(t), 8 * u.length * EPS);
        expect(conjugate, `gradient ${gradient}`).not.toBe(Infinity);
      }),
      RUNS,
    );
  });

  test("empty and full sets", () => {
    const u = [1, -0.5, 3];
    const all = [2, 0, 1];
    const value = (set: number[]): number => losses.value(spec.loss, u, set, optionsOf(spec));
    const gradient = (set: number[]): number[] => Array.from(losses.gradient(spec.loss, u, set, optionsOf(spec)));
    if (isOneVsAll(spec)) {
      expectWithin(value([]), setLoss(spec, [], u).value, 8 * EPS * 4);
      expectWithin(value(all), setLoss(spec, u, []).value, 8 * EPS * 4);
      return;
    }
    expect(value([])).toBe(0);
    expect(gradient([])).toEqual([0, 0, 0]);
    if (spec.loss === "multilabel-softmax") {
      const total = Math.exp(1) + Math.exp(-0.5) + Math.exp(3);
      expectWithin(value(all), Math.log(total) - 3.5 / 3, 8 * EPS);
      expectVectorWithin(
        gradient(all),
        u.map((score) => Math.exp(score) / total - 1 / 3),
        4 * EPS,
      );
    } else {
      expect(value(all)).toBe(0);
      expect(gradient(all)).toEqual([0, 0, 0]);
    }
  });
});

describe("one true class", () => {
  const examples = fc
    .array(entries, { minLength: 2, maxLength: 7 })
    .chain((u) => fc.record({ u: fc.constant(u), y: fc.nat(u.length - 1) }));

  test.each([
    ["multilabel-hinge", "hinge"],
    ["multilabel-softmax", "softmax"],
    ["ova-hinge", "ova-hinge"],
    ["ova-logistic", "ova-logistic"],
  ])("%s is %s", (ofSet, single) => {
    fc.assert(
      fc.property(examples, ({ u, y }) => {
        expectWithin(losses.value(ofSet, u, [y]), losses.value(single, u, y), rounding(u), "value");
        if (ofSet === "multilabel-hinge") return; // ties
        expectVectorWithin(losses.gradient(ofSet, u, [y]), losses.gradient(single, u, y), rounding(u), "gradient");
      }),
      RUNS,
    );
  });

  test("multilabel-softmax of a well classified example keeps its digits", () => {
    for (const lead of [1, 10, 36, 40, 100, 700]) {
      const small = Math.exp(-lead);
      const wanted = Math.log1p(2 * small);
      expectWithin(losses.value("multilabel-softmax", [0, lead, 0], [1]), wanted, 8 * EPS * wanted, `lead ${lead}`);
      const slope = small / (1 + 2 * small);
      const gradient = losses.gradient("multilabel-softmax", [0, lead, 0], [1]);
      expectVectorWithin(gradient, [slope, -2 * slope, slope], 8 * EPS * slope);
    }
  });
});

describe("ova-logistic, one class after the other", () => {
  // As many of the same as take a step together: none is carried on by another that has further to go.
  const open = (own: boolean, count: number, float32 = false) =>
    openSetLoss({ loss: "ova-logistic" }, own ? count : 0, own ? 0 : count, { float32 });
  const stepOf = (own: boolean, alpha: number, target: number, from: number, float32 = false): number => {
    const all = (entry: number): number[] => new Array<number>(4).fill(entry);
    const x = open(own, 4, float32).step(all(own ? -target : target), all(from), alpha, 1);
    expect(x).toEqual(all(x[0]));
    return x[0];
  };

  test("steps to shares of every size: logit v + alpha v = -t q, each term to its digits", () => {
    for (const alpha of [0, 1e-8, 1, 1e4, 1e50, 1e150, 1e300]) {
      for (const target of [-690, -500, -301, -40, -9.5, -0.1, 0, 0.1, 9.5, 40, 301, 500, 690]) {
        for (const own of [false, true]) {
          const v = stepOf(own, alpha, target, 0);
          const what = `alpha ${alpha}, target ${target}`;
          if (v < 1) {
            const [linear, logit] = [alpha * v, Math.log(v) - Math.log1p(-v)];
            // 1 - v has the digits of 1.
            const rounding = 8 * EPS * (linear + Math.abs(logit) + Math.abs(target) + 1 / (1 - v));
            expectWithin(linear + logit, target, rounding, what);
          } else {
            expectAtMost(36, target - alpha, what);
          }
        }
      }
    }
  });

  test("steps for float32, from near the answer and from far away: shares lack no more than 2e-6 of themselves", () => {
    for (const alpha of [0.1, 1, 10, 1e3, 1e4]) {
      for (let target = -20; target <= 20; target += 0.25) {
        const exact = stepOf(false, alpha, target, 0);
        // Half a digit of the numbers that y is made of, and a digit of what is stored.
        const digits = 2 ** -24 * (Math.abs(target) + alpha * exact + 2);
        for (const factor of [0, 1e-3, 0.7, 0.85, 0.95, 0.99, 1, 1.01, 1.05, 1.15, 1.3, 1e3]) {
          const v = stepOf(false, alpha, target, Math.min(1, exact * factor), true);
          expectWithin(v, exact, (2e-6 + digits) * exact, `alpha ${alpha}, target ${target}, from ${factor} of it`);
        }
      }
    }
  });

  test("the dual of a share of any size keeps its digits", () => {
    for (const v of [1e-300, 1e-20, 1e-8, 1e-3, 0.03, 1 / 16, 0.0626, 0.08, 0.1, 1 / 8, 0.2, 0.5, 0.9, 1 - 1e-9, 1]) {
      const rest = v < 1 ? (1 - v) * Math.log1p(-v) : 0;
      const wanted = -(v * Math.log(v) + rest);
      for (const own of [false, true]) expectWithin(open(own, 1).dual([v], 1), wanted, 4 * EPS * wanted, `share ${v}`);
    }
  });
});

test("repaired, the first true class has no less than 0, however the sums of the others are rounded", () => {
  const tiny = 2 ** -53; // lost beside 1, but not two of them together
  const kernels = openSetLoss({ loss: "multilabel-hinge" }, 9, 1);
  const x = [0, 1, 0, tiny, 0, tiny, 0, tiny, 0, 1];
  expect(kernels.restore(x, 2, "float64")).toEqual(x);
});

test.each([0.3, 0.48, 0.95])(
  "float32: shares of many true classes, %d of a digit below what is stored, are repaired to a sum of one, once",
  (part) => {
    const t = 64;
    const digit = 2 ** -29; // between numbers from 2^-6 on
    const kernels = openSetLoss({ loss: "multilabel-softmax" }, t, 1);
    for (let e = 0; e < 40; e++) {
      const stored = 2 ** -6 + 37 * e * digit;
      const p = 2 ** -16;
      const share = stored + p;
      const C = t * share;
      // The others' p sum to a bit more than C. Scaled, each is to lose that part of a digit.
      const excess = (part * digit) / p - 1.2e-7;
      const first = C * (1 + excess) - (t - 2) * p;
      const x = kernels.restore([0, share - first, ...Array<number>(t - 2).fill(stored), 0].map(Math.fround), C, "float32"); // prettier-ignore
      const others = sum(x.slice(1, t).map((entry) => share - entry)) + x[t];
      expectAtMost(others, C * (1 + 4 * t * EPS), "shares of all but the first true class");
      expect(kernels.restore(x.map(Math.fround), C, "float32")).toEqual(x);
    }
  },
);

test("float32: true classes that have next to nothing of a share, but less than nothing if it were stored, keep it", () => {
  const t = 48; // C is far from a power of two, so that rounding it down takes little
  for (const part of [0.5, 0.75, 0.95]) {
    // So much of a digit of float32 is above what is stored of a share: none of it is scaled.
    const share = 1 + part * 2 ** -23;
    const C = t * share;
    const kernels = openSetLoss({ loss: "multilabel-softmax" }, t, 1);
    for (const rest of [1.01, 2, 10, 1e6]) {
      const given = [0, ...Array<number>(t - 1).fill(1), Math.fround(rest * C)];
      const x = kernels.restore(given, C, "float32");
      const others = sum(x.slice(1, t).map((entry) => share - entry)) + x[t];
      expectAtMost(others, C * (1 + 4 * t * EPS), `shares of all but the first true class, ${part}, ${rest}`);
      expect(kernels.restore(x.map(Math.fround), C, "float32")).toEqual(x);
    }
  }
});

test("float32: a true class with more than its share, just above a power of two, is repaired to a sum of one, once", () => {
  const t = 64;
  const C = 1.03;
  const share = C / t;
  const kernels = openSetLoss({ loss: "multilabel-softmax" }, t, 1);
  for (let e = 0; e < 40; e++) {
    const most = -(1 + 3 * e * 2 ** -23);
    const rest = C - (share - most);
    const given = [0, most, ...Array<number>(t - 2).fill(share), rest * (1 + (1 + e / 40) * 1e-4)].map(Math.fround);
    const x = kernels.restore(given, C, "float32");
    const others = sum(x.slice(1, t).map((entry) => share - entry)) + x[t];
    expectAtMost(others, C * (1 + 4 * t * EPS), "shares of all but the first true class");
    expect(kernels.restore(x.map(Math.fround), C, "float32")).toEqual(x);
  }
});

describe("refused", () => {
  const u = [0, 1, 2];
  const calls: [string, string, ErrorConstructor, (l: any, f: "value" | "gradient") => unknown][] = [
    ["a set for a loss of one class", "label", TypeError, (l, f) => l[f]("hinge", u, [0])],
    ["one class for a loss of sets", "label", TypeError, (l, f) => l[f]("multilabel-hinge", u, 0)],
    ["a typed array for a set", "label", TypeError, (l, f) => l[f]("ova-hinge", u, Int32Array.of(0))],
    ["no set", "label", TypeError, (l, f) => l[f]("multilabel-softmax", u)],
    ["a class beyond the scores", "label", RangeError, (l, f) => l[f]("multilabel-hinge", u, [0, 3])],
    ["a negative class", "label", RangeError, (l, f) => l[f]("ova-logistic", u, [-1])],
    ["a fractional class", "label", RangeError, (l, f) => l[f]("multilabel-hinge", u, [0.5])],
    ["a name for a class", "label", TypeError, (l, f) => l[f]("multilabel-hinge", u, ["a"])],
    ["a hole in the set", "label", TypeError, (l, f) => l[f]("multilabel-hinge", u, Array(1))],
    ["a class twice", "label", RangeError, (l, f) => l[f]("multilabel-hinge", u, [1, 0, 1])],
    ["a gamma that is not the loss's", "gamma", TypeError, (l, f) => l[f]("multilabel-softmax", u, [0], { gamma: 1 })],
    ["a k", "k", TypeError, (l, f) => l[f]("multilabel-hinge", u, [0], { k: 1 })],
    ["a negative gamma", "gamma", RangeError, (l, f) => l[f]("multilabel-hinge", u, [0], { gamma: -1 })],
  ];
  test.each(calls)("%s", (_, argument, kind, call) => {
    for (const name of ["value", "gradient"] as const) {
      expect(() => call(losses, name)).toThrow(kind);
      expect(() => call(losses, name)).toThrow(`losses.${name}: "${argument}"`);
    }
  });

  test("the message says which entry", () => {
    expect(() => losses.value("multilabel-hinge", u, [1, 0, 1])).toThrow(/^losses\.value: "label" entry 2 repeats 1$/);
    expect(() => losses.value("multilabel-hinge", u, [1, 3])).toThrow(
      /^losses\.value: "label" entry 1 must be an integer in \[0, 2\], got 3$/,
    );
    expect(() => losses.value("softmax", u, [1] as never)).toThrow(
      /^losses\.value: "label" must be a class index with the loss "softmax", got an array$/,
    );
  });
});
