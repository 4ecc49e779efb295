import { bipartiteSimplex } from "./bipartite.ts";
import { lastWhere } from "./bisect.ts";
import { solveEntropic } from "./lambert.ts";
import { binaryValue, type LossSpec } from "./losses.ts";
import { dot, sum } from "./sum.ts";
import { sigmoid } from "./topKEntropy.ts";

/** A loss on a set of true classes, under the names of the public API. */
export interface SetLossSpec {
  loss: "multilabel-hinge" | "multilabel-softmax" | "ova-hinge" | "ova-logistic";
  gamma?: number;
}

const isOneVsAll = ({ loss }: SetLossSpec): boolean => loss.startsWith("ova-");

/** Whether the loss is 0 whatever the scores. */
function isTrivial({ loss }: SetLossSpec, numTrue: number, numOther: number): boolean {
  return !loss.startsWith("ova-") && (numTrue === 0 || (numOther === 0 && loss === "multilabel-hinge"));
}

/** Value and gradient at the scores of the true classes and of the others. */
export interface SetLoss {
  value: number;
  ofTrue: number[];
  ofOther: number[];
}

/**
 *     multilabel-hinge     max(0, 1 + max other - min true); gamma > 0: max of <1/2 - true, p> + <1/2 + other, r> -
 *                          gamma/2 (||p||^2 + ||r||^2) over p, r >= 0, sum p = sum r <= 1
 *     multilabel-softmax   mean over the true classes of log sum_j exp(u_j - u_y)
 *     ova-*                the binary loss at u of the true classes and at -u of the others
 *
 * Lapin, Hein, Schiele, PAMI 2018, Props 5 to 7. Gradients are those of smooth losses, or any subgradient.
 */
export function setLoss(spec: SetLossSpec, own: readonly number[], other: readonly number[]): SetLoss {
  const { gamma = 0 } = spec;
  if (isTrivial(spec, own.length, other.length)) {
    return { value: 0, ofTrue: own.map(() => 0), ofOther: other.map(() => 0) };
  }
  if (isOneVsAll(spec)) {
    const slope = (tu: number): number => {
      if (spec.loss === "ova-logistic") return -sigmoid(-tu);
      return gamma > 0 ? -Math.min(Math.max((1 - tu) / gamma, 0), 1) : tu < 1 ? -1 : 0;
    };
    const value = (tu: number): number => binaryValue(spec as LossSpec, tu);
    return {
      value: sum([...own.map(value), ...other.map((u) => value(-u))]),
      ofTrue: own.map(slope),
      ofOther: other.map((u) => 0 - slope(-u)),
    };
  }
  if (spec.loss === "multilabel-softmax") {
    const all = [...own, ...other];
    const top = Math.max(...all);
    const total = sum(all.map((u) => Math.exp(u - top)));
    const rest = sum(all.filter((_, j) => j !== all.indexOf(top)).map((u) => Math.exp(u - top)));
    const p = (u: number): number => Math.exp(u - top) / total;
    return {
      value: sum([Math.log1p(rest), ...own.map((u) => (top - u) / own.length)]),
      ofTrue: own.map((u) => p(u) - 1 / own.length),
      ofOther: other.map(p),
    };
  }
  const worst = Math.min(...own);
  const best = Math.max(...other);
  const h = best - worst + 1;
  if (gamma === 0) {
    const at = (v: readonly number[], u: number, slope: number): number[] =>
      v.map((_, j) => (j === v.indexOf(u) && h > 0 ? slope : 0));
    return { value: Math.max(0, h), ofTrue: at(own, worst, -1), ofOther: at(other, best, 1) };
  }
  const { x, y } = bipartiteSimplex(
    own.map((u) => 0 - u),
    other,
    { margin: 1, radius: gamma },
  );
  const terms = [
    (sum(x) / gamma) * h,
    ...x.map((v, j) => (v > 0 ? (v / gamma) * (worst - own[j] - v / 2) : 0)),
    ...y.map((v, j) => (v > 0 ? (v / gamma) * (other[j] - best - v / 2) : 0)),
  ];
  return { value: sum(terms), ofTrue: x.map((v) => 0 - v / gamma), ofOther: y.map((v) => v / gamma) };
}

const entropyTerm = (z: number): number => (z > 0 ? z * Math.log(z) : 0);

/**
 * L*(v), v split like the scores; Infinity outside the domain by more than the tolerance.
 *
 *     multilabel-hinge     -1/2 (sum of other - sum of true) + gamma/2 ||v||^2 where -true, other >= 0 and both sum to s <= 1
 *     multilabel-softmax   <p, log p> with p = v + 1/|Y| on the true classes and v elsewhere, where p >= 0 and sums to 1
 *     ova-*                the binary conjugates at z = -t v in [0, 1]: -z + gamma/2 z^2, z log z + (1-z) log(1-z)
 */
export function setConjugate(
  spec: SetLossSpec,
  ofTrue: readonly number[],
  ofOther: readonly number[],
  tolerance = 0,
): number {
  const { gamma = 0 } = spec;
  const v = [...ofTrue, ...ofOther];
  if (isTrivial(spec, ofTrue.length, ofOther.length)) return v.every((entry) => entry === 0) ? 0 : Infinity;
  if (spec.loss === "multilabel-softmax") {
    const p = [...ofTrue.map((entry) => entry + 1 / ofTrue.length), ...ofOther];
    const outside = Math.max(Math.abs(sum(v)), ...p.map((entry) => -entry));
    return outside > tolerance ? Infinity : sum(p.map(entropyTerm));
  }
  const z = [...ofTrue.map((entry) => 0 - entry), ...ofOther];
  let outside = Math.max(...z.map((entry) => -entry));
  if (isOneVsAll(spec)) outside = Math.max(outside, ...z.map((entry) => entry - 1));
  else outside = Math.max(outside, sum(ofOther) - 1, Math.abs(sum(v)));
  if (outside > tolerance) return Infinity;
  if (spec.loss === "ova-logistic") return sum([...z, ...z.map((entry) => 1 - entry)].map(entropyTerm));
  const weight = isOneVsAll(spec) ? 1 : 0.5;
  return sum([...z.map((entry) => -weight * entry), (gamma / 2) * dot(z, z)]);
}

/**
 * argmin alpha/2 ||p - 1_Y/|Y| ||^2 - <q, p> + <p, log p>,  sum p = 1: alpha p_j + log p_j = b_j - s with one s for all, by
 * bisection on s and once more for each class. PAMI 2018, Prop. 20.
 */
export function multilabelEntropy(own: readonly number[], other: readonly number[], alpha: number): number[] {
  const sides = [...own.map((q) => q + alpha / own.length), ...other];
  const pivot = Math.max(...sides);
  const point = (s: number): number[] => sides.map((side) => solveEntropic(alpha, side - pivot - s));
  return point(lastWhere((s) => sum(point(s)) >= 1, -alpha - 1, Math.log(sides.length) + 1));
}

/**
 * argmax -C L*(-a/C) - K/2 ||a||^2 - <q, a>: one dual step, as x = a on the true classes and -a on the others.
 */
export function setStep(
  spec: SetLossSpec,
  own: readonly number[],
  other: readonly number[],
  K: number,
  C: number,
): number[] {
  const { gamma = 0 } = spec;
  if (isTrivial(spec, own.length, other.length)) return [...own, ...other].map(() => 0);
  if (spec.loss === "multilabel-softmax") {
    const p = multilabelEntropy(own, other, K * C);
    return p.map((share, j) => C * (j < own.length ? 1 / own.length - share : share));
  }
  const R = K * C + gamma;
  const against = [...own, ...other.map((q) => -q)]; // t q
  if (spec.loss === "ova-logistic") {
    // alpha sigmoid(e) + e rises with e.
    const solve = (tq: number): number =>
      lastWhere((e) => K * C * sigmoid(e) + e <= -tq, -Math.abs(tq) - K * C - 1, Math.abs(tq) + 1);
    return against.map((tq) => C * sigmoid(solve(tq)));
  }
  if (spec.loss === "ova-hinge") return against.map((tq) => C * Math.min(Math.max((1 - tq) / R, 0), 1));
  const { x, y } = bipartiteSimplex(
    own.map((q) => -q),
    other,
    { margin: 1, radius: R },
  );
  return [...x, ...y].map((entry) => (C / R) * entry);
}
