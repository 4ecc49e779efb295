import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { init, losses } from "../../src/index.ts";
import { RUNS } from "../helpers/arbitraries.ts";
import { EPS, expectAtMost, expectVectorWithin, expectWithin, maxAbs } from "../helpers/expect.ts";
import { expectAnyVector } from "../helpers/proximal.ts";
import { lossSpecOf, type LossCase } from "../helpers/vectors.ts";
import { conjugate } from "../reference/conjugates.ts";
import { lossGradient, lossValue, type LossSpec } from "../reference/losses.ts";
import { dot } from "../reference/sum.ts";
import cases from "../vectors/B1_losses.json" with { type: "json" };

beforeAll(() => init());

const value = ({ loss, ...options }: LossSpec, u: readonly number[], y: number): number =>
  losses.value(loss, u, y, options);
const gradient = ({ loss, ...options }: LossSpec, u: readonly number[], y: number): number[] =>
  Array.from(losses.gradient(loss, u, y, options));

const VARIANTS = ["alpha", "alpha-inclusive", "beta"] as const;
const topK = (gammas: number[]): LossSpec[] =>
  [1, 2, 3, 5].flatMap((k) =>
    VARIANTS.flatMap((variant) => gammas.map((gamma): LossSpec => ({ loss: "topk-hinge", k, variant, gamma }))),
  );
const FORMS = ["alpha", "beta"] as const;
const ENTROPY: LossSpec[] = [1, 2, 3, 5].flatMap((k) =>
  FORMS.map((variant): LossSpec => ({ loss: "topk-entropy", k, variant })),
);
const ONE_VS_ALL: LossSpec[] = [
  { loss: "ova-hinge" },
  { loss: "ova-hinge", gamma: 0.1 },
  { loss: "ova-hinge", gamma: 1 },
  { loss: "ova-logistic" },
];
/** Weights for the two largest margins, so that two scores are enough. */
const weighted = (gamma: number, ...all: LossSpec["rankWeights"][]): LossSpec[] =>
  all.map((rankWeights) => ({
    loss: "weighted-topk-hinge",
    rankWeights,
    ...(typeof rankWeights === "string" && { k: 2 }),
    gamma,
  }));
const SMOOTH: LossSpec[] = [
  { loss: "hinge", gamma: 0.1 },
  { loss: "hinge", gamma: 1 },
  ...topK([0.1, 1]),
  ...weighted(0.1, "linear"),
  ...weighted(1, "flat", [2, 1e-7]),
];
/** Losses of score differences. */
const MARGIN: LossSpec[] = [
  { loss: "softmax" },
  { loss: "hinge" },
  ...topK([0]),
  ...weighted(0, "linear", "exp", [2, 1e-7], [0.3]),
  ...ENTROPY,
  ...SMOOTH,
];
const ALL = [...MARGIN, ...ONE_VS_ALL];
const named = (specs: LossSpec[]): [string, LossSpec][] => specs.map((spec) => [Object.values(spec).join(" "), spec]);

const scores = (length?: number): fc.Arbitrary<number[]> => {
  const size = length === undefined ? { minLength: 2, maxLength: 7 } : { minLength: length, maxLength: length };
  return fc.oneof(
    fc.array(fc.noShrink(fc.double({ min: -3, max: 3, noNaN: true })), size),
    fc.array(fc.integer({ min: -2, max: 2 }), size),
    fc.array(
      fc.integer({ min: -300, max: 300 }).map((j) => j / 7),
      size,
    ),
  );
};
const pointed = scores().chain((u) =>
  fc.record({ u: fc.constant(u), y: fc.nat(u.length - 1), w: scores(u.length), v: scores(u.length) }),
);
/** Every loss is built from differences of scores plus 1. */
const rounding = (u: readonly number[]): number => 16 * u.length * EPS * (1 + maxAbs(u));

describe("stored exact answers", () => {
  test("values", () => {
    let compared = 0;
    for (const { name, u, y, value: wanted, atol, rtol, ...which } of cases) {
      const spec = lossSpecOf(which as LossCase);
      if (spec === null) continue;
      expectWithin(value(spec, u, y as number), wanted, atol + rtol * Math.abs(wanted), name);
      compared++;
    }
    expect(compared).toBe(504);
  });

  test("gradients in the scores, where they are unique", () => {
    for (const { name, u, y, grad, atol, rtol, ...which } of cases) {
      const spec = lossSpecOf(which as LossCase);
      if (spec === null || grad === null) continue;
      const got = gradient(spec, u, y as number);
      expectVectorWithin(got, grad, (entry) => atol + rtol * Math.abs(entry), name);
    }
  });
});

describe.each(named(ALL))("%s", (_, spec) => {
  test("value equals the definition", () => {
    fc.assert(
      fc.property(pointed, ({ u, y }) => {
        const got = value(spec, u, y);
        expectWithin(got, lossValue(spec, u, y), rounding(u), "value");
        expectAtMost(0, got, "value");
      }),
      RUNS,
    );
  });

  test("the gradient supports the loss from below", () => {
    fc.assert(
      fc.property(pointed, ({ u, w, y }) => {
        const g = gradient(spec, u, y);
        const step = w.map((score, j) => score - u[j]);
        expectAtMost(value(spec, u, y) + dot(g, step), value(spec, w, y) + rounding(u) + rounding(w), "support");
      }),
      RUNS,
    );
  });

  test("minus the gradient is a dual point, and Fenchel's inequality holds with equality there", () => {
    fc.assert(
      fc.property(pointed, ({ u, v, y }) => {
        const slack = 8 * u.length * EPS;
        const g = gradient(spec, u, y);
        expectWithin(value(spec, u, y) + conjugate(spec, g, y, slack), dot(u, g), rounding(u), "at the gradient");
        const other = lossGradient(spec, v, y);
        const below = dot(u, other) - conjugate(spec, other, y, slack);
        expectAtMost(below, value(spec, u, y) + rounding(u), "at another dual point");
      }),
      RUNS,
    );
  });

  if (!ONE_VS_ALL.includes(spec)) {
    test("a constant added to all scores changes nothing", () => {
      fc.assert(
        fc.property(pointed, fc.constantFrom(-1e6, -3.3, 0.7, 1e4), ({ u, y }, constant) => {
          const moved = u.map((score) => score + constant);
          expectWithin(value(spec, moved, y), value(spec, u, y), rounding([...u, constant]), "value");
        }),
        RUNS,
      );
    });
  }

  test("the order of the other classes changes nothing", () => {
    fc.assert(
      fc.property(pointed, ({ u, y }) => {
        const reversed = [...u].reverse();
        const mirrored = u.length - 1 - y;
        expectWithin(value(spec, reversed, mirrored), value(spec, u, y), rounding(u), "value");
      }),
      RUNS,
    );
  });

  test("scores up to 1e300 neither overflow nor turn into NaN", () => {
    fc.assert(
      fc.property(pointed, fc.constantFrom(1e2, 1e4, 1e8, 1e100, 1e299), ({ u, y }, factor) => {
        const large = u.map((score) => Math.max(-9, Math.min(9, score)) * factor);
        const got = value(spec, large, y);
        const g = gradient(spec, large, y);
        expect(Number.isFinite(got)).toBe(true);
        expect(g.every(Number.isFinite)).toBe(true);
        expectWithin(got, lossValue(spec, large, y), rounding(large), "value");
        // A dual point, up to rounding of its own size: the scores are no excuse.
        expect(conjugate(spec, g, y, 8 * u.length * EPS), `gradient ${g}`).not.toBe(Infinity);
      }),
      RUNS,
    );
  });

  test("equal scores", () => {
    for (const m of [2, 3, 4, 7]) {
      for (const level of [0, -2.5, 1e8]) {
        const u = Array<number>(m).fill(level);
        for (let y = 0; y < m; y++) {
          expectWithin(value(spec, u, y), lossValue(spec, u, y), rounding([0]) * m, `m ${m}, level ${level}`);
          const g = gradient(spec, u, y);
          const sizes = rounding(u) * (ONE_VS_ALL.includes(spec) ? m : 1); // m losses, each as large as the scores
          expectAtMost(conjugate(spec, g, y, 8 * m * EPS), dot(g, u) - value(spec, u, y) + sizes, "conjugate");
        }
      }
    }
  });

  test("any kind of vector, and it stays as it was", () => {
    const { loss, ...options } = spec;
    const scores = [0.5, -1.25, 2, 0.1];
    expect(losses.gradient(loss, scores, 1, options)).toBeInstanceOf(Float64Array);
    expectAnyVector((u) => [losses.value(loss, u, 1, options), losses.gradient(loss, u, 1, options)], scores);
  });
});

test.each(["hinge", "softmax", "multilabel-hinge"])(
  "%s: scores whose differences overflow are refused, with both",
  (loss) => {
    const label = loss.startsWith("multi") ? [0] : 0;
    const message =
      '"scores" must not differ by more than 1.7976931348623157e+308, but entry 2 is 1e+308 and entry 1 -1e+308';
    for (const take of [losses.value, losses.gradient]) {
      expect(() => take(loss, [0, -1e308, 1e308], label)).toThrow(RangeError);
      expect(() => take(loss, [0, -1e308, 1e308], label)).toThrow(message);
    }
  },
);

test.each(["softmax", "ova-hinge", "multilabel-hinge"])("%s: a single score is refused, and none", (loss) => {
  const label = loss.startsWith("multi") ? [0] : 0;
  for (const [u, found] of [[[], 0], [[3], 1]] as const) {
    for (const take of [losses.value, losses.gradient]) {
      const message = `"scores" must have at least 2 entries, got ${found}`;
      expect(() => take(loss, u, label)).toThrow(RangeError);
      expect(() => take(loss, u, label)).toThrow(message);
    }
  }
}); // prettier-ignore

test.each<[LossSpec, number[]]>([
  [{ loss: "topk-hinge", k: 4, gamma: 0.1 }, [0, -0.9, 1, -1.3, -2.8]],
  [{ loss: "topk-hinge", k: 4, variant: "alpha-inclusive", gamma: 0.1 }, [0, 0.1, -2.9, -2.9, -0.2]],
  [{ loss: "weighted-topk-hinge", k: 4, rankWeights: "linear", gamma: 1 }, [0, -2.2, -2.9, -0.6, -1.2]],
])("margins whose sum is 0 but for rounding: %o", (spec, u) => {
  const got = value(spec, u, 0);
  expectAtMost(0, got);
  expectAtMost(got, EPS);
});

test("a gradient stays what it was when others are taken", () => {
  const one = losses.gradient("softmax", [0, 0, 0, 0], 0);
  const set = losses.gradient("multilabel-softmax", [0, 0, 0, 0], [1, 2]);
  losses.gradient("hinge", [5, 1, 2, 3], 1);
  expectVectorWithin(one, [-0.75, 0.25, 0.25, 0.25], EPS);
  expectVectorWithin(set, [0.25, -0.25, -0.25, 0.25], EPS);
});

test("of a one-vs-all loss they are none of its business", () => {
  expect(losses.value("ova-hinge", [-1, -1.5e308, 1.5e308], 2)).toBe(0);
});

describe("softmax", () => {
  test("the gradient keeps its digits where scores are large and tied", () => {
    const level = fc.constantFrom(0, 40, 1e4, 1e8, 1e16, 1e300);
    fc.assert(
      fc.property(pointed, level, ({ u, y }, level) => {
        const raised = u.map((score, j) => (j === y ? score : score + level));
        const got = gradient({ loss: "softmax" }, raised, y);
        expectVectorWithin(got, lossGradient({ loss: "softmax" }, raised, y), 8 * u.length * EPS, "gradient");
      }),
      { ...RUNS, examples: [[{ u: [0, 0, 0], y: 2, w: [], v: [] }, 1e16]] },
    );
  });

  test("the loss of a well classified example keeps its digits", () => {
    for (const lead of [1, 10, 36, 40, 100, 700]) {
      const wanted = Math.log1p(2 * Math.exp(-lead));
      expectWithin(value({ loss: "softmax" }, [0, lead, 0], 1), wanted, 8 * EPS * wanted, `lead ${lead}`);
    }
  });
});

describe("topk-entropy", () => {
  test("the gradient keeps its digits where scores are large and tied", () => {
    const level = fc.constantFrom(0, 40, 1e4, 1e8, 1e16, 1e300);
    fc.assert(
      fc.property(pointed, level, fc.integer({ min: 1, max: 4 }), ({ u, y }, level, k) => {
        const raised = u.map((score, j) => (j === y ? score : score + level));
        for (const variant of FORMS) {
          const spec: LossSpec = { loss: "topk-entropy", k, variant };
          const got = gradient(spec, raised, y);
          expectVectorWithin(got, lossGradient(spec, raised, y), 16 * u.length * EPS, `${variant}, k ${k}`);
        }
      }),
      { ...RUNS, examples: [[{ u: [0, 0, 0], y: 2, w: [], v: [] }, 1e16, 1]] },
    );
  });

  test("the loss of a well classified example keeps its digits", () => {
    for (const lead of [1, 10, 36, 40, 100, 700]) {
      // g = (-lead, -lead): nothing is at its bound but for alpha with k = 2, where s = 2 z all the same.
      const wanted = Math.log1p(2 * Math.exp(-lead));
      for (const variant of FORMS) {
        for (const k of [1, 2]) {
          const got = value({ loss: "topk-entropy", k, variant }, [0, lead, 0], 1);
          // exp and log of numbers as large as the lead.
          expectWithin(got, wanted, 4 * (1 + lead) * EPS * wanted, `${variant}, k ${k}, lead ${lead}`);
        }
      }
    }
  });
});

describe("ova-logistic", () => {
  test("well classified: value and gradient keep their digits", () => {
    for (const lead of [1, 10, 36, 40, 100, 700]) {
      const small = Math.log1p(Math.exp(-lead));
      expectWithin(
        value({ loss: "ova-logistic" }, [-lead, lead, -lead], 1),
        3 * small,
        8 * EPS * small,
        `lead ${lead}`,
      );
      const slope = 1 / (1 + Math.exp(lead));
      const wanted = [slope, -slope, slope];
      expectVectorWithin(gradient({ loss: "ova-logistic" }, [-lead, lead, -lead], 1), wanted, 4 * EPS * slope);
    }
  });

  // More factors than one product takes; all of them 2, all of them next to 1, and both kinds.
  test.each([0, 20, 1e-3])("5000 classes, scores around %s", (lead) => {
    const u = Array.from({ length: 5000 }, (_, j) => (j % 7 === 0 ? 0.5 * lead : -lead));
    const wanted = u.reduce((sum, v, j) => sum + Math.log1p(Math.exp(j === 1 ? -v : v)), 0);
    expectWithin(value({ loss: "ova-logistic" }, u, 1), wanted, 5000 * EPS * wanted);
  });
});

describe.each(named([...SMOOTH, ...ENTROPY, ...ONE_VS_ALL]))("smooth %s", (_, spec) => {
  test("gradient equals the maximiser found by bisection", () => {
    fc.assert(
      fc.property(pointed, ({ u, y }) => {
        const tolerance = rounding(u) / Math.min(1, spec.gamma || 1);
        expectVectorWithin(gradient(spec, u, y), lossGradient(spec, u, y), tolerance, "gradient");
      }),
      RUNS,
    );
  });
});

describe("between the losses", () => {
  test("k = 1: all three forms of topk-hinge are hinge", () => {
    fc.assert(
      fc.property(pointed, fc.constantFrom(0, 0.1, 1, 10), ({ u, y }, gamma) => {
        const hinge = value({ loss: "hinge", gamma }, u, y);
        for (const variant of VARIANTS) {
          const spec: LossSpec = { loss: "topk-hinge", k: 1, variant, gamma };
          expectWithin(value(spec, u, y), hinge, rounding(u), variant);
        }
      }),
      RUNS,
    );
  });

  test("alpha <= alpha-inclusive <= beta <= hinge", () => {
    fc.assert(
      fc.property(pointed, fc.integer({ min: 1, max: 8 }), ({ u, y }, k) => {
        const [alpha, inclusive, beta] = VARIANTS.map((variant) => value({ loss: "topk-hinge", k, variant }, u, y));
        if (k < u.length) expectAtMost(alpha, inclusive + rounding(u), "alpha");
        expectAtMost(inclusive, beta + rounding(u), "alpha-inclusive");
        expectAtMost(beta, value({ loss: "hinge" }, u, y) + rounding(u), "beta");
      }),
      RUNS,
    );
  });

  test("alpha is the form of the top-k losses that is meant without a variant", () => {
    fc.assert(
      fc.property(pointed, fc.integer({ min: 1, max: 8 }), ({ u, y }, k) => {
        for (const loss of ["topk-hinge", "topk-entropy"] as const) {
          expect(value({ loss, k }, u, y)).toBe(value({ loss, k, variant: "alpha" }, u, y));
        }
      }),
      RUNS,
    );
  });

  test("flat weights are alpha-inclusive, one weight is hinge", () => {
    fc.assert(
      fc.property(pointed, fc.integer({ min: 1, max: 7 }), ({ u, y }, k) => {
        const weights = Array.from({ length: Math.min(k, u.length) }, () => 1 / Math.min(k, u.length));
        const inclusive = value({ loss: "topk-hinge", k: weights.length, variant: "alpha-inclusive" }, u, y);
        const spec: LossSpec = { loss: "weighted-topk-hinge", rankWeights: weights };
        expectWithin(value(spec, u, y), inclusive, rounding(u), "list");
        expectWithin(value({ ...spec, rankWeights: "flat", k: weights.length }, u, y), inclusive, rounding(u), "flat");
        const alone: LossSpec = { loss: "weighted-topk-hinge", rankWeights: [1] };
        expectWithin(value(alone, u, y), value({ loss: "hinge" }, u, y), rounding(u), "one weight");
      }),
      RUNS,
    );
  });

  test("weights larger one by one, a larger loss; zeros behind them change nothing", () => {
    fc.assert(
      fc.property(pointed, ({ u, y }) => {
        const of = (rankWeights: number[]): number => value({ loss: "weighted-topk-hinge", rankWeights }, u, y);
        expect(of([0.5, 0])).toBe(of([0.5]));
        expectWithin(of([1, 0.5]), 2 * of([0.5, 0.25]), rounding(u), "twice");
        if (value({ loss: "hinge" }, u, y) > 0) expectAtMost(of([0.5]), of([0.75]) + rounding(u), "more weight");
      }),
      RUNS,
    );
  });

  test("k = 1: both forms of topk-entropy are softmax, value and gradient", () => {
    fc.assert(
      fc.property(pointed, ({ u, y }) => {
        for (const variant of FORMS) {
          const spec: LossSpec = { loss: "topk-entropy", k: 1, variant };
          expectWithin(value(spec, u, y), value({ loss: "softmax" }, u, y), rounding(u), variant);
          expectVectorWithin(gradient(spec, u, y), gradient({ loss: "softmax" }, u, y), rounding(u), variant);
        }
      }),
      RUNS,
    );
  });

  // They maximise one concave function over nested sets: s/k <= 1/k <= 1, and the bound falls with k.
  test("topk-entropy: alpha <= beta <= softmax, falling in k", () => {
    fc.assert(
      fc.property(pointed, ({ u, y }) => {
        const softmax = value({ loss: "softmax" }, u, y);
        const before = { alpha: softmax, beta: softmax };
        for (let k = 1; k <= u.length + 1; k++) {
          const [alpha, beta] = FORMS.map((variant) => value({ loss: "topk-entropy", k, variant }, u, y));
          expectAtMost(alpha, beta + rounding(u), `k ${k}, alpha`);
          expectAtMost(alpha, before.alpha + rounding(u), `k ${k}, alpha before`);
          expectAtMost(beta, before.beta + rounding(u), `k ${k}, beta before`);
          Object.assign(before, { alpha, beta });
        }
        // k classes that share what softmax puts on one: log(1 + sum exp) is what is left for alpha with all others tied.
        const tied = u.map((_, j) => (j === y ? 0 : u[0]));
        const k = u.length - 1;
        const wanted = Math.max(0, u[0]) + Math.log(Math.exp(-Math.max(0, u[0])) + k * Math.exp(Math.min(0, u[0])));
        expectWithin(value({ loss: "topk-entropy", k }, tied, y), wanted, rounding(tied), "tied");
      }),
      RUNS,
    );
  });

  test("a one-vs-all loss is the sum of its binary losses", () => {
    const softplus = (v: number): number => Math.max(v, 0) + Math.log1p(Math.exp(-Math.abs(v)));
    const huber = (h: number, gamma: number): number =>
      h <= 0 ? 0 : h < gamma ? (h * h) / (2 * gamma) : h - gamma / 2;
    fc.assert(
      fc.property(pointed, fc.constantFrom(0, 0.1, 1, 10), ({ u, y }, gamma) => {
        const margins = u.map((score, j) => (j === y ? score : -score));
        const total = (binary: (margin: number) => number): number => margins.reduce((sum, v) => sum + binary(v), 0);
        const hinge = total((v) => huber(1 - v, gamma));
        expectWithin(value({ loss: "ova-hinge", gamma }, u, y), hinge, rounding(u) * u.length, "hinge");
        const logistic = total((v) => softplus(-v));
        expectWithin(value({ loss: "ova-logistic" }, u, y), logistic, rounding(u) * u.length, "logistic");
      }),
      RUNS,
    );
  });

  test("smoothing lowers a hinge loss by at most gamma/2, also for a gamma of 1e-12", () => {
    const specs: LossSpec[] = [{ loss: "hinge" }, ...topK([0]), { loss: "ova-hinge" }];
    fc.assert(
      fc.property(pointed, fc.constantFrom(1e-12, 1e-6, 0.1, 1, 100), ({ u, y }, gamma) => {
        for (const plain of specs) {
          const smooth = { ...plain, gamma };
          const exact = value(plain, u, y);
          const problems = plain.loss === "ova-hinge" ? u.length : 1;
          expectAtMost(value(smooth, u, y), exact + rounding(u) * problems, "from above");
          expectAtMost(exact - (gamma / 2) * problems, value(smooth, u, y) + rounding(u) * problems, "from below");
          // The gradient does not lose its digits with gamma: it is as feasible as ever.
          expect(conjugate(smooth, gradient(smooth, u, y), y, 8 * u.length * EPS)).not.toBe(Infinity);
        }
      }),
      RUNS,
    );
  });
});

describe("by hand", () => {
  test("three classes", () => {
    const u = [1, 2, 0.5]; // margins 2 and 0.5
    expect(value({ loss: "hinge" }, u, 0)).toBe(2);
    expect(gradient({ loss: "hinge" }, u, 0)).toEqual([-1, 1, 0]);
    expect(value({ loss: "topk-hinge", k: 2 }, u, 0)).toBe(1.25);
    expect(gradient({ loss: "topk-hinge", k: 2 }, u, 0)).toEqual([-1, 0.5, 0.5]);
    expect(value({ loss: "softmax" }, [0, 0], 1)).toBe(Math.LN2);
    expect(gradient({ loss: "softmax" }, [0, 0], 1)).toEqual([0.5, -0.5]);
    expect(value({ loss: "ova-hinge" }, u, 0)).toBe(0 + 3 + 1.5);
    expect(gradient({ loss: "ova-hinge" }, [0.5, 2, -2], 0)).toEqual([-1, 1, 0]);
    expect(value({ loss: "ova-hinge", gamma: 1 }, [0.5, -0.5, -2], 0)).toBe(0.125 + 0.125);
    expect(gradient({ loss: "ova-hinge", gamma: 1 }, [0.5, -0.5, -1], 0)).toEqual([-0.5, 0.5, 0]);
    expectWithin(value({ loss: "ova-logistic" }, [0, 0], 1), 2 * Math.LN2, 2 * EPS);
    expect(gradient({ loss: "ova-logistic" }, [0, 0], 1)).toEqual([0.5, -0.5]);
  });

  test("the true class in the sum: margins 2 and -3, k = 2", () => {
    const u = [0, 1, -4];
    expect(value({ loss: "topk-hinge", k: 2, variant: "alpha" }, u, 0)).toBe(0);
    expect(value({ loss: "topk-hinge", k: 2, variant: "alpha-inclusive" }, u, 0)).toBe(1);
    expect(value({ loss: "topk-hinge", k: 2, variant: "beta" }, u, 0)).toBe(1);
    expect(gradient({ loss: "topk-hinge", k: 2, variant: "alpha" }, u, 0)).toEqual([0, 0, 0]);
    expect(gradient({ loss: "topk-hinge", k: 2, variant: "alpha-inclusive" }, u, 0)).toEqual([-0.5, 0.5, 0]);
  });

  test("more than there is: alpha beyond m - 1 and alpha-inclusive beyond m are 0, beta counts what is missing as 0", () => {
    const u = [0, 1, 1];
    for (const gamma of [0, 1]) {
      expect(value({ loss: "topk-hinge", k: 3, variant: "alpha", gamma }, u, 0)).toBe(0);
      expect(value({ loss: "topk-hinge", k: 4, variant: "alpha-inclusive", gamma }, u, 0)).toBe(0);
      expect(gradient({ loss: "topk-hinge", k: 3, variant: "alpha", gamma }, u, 0).map(Math.abs)).toEqual([0, 0, 0]);
    }
    expect(value({ loss: "topk-hinge", k: 4, variant: "beta" }, u, 0)).toBe(1);
    expect(value({ loss: "topk-entropy", k: 3 }, u, 0)).toBe(0);
    expect(gradient({ loss: "topk-entropy", k: 3 }, u, 0).map(Math.abs)).toEqual([0, 0, 0]);
    // beta, z = (1/4, 1/4): <g, z> - <z, log z> - 1/2 log 1/2 with g = (1, 1).
    const boxed = 0.5 + 0.5 * Math.log(4) + 0.5 * Math.LN2;
    expectWithin(value({ loss: "topk-entropy", k: 4, variant: "beta" }, u, 0), boxed, 4 * EPS);
  });
});

describe("parameters far beyond the scores", () => {
  const u = [0.5, -1, 2, 0.25, 1];

  test.each([
    ...VARIANTS.map((variant) => ({ loss: "topk-hinge", variant }) as const),
    ...VARIANTS.map((variant) => ({ loss: "topk-hinge", variant, gamma: 1 }) as const),
    ...FORMS.map((variant) => ({ loss: "topk-entropy", variant }) as const),
    { loss: "truncated-topk-entropy" } as const,
  ])("k of 2^31 and more: %j", (spec) => {
    for (const k of [2 ** 31 - 1, 2 ** 31, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER]) {
      const { loss, ...options } = spec;
      const value = losses.value(loss, u, 1, { ...options, k });
      expect(value).toBeGreaterThanOrEqual(0); // as it is where k is beyond the classes, or next to it where 1/k is a bound
      expect(value).toBeLessThanOrEqual(1e-6);
    }
  });

  test("truncated-topk-entropy with no class left: 0, and so is the gradient", () => {
    for (const k of [5, 6, 18, 100, 5000, 1e9]) {
      expect(losses.value("truncated-topk-entropy", u, 1, { k })).toBe(0);
      expect(losses.gradient("truncated-topk-entropy", u, 1, { k }).map(Math.abs)).toEqual(new Float64Array(5));
    }
  });

  test("smoothing: the loss falls as 1/gamma, and is never negative", () => {
    const hinge: LossSpec = { loss: "hinge" };
    for (const spec of [hinge, ...topK([1]), ...weighted(1, "linear")]) {
      const at = (gamma: number): number => value({ ...spec, gamma }, u, 1);
      for (const gamma of [1e20, 1e80, 1e200, 1e300]) expect(gamma * at(gamma)).toBeCloseTo(1e10 * at(1e10), 6);
    }
  });
});

describe("refused", () => {
  const u = [0, 1, 2];
  const calls: [string, string, ErrorConstructor, (l: any, f: "value" | "gradient") => unknown][] = [
    ["an unknown loss", "loss", RangeError, (l, f) => l[f]("hinges", u, 0)],
    ["a loss that is no string", "loss", TypeError, (l, f) => l[f](3, u, 0)],
    ["scores that are no vector", "scores", TypeError, (l, f) => l[f]("hinge", "012", 0)],
    ["NaN in the scores", "scores", RangeError, (l, f) => l[f]("hinge", [0, NaN], 0)],
    ["a label beyond the scores", "label", RangeError, (l, f) => l[f]("hinge", u, 3)],
    ["a negative label", "label", RangeError, (l, f) => l[f]("hinge", u, -1)],
    ["a fractional label", "label", RangeError, (l, f) => l[f]("hinge", u, 0.5)],
    ["a label that is no number", "label", TypeError, (l, f) => l[f]("hinge", u, "0")],
    ["a missing k", "k", TypeError, (l, f) => l[f]("topk-hinge", u, 0)],
    ["k = 0", "k", RangeError, (l, f) => l[f]("topk-hinge", u, 0, { k: 0 })],
    ["a negative gamma", "gamma", RangeError, (l, f) => l[f]("hinge", u, 0, { gamma: -1 })],
    ["a gamma that is no number", "gamma", TypeError, (l, f) => l[f]("hinge", u, 0, { gamma: "1" })],
    ["a missing k of topk-entropy", "k", TypeError, (l, f) => l[f]("topk-entropy", u, 0)],
    ["a gamma that is not the loss's", "gamma", TypeError, (l, f) => l[f]("ova-logistic", u, 0, { gamma: 1 })],
    [
      "alpha-inclusive",
      "variant",
      RangeError,
      (l, f) => l[f]("topk-entropy", u, 0, { k: 1, variant: "alpha-inclusive" }),
    ],
    ["missing weights", "rankWeights", TypeError, (l, f) => l[f]("weighted-topk-hinge", u, 0, { k: 1 })],
    [
      "a missing k of named weights",
      "k",
      TypeError,
      (l, f) => l[f]("weighted-topk-hinge", u, 0, { rankWeights: "exp" }),
    ],
    ["a k beside a list", "k", TypeError, (l, f) => l[f]("weighted-topk-hinge", u, 0, { rankWeights: [1], k: 1 })],
    [
      "k beyond the scores",
      "k",
      RangeError,
      (l, f) => l[f]("weighted-topk-hinge", u, 0, { rankWeights: "flat", k: 4 }),
    ],
    [
      "too many weights",
      "rankWeights",
      RangeError,
      (l, f) => l[f]("weighted-topk-hinge", u, 0, { rankWeights: [1, 1, 1, 0] }),
    ],
    ["weights of another loss", "rankWeights", TypeError, (l, f) => l[f]("hinge", u, 0, { rankWeights: "flat" })],
    ["an unknown variant", "variant", RangeError, (l, f) => l[f]("topk-hinge", u, 0, { k: 1, variant: "gamma" })],
  ];
  test.each(calls)("%s", (_, argument, kind, call) => {
    for (const name of ["value", "gradient"] as const) {
      expect(() => call(losses, name)).toThrow(kind);
      expect(() => call(losses, name)).toThrow(`losses.${name}: "${argument}"`);
    }
  });
});
