import type { Loss } from "../losses.ts";
import type { ResidentProblem } from "../wasm/problem.ts";
import { DualDomains } from "./dualDomains.ts";
import { factoriseRow, solveFactorised } from "./linearAlgebra.ts";

/** Rank weights that are the same for the first `count` ranks and 0 for the others: rho is a sum of such. */
interface Level {
  readonly count: number;
  readonly weight: number;
}

/**
 * The domains of weighted-topk-hinge and of "alpha-inclusive", whose rank weights are 1/k. With rho the weights of all
 * m ranks, R their sum and r in [0, C_i],
 *
 *     a_j = -v_j,   a_y = r R - v_y,   v in r P(rho),
 *
 * P(rho) being the permutahedron (Hirohashi and Kato, *Learning Weighted Top-k Support Vector Machine*, 2020): as many
 * inequalities as there are sets of classes. But it is the sum of one hypersimplex for each level of weights, rho being
 * a sum of these, and such a one has two inequalities for each class:
 *
 *     v = sum_l q_l,   0 <= q_lj <= weight_l r,   sum_j q_lj = count_l weight_l r.
 *
 * Where all ranks count a level is the point weight r (1, ..., 1). z is the q_l of the others, one after the other, and
 * r. Inequalities are, level by level, those from below and, if it counts more than one, from above, then those of r.
 *
 * Second derivatives are a diagonal for each q_l, and those of its bounds in r. The least in each q_l for a given r,
 * where a force f is on it, is (D being the diagonal of q_l, u that of its upper bounds, 1 the vector of ones)
 *
 *     q_l = P f + r b,   P = D^-1 - D^-1 1 1^T D^-1 / s,   b = weight_l D^-1 (u - t 1),
 *
 * with s = 1^T D^-1 1 and t = (1^T D^-1 u - count_l) / s. What is left is a parabola in r. Entries of P, whose rows sum
 * to zero, are sums of one sign where one class has nearly all of s; smoothing comes in by Woodbury's formula.
 */
export class WeightedDomains extends DualDomains {
  /** Measured: up to twice as many steps, each up to twice as long. */
  static readonly slowness = 3;
  readonly size: number;
  readonly width: number;
  /** Of the last example: m x m. */
  readonly responses: Float64Array;
  readonly #levels: readonly Level[];
  /** The weight of the last rank, which all classes have. */
  readonly #common: number;
  /** Of each example D^-1 and b, level by level, and the curvature of that parabola. */
  readonly #kept: Float64Array;
  readonly #keptSize: number;
  /** Of each example, where the loss is smoothed: Cholesky's factor of I + smoothing S, S the response without that. */
  readonly #factors: Float64Array;
  /** Scratch. */
  readonly #a: Float64Array;
  readonly #force: Float64Array;

  constructor(problem: ResidentProblem, loss: Loss) {
    super(problem, loss);
    const m = this.numClasses;
    const { levels, common } = split(weightsOf(loss), m);
    this.#levels = levels;
    this.#common = common;
    this.size = levels.length * m + 1;
    this.width = levels.reduce((sum, { count }) => sum + (count > 1 ? 2 * m : m), 2);
    this.responses = new Float64Array(m * m);
    this.#keptSize = 2 * levels.length * m + 1;
    this.#kept = new Float64Array(this.examples.length * this.#keptSize);
    this.#a = new Float64Array(m);
    this.#force = new Float64Array(this.size);
    this.#factors = new Float64Array(loss.gamma > 0 ? (this.examples.length * m * (m + 1)) / 2 : 0);
  }

  /** Whether those of a loss are among these. */
  static suits({ family, domain, k }: Loss): boolean {
    return family === "HINGE" && (domain === "WEIGHTED" || (domain === "TOPK_INCLUSIVE" && k > 2));
  }

  /** So many are kept of an example. */
  static numbersOf(loss: Loss, m: number): number {
    const ofFactor = loss.gamma > 0 ? (m * (m + 1)) / 2 : 0;
    return 2 * split(weightsOf(loss), m).levels.length * m + 1 + ofFactor;
  }

  override get largest(): number {
    return weightsOf(this.loss).reduce((sum, weight) => sum + weight, 0);
  }

  /** Of "alpha-inclusive" it leaves the true class out. */
  smoothing(e: number, j: number): number {
    return this.loss.domain === "WEIGHTED" || j !== this.own[e] ? this.loss.gamma / this.C[e] : 0;
  }

  putCentre(e: number, z: Float64Array): void {
    const m = this.numClasses;
    const r = 0.5 * this.C[e];
    const from = e * this.size;
    for (const [l, { count, weight }] of this.#levels.entries()) {
      z.fill((count * weight * r) / m, from + l * m, from + l * m + m);
    }
    z[from + this.size - 1] = r;
  }

  putSlacks(e: number, z: Float64Array, slacks: Float64Array, changes = false): void {
    const m = this.numClasses;
    const from = e * this.size;
    const r = z[from + this.size - 1];
    let to = e * this.width;
    for (const [l, { count, weight }] of this.#levels.entries()) {
      const q = from + l * m;
      for (let j = 0; j < m; j++) slacks[to++] = z[q + j];
      if (count > 1) for (let j = 0; j < m; j++) slacks[to++] = weight * r - z[q + j];
    }
    slacks[to++] = r;
    slacks[to] = (changes ? 0 : this.C[e]) - r;
  }

  putDuals(e: number, z: Float64Array, a: Float64Array): void {
    const m = this.numClasses;
    const from = e * this.size;
    const own = this.own[e];
    const ofAll = this.#common * z[from + this.size - 1];
    let sum = 0;
    for (let j = 0; j < m; j++) {
      if (j === own) continue;
      let v = ofAll;
      for (let q = from + j; q < from + this.size - 1; q += m) v += z[q];
      a[j] = -v;
      sum += v;
    }
    a[own] = sum;
  }

  addForces(e: number, times: number, onDuals: Float64Array, result: Float64Array): void {
    const m = this.numClasses;
    const ofOwn = onDuals[this.own[e]];
    let all = 0;
    for (let j = 0; j < m; j++) {
      const force = times * (ofOwn - onDuals[j]); // 0 for the own class
      for (let q = j; q < this.size - 1; q += m) result[q] += force;
      all += force;
    }
    result[this.size - 1] += this.#common * all;
  }

  addTransposed(_: number, multipliers: Float64Array, result: Float64Array): void {
    const m = this.numClasses;
    const r = this.size - 1;
    let at = 0;
    for (const [l, { count, weight }] of this.#levels.entries()) {
      for (let j = 0; j < m; j++) result[l * m + j] -= multipliers[at++];
      if (count === 1) continue;
      for (let j = 0; j < m; j++) {
        const upper = multipliers[at++];
        result[l * m + j] += upper;
        result[r] -= weight * upper;
      }
    }
    result[r] += multipliers[at + 1] - multipliers[at];
  }

  responseAt(): number {
    return 0;
  }

  differentiate(e: number, ratios: Float64Array): void {
    const { numClasses: m, responses: S, width } = this;
    const kept = this.#kept;
    const g = this.#a;
    S.fill(0);
    g.fill(-this.#common);
    let curvature = ratios[width - 2] + ratios[width - 1];
    let inverse = e * this.#keptSize;
    let lower = 0;
    for (const { count, weight } of this.#levels) {
      const upper = lower + m; // where there are any
      const upperOf = (j: number): number => (count > 1 ? ratios[upper + j] : 0);
      const b = inverse + m;
      let total = 0;
      let excess = -count;
      for (let j = 0; j < m; j++) {
        const ofUpper = upperOf(j);
        const entry = 1 / (ratios[lower + j] + ofUpper);
        kept[inverse + j] = entry;
        total += entry;
        excess += entry * ofUpper;
      }
      const t = excess / total;
      for (let j = 0; j < m; j++) {
        const ofUpper = upperOf(j);
        const bj = weight * kept[inverse + j] * (ofUpper - t);
        kept[b + j] = bj;
        g[j] -= bj;
        curvature += ratios[lower + j] * bj * bj + ofUpper * (weight - bj) ** 2;
      }
      this.#addProjection(inverse, total);
      inverse += 2 * m;
      lower += count > 1 ? 2 * m : m;
    }
    kept[inverse] = curvature;
    const own = this.own[e];
    g[own] = 0;
    let others = 0;
    for (let j = 0; j < m; j++) others += g[j];
    g[own] = -others;
    for (let j = 0; j < m; j++) {
      const share = g[j] / curvature;
      for (let i = 0; i < m; i++) S[j * m + i] += share * g[i];
    }
    if (this.loss.gamma > 0) this.#smooth(e);
  }

  /** Adds P to the response, D^-1 being kept from place `inverse` on and `total` its sum. */
  #addProjection(inverse: number, total: number): void {
    const { numClasses: m, responses: S } = this;
    const kept = this.#kept;
    for (let j = 0; j < m; j++) {
      const share = kept[inverse + j] / total;
      let others = 0;
      for (let i = 0; i < m; i++) {
        if (i === j) continue;
        const other = kept[inverse + i];
        others += other;
        S[j * m + i] -= share * other;
      }
      S[j * m + j] += share * others;
    }
  }

  /**
   * The response with smoothing, (I + smoothing S)^-1 S in the classes that it counts. What is left of the own one's
   * row and column follows, as rows sum to zero.
   */
  #smooth(e: number): void {
    const { numClasses: m, responses: S } = this;
    const own = this.own[e];
    const smoothing = this.loss.gamma / this.C[e];
    const left = this.smoothing(e, own) > 0 ? -1 : own;
    const L = this.#factorOf(e);
    for (let j = 0, at = 0; j < m; j++) {
      for (let i = 0; i <= j; i++, at++) {
        const counts = j !== left && i !== left;
        L[at] = (counts ? smoothing * S[j * m + i] : 0) + Number(i === j);
      }
      factoriseRow(L, j);
    }
    const column = this.#a;
    for (let i = 0; i < m; i++) {
      if (i === own) continue;
      for (let j = 0; j < m; j++) column[j] = j === left ? 0 : S[i * m + j];
      solveFactorised(L, column);
      for (let j = 0; j < m; j++) S[i * m + j] = column[j];
    }
    let all = 0;
    for (let j = 0; j < m; j++) {
      if (j === own) continue;
      let sum = 0;
      for (let i = 0; i < m; i++) {
        if (i < j && i !== own) S[j * m + i] = S[i * m + j]; // rounding has made them differ
        if (i !== own) sum += S[j * m + i];
      }
      S[j * m + own] = S[own * m + j] = -sum;
      all += sum;
    }
    S[own * m + own] = all;
  }

  #factorOf(e: number): Float64Array {
    const size = (this.numClasses * (this.numClasses + 1)) / 2;
    return this.#factors.subarray(e * size, (e + 1) * size);
  }

  putChanges(e: number, forces: Float64Array, changes: Float64Array): void {
    this.#putUnsmoothed(e, forces, changes);
    if (this.loss.gamma === 0) return;
    const own = this.own[e];
    const counts = this.smoothing(e, own) > 0;
    const a = this.#a;
    this.putDuals(e, changes, a);
    if (!counts) a[own] = 0;
    solveFactorised(this.#factorOf(e), a);
    const force = this.#force;
    force.set(forces);
    this.addForces(e, -this.loss.gamma / this.C[e], a, force);
    this.#putUnsmoothed(e, force, changes);
  }

  #putUnsmoothed(e: number, forces: Float64Array, changes: Float64Array): void {
    const m = this.numClasses;
    const kept = this.#kept;
    const first = e * this.#keptSize;
    const numbers = this.size - 1;
    let ofR = forces[numbers];
    for (let q = 0, b = first + m; q < numbers; q += m, b += 2 * m) {
      for (let j = 0; j < m; j++) ofR += kept[b + j] * forces[q + j];
    }
    const r = ofR / kept[first + this.#keptSize - 1];
    const to = e * this.size;
    changes[to + numbers] = r;
    for (let q = 0, inverse = first; q < numbers; q += m, inverse += 2 * m) {
      let total = 0;
      let mean = 0;
      let largest = 0;
      for (let j = 0; j < m; j++) {
        const entry = kept[inverse + j];
        total += entry;
        mean += entry * forces[q + j];
        if (entry > kept[inverse + largest]) largest = j;
      }
      mean /= total;
      // Changes at a given r sum to zero, of which the largest is what the others leave.
      let others = 0;
      for (let j = 0; j < m; j++) {
        if (j === largest) continue;
        const change = kept[inverse + j] * (forces[q + j] - mean);
        others += change;
        changes[to + q + j] = change + kept[inverse + m + j] * r;
      }
      changes[to + q + largest] = kept[inverse + m + largest] * r - others;
    }
  }
}

/** The weights of ranks, as long as they are not 0. */
const weightsOf = ({ weights, k }: Loss): readonly number[] => weights ?? new Array<number>(k).fill(1 / k);

/** Levels of the weights, but for the one of all m ranks: that is what all classes have in `common`. */
function split(weights: readonly number[], m: number): { levels: Level[]; common: number } {
  const drops = weights.map((weight, l) => ({ count: l + 1, weight: weight - (weights[l + 1] ?? 0) }));
  return { levels: drops.filter(({ count, weight }) => weight > 0 && count < m), common: weights[m - 1] ?? 0 };
}
