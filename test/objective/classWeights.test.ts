import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { init } from "../../src/index.ts";
import { RUNS } from "../helpers/arbitraries.ts";
import { EPS, expectVectorWithin, expectWithin, maxAbs } from "../helpers/expect.ts";
import { openSetLoss } from "../helpers/setLoss.ts";
import { setConjugate, setLoss, setStep, type SetLossSpec } from "../reference/multilabel.ts";
import { sum } from "../reference/sum.ts";

/** One-vs-all with weights of the true classes: w loss(u) with the dual variable in w C times that of the loss, by the kernels alone. */

beforeAll(() => init());

const SPECS: SetLossSpec[] = [{ loss: "ova-hinge" }, { loss: "ova-hinge", gamma: 0.5 }, { loss: "ova-logistic" }];

const entry = fc.double({ min: -4, max: 4, noNaN: true });
const weight = fc.oneof(fc.constantFrom(1, 1e-3, 1e3), fc.double({ min: 0.1, max: 10, noNaN: true }));
const example = fc.record({
  own: fc.array(fc.record({ u: entry, w: weight }), { minLength: 1, maxLength: 5 }),
  other: fc.array(entry, { maxLength: 5 }),
  K: fc.double({ min: 0.01, max: 20, noNaN: true }),
  C: fc.double({ min: 0.01, max: 20, noNaN: true }),
});

describe.each(SPECS.map((spec) => [Object.values(spec).join(" "), spec] as const))("%s", (_, spec) => {
  const smooth = spec.loss === "ova-logistic" || spec.gamma !== undefined;

  test("value, gradient, dual loss and step: each true class as if it were alone with w C", () => {
    fc.assert(
      fc.property(example, ({ own, other, K, C }) => {
        const [u, weights] = [own.map((c) => c.u), own.map((c) => c.w)];
        const kernels = openSetLoss(spec, own.length, other.length, { weights });
        const all = [...u, ...other];
        const rounding = 64 * EPS * all.length * (1 + maxAbs(all)) * Math.max(...weights, 1);

        const alone = own.map((c) => setLoss(spec, [c.u], []));
        const rest = setLoss(spec, [], other);
        const { value, gradient, alone: unasked } = kernels.value(all);
        expectWithin(value, sum([...own.map(({ w }, c) => w * alone[c].value), rest.value]), rounding, "value");
        expect(unasked).toBe(value);
        const exactGradient = [...own.map(({ w }, c) => w * alone[c].ofTrue[0]), ...rest.ofOther];
        if (smooth) expectVectorWithin(gradient, exactGradient, rounding / (spec.gamma ?? 1), "gradient");

        const exact = [...own.flatMap((c) => setStep(spec, [c.u], [], K, c.w * C)), ...setStep(spec, [], other, K, C)];
        const zeros = all.map(() => 0);
        const x = kernels.step(all, zeros, K, C);
        const flat = 1 / Math.min(1, K * C * Math.min(...weights, 1) + (spec.gamma ?? (smooth ? 1 : 0)));
        expectVectorWithin(x, exact, C * rounding * flat, "step");
        expect(kernels.step(all, exact, K, C).every(Number.isFinite)).toBe(true);
        own.forEach(({ w }, c) => expect(x[c]).toBeLessThanOrEqual(C * w));

        const terms = own.map(({ w }, c) => -C * w * setConjugate(spec, [-x[c] / (C * w)], [], 1e-12));
        const others = x.slice(own.length).map((entry) => entry / C);
        const dual = sum([...terms, -C * setConjugate(spec, [], others, 1e-12)]);
        expectWithin(kernels.dual(x, C), dual, C * rounding, "dual loss");
      }),
      RUNS,
    );
  });

  test.each(["float32", "float64"] as const)("repairing cuts each to its own bound: %s", (precision) => {
    const round = precision === "float32" ? Math.fround : (v: number): number => v;
    fc.assert(
      fc.property(example, ({ own, other, C }) => {
        const weights = own.map((c) => c.w);
        const bounds = [...weights.map((w) => C * w), ...other.map(() => C)];
        const kernels = openSetLoss(spec, own.length, other.length, { weights });
        const given = [...own.map((c) => c.u), ...other].map((u, c) => round(u * bounds[c]));
        const x = kernels.restore(given, C, precision);
        x.forEach((entry, c) => {
          expect(entry).toBeLessThanOrEqual(bounds[c]);
          expect(round(entry)).toBe(entry);
          expectWithin(entry, Math.min(Math.max(given[c], 0), bounds[c]), 1e-6 * bounds[c]);
        });
        expect(kernels.restore(x, C, precision)).toEqual(x);
      }),
      RUNS,
    );
  });
});
