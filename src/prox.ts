import { readNonempty, readVector, sumOfSquares } from "./arrays/vectors.ts";
import {
  boolean,
  check,
  isFloats,
  nonnegative,
  number,
  oneOf,
  positive,
  readParameters,
  type Constraint,
} from "./constraints.ts";
import { mustBe, refuse } from "./errors.ts";
import { aVariant, guesses, MAX_K, readWeights, topKDomain } from "./losses.ts";
import { boxKnapsack } from "./prox/boxKnapsack.ts";
import { run, runOn, runScaled, type Kernel } from "./prox/run.ts";
import { bounded, safeScale, times, type Bounded } from "./prox/safeScale.ts";
import type { Variant, Vec } from "./types.ts";
import { borrow } from "./wasm/shared.ts";

const positiveOrInfinite = number("(", 0, Infinity, "]");
const finite = number("(", -Infinity, Infinity, ")");
const finiteOrInfinite = number("(", -Infinity, Infinity, "]");

/**
 * Where alpha is that large entropies are nothing beside the squares: then it and all entries are divided by what is
 * above this, which leaves the answer as it is and sums in range.
 */
const LARGE_CURVATURE = 1e150;
const scaleOfCurvature = (alpha: number): number => Math.max(alpha / LARGE_CURVATURE, 1);

const alphaOrBeta = oneOf(["alpha", "beta"]);

/** The top-k simplex of a variant, or with radius Infinity the top-k cone. */
function projectOntoTopK(
  caller: string,
  given: Bounded,
  { k, radius, rho, variant }: { k: number; radius: number; rho: number; variant: Variant },
): Float64Array {
  return runScaled(caller, given, { rho, bound: radius }, (kernels, scale, aPtr, n, xPtr, workPtr) => {
    const domain = kernels[topKDomain(variant)].value;
    kernels.projectOnto(domain, Math.min(k, MAX_K), 0, aPtr, n, radius / scale, rho, 0, xPtr, workPtr);
  });
}

/**
 * The proximal maps the solver is made of, in float64; inputs are left untouched. Vectors have n >= 1 finite entries
 * where it does not say otherwise, answers as many. Need `await init()`, else an Error. All throw TypeError or
 * RangeError naming the argument, also for a name that is nearly one of their options; other names are ignored.
 *
 * Every iteration is bracketed and bounded. Answers of n entries meet their constraints, and are optimal, up to some n
 * 2^-52 of the largest number in play, the radius included: test/prox/ holds them to that.
 */
export const prox = {
  /**
   * Continuous quadratic knapsack:
   *
   *     min 1/2 ||x - a||^2 + rho/2 (sum x)^2   over   lo <= x_j <= hi,   sum x <= radius   (= radius with `equality`).
   *
   * x_j = min(max(a_j - t, lo), hi), with t = rho sum x unless the sum reaches the radius first. Variable fixing,
   * Kiwiel 2008; with rho > 0 Lapin, Hein, Schiele, NIPS 2015, Eq. 10. With lo = 0 O(n) expected, else O(n log n). lo
   * is finite, default 0; hi in [lo, Infinity], default Infinity; radius finite (or Infinity without `equality`),
   * default 1; rho in [0, Infinity), default 0. RangeError if no x meets the constraints.
   *
   * @example
   * prox.knapsack([0.5, 2, 1.5], { radius: 2 }); // [0, 1.25, 0.75]
   */
  knapsack(
    a: Vec,
    o?: {
      lo?: number | undefined;
      hi?: number | undefined;
      radius?: number | undefined;
      equality?: boolean | undefined;
      rho?: number | undefined;
    },
  ): Float64Array {
    const caller = "prox.knapsack";
    const given = bounded(caller, a);
    const {
      lo = 0,
      hi = Infinity,
      radius = 1,
      equality = false,
      rho = 0,
    } = readParameters(caller, o, ["lo", "hi", "radius", "equality", "rho"]);
    check(caller, "lo", lo, finite);
    check(caller, "hi", hi, number("[", lo, Infinity, "]"));
    check(caller, "equality", equality, boolean);
    check(caller, "radius", radius, equality ? finite : finiteOrInfinite);
    check(caller, "rho", rho, nonnegative);
    const n = given.v.length;
    // Sums of n equal bounds are exact only up to rounding, so a radius that equals them must not be refused for it.
    const slack = 1e-14 * n * Math.max(Math.abs(lo), Math.abs(radius === Infinity ? 0 : radius));
    if (n * lo > radius + slack || (equality && n * hi < radius - slack)) {
      refuse(
        RangeError,
        caller,
        "radius",
        `${radius} is out of reach: ${n} entries in [${lo}, ${hi}] sum to ${n * lo} ... ${n * hi}`,
      );
    }
    if (lo !== 0) {
      const scale = safeScale(Math.max(given.most, Math.abs(lo), equality ? Math.abs(radius) : 0), rho, Infinity);
      const bounds = { lo: lo / scale, hi: hi / scale, radius: radius / scale, equality, rho };
      const x = times(boxKnapsack(times(given.v, 1 / scale), bounds), scale) as Float64Array;
      return x.map((v) => Math.min(Math.max(v, lo), hi)); // scaled, bounds may have been rounded to subnormal numbers
    }
    return runScaled(caller, given, { rho, bound: Math.min(radius, hi) }, (kernels, scale, aPtr, _n, xPtr, workPtr) => {
      if (equality) kernels.knapsackEquality(aPtr, n, hi / scale, radius / scale, xPtr, workPtr);
      else kernels.knapsack(aPtr, n, hi / scale, radius / scale, rho, xPtr, workPtr);
    });
  },

  /**
   * Top-k cone:
   *
   *     min 1/2 ||x - a||^2 + rho/2 (sum x)^2   over   0 <= x_j <= (sum x)/k.
   *
   * x_j = min(max(a_j - t, 0), (sum x)/k). Lapin, Hein, Schiele, NIPS 2015, Lemma 3, by Newton's method on the sum in
   * the place of a search over pairs of sets; O(n) expected for each of a handful of steps. k an integer >= 1; one
   * above the length leaves only zeros. rho in [0, Infinity), default 0.
   *
   * @example
   * prox.topKCone([4, 1, 0], { k: 2 }); // [3, 2, 1]
   */
  topKCone(a: Vec, o: { k: number; rho?: number | undefined }): Float64Array {
    const caller = "prox.topKCone";
    const given = bounded(caller, a);
    const { k, rho = 0 } = readParameters(caller, o, ["k", "rho"]);
    check(caller, "k", k, guesses);
    check(caller, "rho", rho, nonnegative);
    return projectOntoTopK(caller, given, { k, radius: Infinity, rho, variant: "alpha" });
  },

  /**
   * Top-k simplex:
   *
   *     min 1/2 ||x - a||^2 + rho/2 (sum x)^2   over   sum x <= radius,   x >= 0   and
   *
   *     "alpha" (default)    x_j <= (sum x)/k
   *     "beta"               x_j <= radius/k
   *     "alpha-inclusive"    x_j <= radius/k   and   x_j <= (sum x)/(k - 1).
   *
   * With k = 1 each is the simplex, x >= 0 and sum x <= radius. Lapin, Hein, Schiele, PAMI 2018, Eqs 2 and 3, and NIPS
   * 2015, Lemma 5 for "alpha" and section 5 for "beta"; "alpha-inclusive" is the domain of the loss that NIPS 2015
   * prints in Eq. 3. Method and cost are those of `topKCone`, of "beta" those of `knapsack`. k an integer >= 1; above
   * the length it leaves only zeros with "alpha", above the length + 1 with "alpha-inclusive". radius in (0, Infinity),
   * default 1; rho in [0, Infinity), default 0.
   *
   * @example
   * prox.topKSimplex([0.8, 0.1, 0], { k: 2 }); // [0.5, 0.3, 0.2]
   * prox.topKSimplex([0.8, 0.1, 0], { k: 2, variant: "beta" }); // [0.5, 0.1, 0]
   */
  topKSimplex(
    a: Vec,
    o: { k: number; radius?: number | undefined; rho?: number | undefined; variant?: Variant | undefined },
  ): Float64Array {
    const caller = "prox.topKSimplex";
    const given = bounded(caller, a);
    const { k, radius = 1, rho = 0, variant = "alpha" } = readParameters(caller, o, ["k", "radius", "rho", "variant"]);
    check(caller, "k", k, guesses);
    check(caller, "radius", radius, positive);
    check(caller, "rho", rho, nonnegative);
    check(caller, "variant", variant, aVariant);
    return projectOntoTopK(caller, given, { k, radius, rho, variant });
  },

  /**
   * Entropic projection:
   *
   *     min <x, log x> - <a, x>   over   sum x = radius,   0 <= x_j <= hi.
   *
   * x_j = min(exp(a_j - t), hi), as the conditions of optimality have it; with hi = Infinity radius times the softmax
   * of a. Lapin, Hein, Schiele, PAMI 2018, Prop. 17, has the same form, with a bound that goes with the sum. What is
   * above hi is cut until nothing more is; O(n) expected, an exponential for each entry. radius in (0, Infinity),
   * default 1; hi in (0, Infinity], default Infinity. RangeError if n hi < radius.
   *
   * @example
   * prox.entropicSimplex([Math.log(3), 0]); // [0.75, 0.25]
   * prox.entropicSimplex([3, 0, 0], { hi: 0.5 }); // [0.5, 0.25, 0.25]
   */
  entropicSimplex(a: Vec, o?: { radius?: number | undefined; hi?: number | undefined }): Float64Array {
    const caller = "prox.entropicSimplex";
    const v = readNonempty(caller, a);
    const { radius = 1, hi = Infinity } = readParameters(caller, o, ["radius", "hi"]);
    check(caller, "radius", radius, positive);
    check(caller, "hi", hi, positiveOrInfinite);
    const n = v.length;
    if (n * hi < radius * (1 - 1e-14 * n)) {
      refuse(RangeError, caller, "radius", `${radius} is out of reach: ${n} entries up to ${hi} sum to ${n * hi}`);
    }
    return run(caller, v, (kernels, aPtr, _n, xPtr) => kernels.entropicSimplex(aPtr, n, radius, hi, xPtr));
  },

  /**
   * Top-k entropy step, with s = sum z:
   *
   *     min alpha/2 (||z||^2 + s^2) - <b, z> + <z, log z> + (1 - s) log(1 - s)   over   s <= 1   and
   *
   *     "alpha" (default)    0 <= z_j <= s/k
   *     "beta"               0 <= z_j <= 1/k.
   *
   * z_j = min(V(b_j - t)/alpha, s/k or 1/k), V that of `lambertWExp`. k an integer >= 1; above the length it leaves
   * only zeros with "alpha". alpha in [0, Infinity), in a fit C_i ||x_i||^2; with 0 it is the top-k entropy loss's own
   * maximisation, z_j = min(exp(b_j - t), s/k or 1/k). Lapin, Hein, Schiele, PAMI 2018, Props 15 to 17, Eqs 11 and 15,
   * by Householder's method of fourth order, in float32 and at last in float64: V of every entry, a handful of times.
   *
   * @example
   * prox.topKEntropy([0, 0, 0], { k: 2, alpha: 0 }); // [0.25, 0.25, 0.25]
   * prox.topKEntropy([2, 0, 0], { k: 2, alpha: 1 }); // [0.3682, 0.1841, 0.1841]
   */
  topKEntropy(b: Vec, o: { k: number; alpha: number; variant?: "alpha" | "beta" | undefined }): Float64Array {
    const caller = "prox.topKEntropy";
    const v = readNonempty(caller, b, "b");
    const { k, alpha, variant = "alpha" } = readParameters(caller, o, ["k", "alpha", "variant"]);
    check(caller, "k", k, guesses);
    check(caller, "alpha", alpha, nonnegative);
    check(caller, "variant", variant, alphaOrBeta);
    const scale = scaleOfCurvature(alpha);
    const curvature = alpha / scale;
    return run(caller, times(v, 1 / scale), (kernels, bPtr, n, zPtr, workPtr) =>
      kernels.topKEntropyStep(bPtr, n, Math.min(k, MAX_K), variant === "beta", curvature, NaN, false, zPtr, workPtr),
    );
  },

  /**
   * Bipartite simplex:
   *
   *     min 1/2 ||x - a||^2 + 1/2 ||y - b||^2   over   x, y >= 0,   sum x = sum y <= radius.
   *
   * x = max(0, a - t) and y = max(0, b - u), with t + u = 0 or, where the sums are the radius, t + u >= 0. Newton's
   * method in a bracket, then variable fixing, O(n) expected. Lapin, Hein, Schiele, PAMI 2018, Eq. 17 and Prop. 19. a
   * and b may differ in length. radius in (0, Infinity], default 1.
   *
   * @example
   * prox.bipartiteSimplex([1, 0], [0.5]); // { x: [0.75, 0], y: [0.75] }
   */
  bipartiteSimplex(a: Vec, b: Vec, o?: { radius?: number | undefined }): { x: Float64Array; y: Float64Array } {
    const caller = "prox.bipartiteSimplex";
    const own = bounded(caller, a);
    const other = bounded(caller, b, "b");
    const { radius = 1 } = readParameters(caller, o, ["radius"]);
    check(caller, "radius", radius, positiveOrInfinite);
    const scale = safeScale(Math.max(own.most, other.most), 0, radius);
    const scaled = [own, other].map(({ v }) => times(v, 1 / scale));
    const [x, y] = runOn(caller, scaled, (kernels, vPtr, _both, xPtr, workPtr) =>
      kernels.bipartiteSimplex(vPtr, own.v.length, other.v.length, 0, radius / scale, xPtr, workPtr),
    ).map((z) => times(z, scale) as Float64Array);
    return { x, y };
  },

  /**
   * Multilabel softmax step, over t true classes and the others:
   *
   *     min alpha/2 (||x - 1/t||^2 + ||y||^2) - <qTrue, x> - <qOther, y> + <x, log x> + <y, log y>
   *     over   sum x + sum y = 1.
   *
   * x_j = V(qTrue_j + alpha/t - u)/alpha and y_j = V(qOther_j - u)/alpha, V that of `lambertWExp`, u such that they sum
   * to 1. Lapin, Hein, Schiele, PAMI 2018, Prop. 20, Eqs 18 and 19, by the method of `topKEntropy`. alpha in [0,
   * Infinity), in a fit C_i ||x_i||^2; with 0 it is the loss's own maximisation, x and y are the softmax of both
   * vectors. qTrue has t >= 1 entries, qOther may be empty.
   *
   * @example
   * prox.multilabelEntropy([Math.log(2)], [0, 0], { alpha: 0 }); // { x: [0.5], y: [0.25, 0.25] }
   */
  multilabelEntropy(qTrue: Vec, qOther: Vec, o: { alpha: number }): { x: Float64Array; y: Float64Array } {
    const caller = "prox.multilabelEntropy";
    const own = readNonempty(caller, qTrue, "qTrue");
    const other = readVector(caller, "qOther", qOther);
    const { alpha } = readParameters(caller, o, ["alpha"]);
    check(caller, "alpha", alpha, nonnegative);
    const scale = scaleOfCurvature(alpha);
    const scaled = [own, other].map((q) => times(q, 1 / scale));
    const [x, y] = runOn(caller, scaled, (kernels, qPtr, _both, pPtr) =>
      kernels.multilabelEntropyStep(qPtr, own.length, other.length, alpha / scale, false, false, pPtr),
    );
    return { x, y };
  },

  /**
   * Projection onto the hull of 0 and all permutations of the weights w, one weight for each entry:
   *
   *     min 1/2 ||x - a||^2   over   x in s P(w),   0 <= s <= 1,   P(w) the permutahedron of w.
   *
   * x is in P(w) if its l largest entries sum to at most w_1 + ... + w_l, for every l, and all of them to all of w.
   * Sorting, pooling of adjacent violators and a search for s; O(n log n). weights: as many numbers >= 0 as a has
   * entries, none above the one before, the first above 0. The set is that of Hirohashi and Kato, 2020, Eq. 19.
   *
   * @example
   * prox.permutahedronHull([2, 1, 0.25], { weights: [0.75, 0.25, 0] }); // [0.75, 0.25, 0]
   * prox.permutahedronHull([0.9, 0.8, 0], { weights: [0.75, 0.25, 0] }); // [0.55, 0.45, 0]
   */
  permutahedronHull(a: Vec, o: { weights: Vec }): Float64Array {
    const caller = "prox.permutahedronHull";
    const v = readNonempty(caller, a);
    const n = v.length;
    const { weights } = readParameters(caller, o, ["weights"]);
    const nonzero = readWeights(caller, "weights", readVector(caller, "weights", weights));
    if (weights.length !== n) {
      refuse(RangeError, caller, "weights", `has length ${weights.length} but "a" has ${n}`);
    }
    // Products of weights of 1e-200 would underflow; a power of two changes no digit.
    const scale = 2 ** Math.floor(Math.log2(nonzero[0]));
    const { instance, at } = borrow(caller, [n, n, n, 4 * n + 8]);
    const { kernels, memory } = instance;
    const [aPtr, weightsPtr, xPtr, workPtr] = at;
    new Float64Array(memory.buffer, aPtr, n).set(v);
    new Float64Array(memory.buffer, weightsPtr, n).fill(0).set(nonzero.map((weight) => weight / scale));
    kernels.permutahedronHull(aPtr, n, weightsPtr, nonzero.length, scale, true, xPtr, workPtr);
    return new Float64Array(memory.buffer, xPtr, n).slice();
  },

  /**
   * V(t) = W(e^t), the solution v > 0 of v + log v = t; W is the Lambert function. V' = V/(1 + V); V(t) is near e^t
   * where t is far below 0, near t - log t where it is far above. At most 2.5 units in the last place on [-700, 1e6];
   * below -745 it is 0. V(-Infinity) = 0, V(Infinity) = Infinity; NaN is a RangeError. A number gives a number, a
   * vector, which may be empty here, a vector. Lapin, Hein, Schiele, PAMI 2018, section 5.1.
   *
   * @example
   * prox.lambertWExp(0); // 0.5671
   * prox.lambertWExp([-2, 1]); // [0.12, 1]
   */
  lambertWExp,
};

function lambertWExp(t: number): number;
function lambertWExp(t: Vec): Float64Array;
function lambertWExp(t: number | Vec): number | Float64Array {
  const caller = "prox.lambertWExp";
  if (typeof t === "number") return run(caller, readArguments(caller, [t]), evaluateLambert)[0];
  check(caller, "t", t, numberOrVector);
  return run(caller, isFloats(t) && sumOfSquares(t) < Infinity ? t : readArguments(caller, t), evaluateLambert);
}

const numberOrVector: Constraint = {
  must: "a number, an array, Float64Array or Float32Array",
  kind: (v) => Array.isArray(v) || isFloats(v),
};

const evaluateLambert: Kernel = (kernels, tPtr, n, outPtr) => kernels.lambertWExp(tPtr, n, outPtr);

/** A copy of numbers of which infinities have a value here, too; see `readVector`. */
function readArguments(caller: string, t: Vec): Float64Array {
  const copy = new Float64Array(t.length);
  for (let j = 0; j < copy.length; j++) {
    const v: unknown = t[j];
    if (typeof v !== "number" || Number.isNaN(v)) mustBe(caller, "t", "a number", v, t.length > 1 ? `entry ${j}` : "");
    copy[j] = v;
  }
  return copy;
}
