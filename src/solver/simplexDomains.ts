import type { Loss } from "../losses.ts";
import type { ResidentProblem } from "../wasm/problem.ts";
import { DualDomains } from "./dualDomains.ts";

/** A pivot below this part of its diagonal entry is rounding. */
const ROUNDING = 1e-15;

/**
 * Domains in the dual variables themselves. Every example has a variable z_j >= 0 for each class: a_j = z_j for its
 * true classes, a_j = -z_j for the others. With C = C_i and y the one true class
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
 * Second derivatives are those in the variables of all classes but the `own` one, and their inverse is kept.
 */
export class SimplexDomains extends DualDomains {
  /** How long a solution takes, in those over these domains. */
  static readonly slowness = 1;
  readonly size: number;
  readonly width: number;
  /** m x m for each example, its rows summing to zero, or m. */
  readonly responses: Float64Array;
  readonly #inverseSize: number;
  /** Whether those of the other classes are all equal: topk-hinge, alpha, with k = m - 1. */
  readonly #tied: boolean;
  readonly #upper: "C" | "C/k" | "own/k" | "none";
  /** Scratch: the class of each variable but the own one, second derivatives in these, their inverse; forces on a. */
  readonly #others: Int32Array;
  readonly #H: Float64Array;
  readonly #inverse: Float64Array;
  readonly #force: Float64Array;

  constructor(problem: ResidentProblem, loss: Loss) {
    super(problem, loss);
    const m = this.numClasses;
    this.size = m;
    this.#inverseSize = this.coupled ? m * m : m;
    this.responses = new Float64Array(this.examples.length * this.#inverseSize);
    this.#tied = loss.domain === "TOPK" && loss.k === m - 1;
    this.#upper = "none";
    if (loss.oneVsAll) this.#upper = "C";
    else if (loss.domain === "TOPK" && !this.#tied) this.#upper = "own/k";
    else if (loss.domain === "TOPK_BETA" || (loss.domain === "TOPK_INCLUSIVE" && loss.k === 2)) this.#upper = "C/k";
    this.width = m + (this.#upper === "none" ? 1 : m);
    this.#others = new Int32Array(m - 1);
    this.#H = new Float64Array(m * m);
    this.#inverse = new Float64Array(m * m);
    this.#force = new Float64Array(m);
  }

  /** Whether those of a loss are among these. */
  static suits({ family, domain, k }: Loss, { weighsLabels }: ResidentProblem["shape"]): boolean {
    if (family === "OVA_HINGE") return !weighsLabels;
    return family === "HINGE" && (domain === "TOPK_INCLUSIVE" ? k <= 2 : domain !== "WEIGHTED");
  }

  /** So many are kept of an example, or fewer. */
  static numbersOf(_: Loss, m: number): number {
    return m * m;
  }

  /** Of losses with one true class it leaves that one out. */
  smoothing(e: number, j: number): number {
    const { gamma, label } = this.loss;
    return label === "class" && j === this.own[e] ? 0 : gamma / this.C[e];
  }

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
    const { k } = this.loss;
    const own = this.own[e];
    const most = this.#upper === "own/k" ? z[from + own] / k : this.#upper === "C/k" ? C / k : C;
    for (let j = 0; j < m; j++) slacks[to + m + j] = (j === own ? C : most) - z[from + j];
  }

  putDuals(e: number, z: Float64Array, a: Float64Array): void {
    const m = this.numClasses;
    for (let j = 0; j < m; j++) a[j] = this.signs[e * m + j] * z[e * m + j];
  }

  addForces(e: number, times: number, onDuals: Float64Array, result: Float64Array): void {
    const m = this.numClasses;
    for (let j = 0; j < m; j++) result[j] += times * this.signs[e * m + j] * onDuals[j];
  }

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
    if (this.#upper === "own/k") result[own] -= others / this.loss.k;
  }

  responseAt(e: number): number {
    return e * this.#inverseSize;
  }

  differentiate(e: number, ratios: Float64Array): void {
    const target = this.responses;
    const to = this.responseAt(e);
    const m = this.numClasses;
    if (!this.coupled) {
      for (let j = 0; j < m; j++) target[to + j] = 1 / (this.smoothing(e, j) + ratios[j] + ratios[m + j]);
      return;
    }
    if (this.#tied) {
      this.#putTied(e, ratios);
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
  #putTied(e: number, ratios: Float64Array): void {
    const m = this.numClasses;
    const to = this.responseAt(e);
    const own = this.own[e];
    const along = (j: number): number => (j === own ? 1 : -1 / (m - 1));
    let curvature = 4 * ratios[m];
    for (let j = 0; j < m; j++) curvature += (this.smoothing(e, j) + ratios[j]) * along(j) ** 2;
    for (let j = 0; j < m; j++) {
      for (let l = 0; l < m; l++) this.responses[to + j * m + l] = (along(j) * along(l)) / curvature;
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
    const share = this.#upper === "own/k" ? 1 / this.loss.k : 0;
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

  putChanges(e: number, forces: Float64Array, changes: Float64Array): void {
    const { numClasses: m, responses, signs } = this;
    const from = e * m;
    let at = this.responseAt(e);
    if (!this.coupled) {
      for (let j = 0; j < m; j++) changes[from + j] = responses[at++] * forces[j];
      return;
    }
    const force = this.#force;
    for (let j = 0; j < m; j++) force[j] = signs[from + j] * forces[j];
    let all = 0;
    const own = this.own[e];
    for (let j = 0; j < m; j++) {
      let sum = 0;
      for (let l = 0; l < m; l++) sum += responses[at++] * force[l];
      if (j !== own) all += sum;
      changes[from + j] = signs[from + j] * sum;
    }
    changes[from + own] = -all;
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
