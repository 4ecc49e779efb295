import type { Loss } from "../losses.ts";
import type { ResidentProblem } from "../wasm/problem.ts";

/** A pivot below this part of its diagonal entry is rounding. */
const ROUNDING = 1e-15;

/**
 * The domains of the dual variables of hinge losses, as inequalities G z <= h. Every example has a variable z_j >= 0
 * for each class: a_j = z_j for its true classes, a_j = -z_j for the others. With C = C_i and y the one true class
 *
 *     hinge, multilabel-hinge    sum_j a_j = 0,   sum_j z_j <= 2 C
 *     topk-hinge, alpha          sum_j a_j = 0,   z_y <= C,   z_j <= z_y / k
 *     topk-hinge, beta           sum_j a_j = 0,   z_y <= C,   z_j <= C / k
 *     ova-hinge                  z_j <= C
 *
 * where alpha with k = m - 1 leaves nothing but z_j = z_y / k, which is hinge's with one variable, and
 * "alpha-inclusive" is hinge's with k = 1, beta's with k = 2.
 *
 * Inequalities come example by example: those from below for each class, then those from above or the one for the sum.
 * Where a sums to zero one true class, its `own` one, follows from the others.
 */
export class DualDomains {
  /** The examples that have dual variables: of the others no class counts, or none is true, or all are. */
  readonly examples: Int32Array;
  /** C_i of each. */
  readonly C: Float64Array;
  /** a_j = sign_j z_j, m for each. */
  readonly signs: Int8Array;
  /** Where variables are coupled: the class whose variable follows from the others; else -1. */
  readonly own: Int32Array;
  readonly numClasses: number;
  /** Inequalities of an example. */
  readonly width: number;
  /** Whether the variables of an example depend on each other. */
  readonly coupled: boolean;
  /** Of `putInverse`: m x m numbers, or m, for each example. */
  readonly inverseSize: number;
  readonly #loss: Loss;
  /** Whether those of the other classes are all equal: topk-hinge, alpha, with k = m - 1. */
  readonly #tied: boolean;
  readonly #upper: "C" | "C/k" | "own/k" | "none";
  /** Scratch: the class of each variable but the own one, second derivatives in these, their inverse. */
  readonly #others: Int32Array;
  readonly #H: Float64Array;
  readonly #inverse: Float64Array;

  constructor(problem: ResidentProblem, loss: Loss) {
    const { y, offsets, shape, C } = problem;
    const { numExamples: n, numClasses: m } = shape;
    this.coupled = !loss.oneVsAll;
    const sets = offsets.length > 0;
    const all = new Int32Array(n);
    let count = 0;
    for (let i = 0; i < n; i++) {
      const truths = sets ? offsets[i + 1] - offsets[i] : 1;
      if (C[i] > 0 && !(this.coupled && (truths === 0 || truths === m))) all[count++] = i;
    }
    this.examples = all.subarray(0, count);
    this.C = new Float64Array(count);
    this.numClasses = m;
    this.inverseSize = this.coupled ? m * m : m;
    this.#loss = loss;
    this.#tied = loss.domain === "TOPK" && loss.k === m - 1;
    this.#upper = "none";
    if (loss.oneVsAll) this.#upper = "C";
    else if (loss.domain === "TOPK" && !this.#tied) this.#upper = "own/k";
    else if (loss.domain === "TOPK_BETA" || (loss.domain === "TOPK_INCLUSIVE" && loss.k === 2)) this.#upper = "C/k";
    this.width = m + (this.#upper === "none" ? 1 : m);
    this.signs = new Int8Array(count * m).fill(-1);
    this.own = new Int32Array(count).fill(-1);
    for (let e = 0; e < count; e++) {
      const i = all[e];
      this.C[e] = C[i];
      const [from, end] = sets ? [offsets[i], offsets[i + 1]] : [i, i + 1];
      for (let p = from; p < end; p++) this.signs[e * m + y[p]] = 1;
      if (this.coupled) this.own[e] = y[from];
    }
    this.#others = new Int32Array(m - 1);
    this.#H = new Float64Array(m * m);
    this.#inverse = new Float64Array(m * m);
  }

  /** Whether those of a loss are among these. */
  static suits({ family, domain, k }: Loss, { weighsLabels }: ResidentProblem["shape"]): boolean {
    if (family === "OVA_HINGE") return !weighsLabels;
    return family === "HINGE" && (domain === "TOPK_INCLUSIVE" ? k <= 2 : domain !== "WEIGHTED");
  }

  /** What the dual objective has of each z_j: this times it, less half of the smoothing times its square. */
  get gain(): number {
    return this.coupled ? 0.5 : 1;
  }

  /** Of losses with one true class it leaves that one out. */
  smoothing(e: number, j: number): number {
    const { gamma, label } = this.#loss;
    return label === "class" && j === this.own[e] ? 0 : gamma / this.C[e];
  }

  /** Puts a point well inside of the domain of example e into z. */
  putCentre(e: number, z: Float64Array): void {
    const m = this.numClasses;
    const from = e * m;
    if (!this.coupled) {
      z.fill(0.5 * this.C[e], from, from + m);
      return;
    }
    let truths = 0;
    for (let j = 0; j < m; j++) truths += Number(this.signs[from + j] > 0);
    const half = 0.5 * this.C[e];
    for (let j = 0; j < m; j++) z[from + j] = half / (this.signs[from + j] > 0 ? truths : m - truths);
  }

  /** Puts h - G z of example e there, or -G z: what is left of its inequalities, or how that changes along z. */
  putSlacks(e: number, z: Float64Array, slacks: Float64Array, changes = false): void {
    const m = this.numClasses;
    const C = changes ? 0 : this.C[e];
    const from = e * m;
    const to = e * this.width;
    let sum = 0;
    for (let j = 0; j < m; j++) {
      sum += z[from + j];
      slacks[to + j] = z[from + j];
    }
    if (this.#upper === "none") {
      slacks[to + m] = 2 * C - sum;
      return;
    }
    const { k } = this.#loss;
    const own = this.own[e];
    const most = this.#upper === "own/k" ? z[from + own] / k : this.#upper === "C/k" ? C / k : C;
    for (let j = 0; j < m; j++) slacks[to + m + j] = (j === own ? C : most) - z[from + j];
  }

  /** Adds G^T times multipliers of the inequalities of example e to m numbers. */
  addTransposed(e: number, multipliers: Float64Array, result: Float64Array): void {
    const m = this.numClasses;
    const sum = this.#upper === "none" ? multipliers[m] : 0;
    for (let j = 0; j < m; j++) result[j] += sum - multipliers[j];
    if (this.#upper === "none") return;
    const own = this.own[e];
    let others = 0;
    for (let j = 0; j < m; j++) {
      const upper = multipliers[m + j];
      result[j] += upper;
      if (j !== own) others += upper;
    }
    if (this.#upper === "own/k") result[own] -= others / this.#loss.k;
  }

  /**
   * Puts the inverse of the second derivatives of smoothing and barrier, sum of ratio_c g_c g_c^T over the inequalities
   * of example e, in terms of its a, from place `to` on: what a change of a_j is by a force on a_l, within the domain's
   * equation. m x m, its rows summing to zero, or a diagonal.
   */
  putInverse(e: number, ratios: Float64Array, target: Float64Array, to: number): void {
    const m = this.numClasses;
    if (!this.coupled) {
      for (let j = 0; j < m; j++) target[to + j] = 1 / (this.smoothing(e, j) + ratios[j] + ratios[m + j]);
      return;
    }
    if (this.#tied) {
      this.#putTied(e, ratios, target, to);
      return;
    }
    const own = this.own[e];
    const others = this.#others;
    const { length: r } = others;
    for (let v = 0; v < r; v++) others[v] = v < own ? v : v + 1;
    this.#differentiate(e, own, ratios);
    const inverse = this.#inverse;
    invert(this.#H, r, inverse);
    const { signs } = this;
    let ofOwn = 0;
    for (let v = 0; v < r; v++) {
      const j = others[v];
      let sum = 0;
      for (let u = 0; u < r; u++) {
        const l = others[u];
        const entry = signs[e * m + j] * signs[e * m + l] * inverse[v * r + u];
        target[to + j * m + l] = entry;
        sum += entry;
      }
      target[to + j * m + own] = target[to + own * m + j] = -sum;
      ofOwn += sum;
    }
    target[to + own * m + own] = ofOwn;
  }

  /** Along the one direction there is: 1 for the own class, -1/(m - 1) for the others. */
  #putTied(e: number, ratios: Float64Array, target: Float64Array, to: number): void {
    const m = this.numClasses;
    const own = this.own[e];
    const along = (j: number): number => (j === own ? 1 : -1 / (m - 1));
    let curvature = 4 * ratios[m];
    for (let j = 0; j < m; j++) curvature += (this.smoothing(e, j) + ratios[j]) * along(j) ** 2;
    for (let j = 0; j < m; j++) {
      for (let l = 0; l < m; l++) target[to + j * m + l] = (along(j) * along(l)) / curvature;
    }
  }

  /** The second derivatives in the z of all classes but the own one, of which that is sum of -sign_j z_j. */
  #differentiate(e: number, own: number, ratios: Float64Array): void {
    const m = this.numClasses;
    const { signs } = this;
    const H = this.#H;
    const others = this.#others;
    const { length: r } = others;
    const hasUpper = this.#upper !== "none";
    const share = this.#upper === "own/k" ? 1 / this.#loss.k : 0;
    const ofSum = hasUpper ? 0 : ratios[m];
    let ofOwn = this.smoothing(e, own) + ratios[own] + (hasUpper ? ratios[m + own] : 0);
    if (share > 0) for (const j of others) ofOwn += share * share * ratios[m + j];
    for (let v = 0; v < r; v++) {
      const j = others[v];
      const f = -signs[e * m + j];
      const upper = hasUpper ? ratios[m + j] : 0;
      for (let u = 0; u <= v; u++) {
        const l = others[u];
        const g = -signs[e * m + l];
        let entry = ofOwn * f * g + ofSum * (1 + f) * (1 + g);
        if (share > 0) entry -= share * (upper * g + f * ratios[m + l]);
        H[v * r + u] = entry;
      }
      H[v * r + v] += this.smoothing(e, j) + ratios[j] + upper;
    }
  }
}

/** The inverse of a symmetric positive definite matrix of r rows, given by its lower triangle, which is overwritten. */
function invert(H: Float64Array, r: number, inverse: Float64Array): void {
  for (let i = 0; i < r; i++) {
    for (let j = 0; j <= i; j++) {
      const diagonal = H[i * r + i];
      let entry = H[i * r + j];
      for (let l = 0; l < j; l++) entry -= H[i * r + l] * H[j * r + l];
      H[i * r + j] = j < i ? entry / H[j * r + j] : Math.sqrt(Math.max(entry, ROUNDING * diagonal, Number.MIN_VALUE));
    }
  }
  for (let c = 0; c < r; c++) {
    const at = c * r;
    for (let i = 0; i < r; i++) {
      let entry = Number(i === c);
      for (let l = c; l < i; l++) entry -= H[i * r + l] * inverse[at + l];
      inverse[at + i] = i < c ? 0 : entry / H[i * r + i];
    }
    for (let i = r - 1; i >= 0; i--) {
      let entry = inverse[at + i];
      for (let l = i + 1; l < r; l++) entry -= H[l * r + i] * inverse[at + l];
      inverse[at + i] = entry / H[i * r + i];
    }
  }
}
