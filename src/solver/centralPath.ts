import { sum } from "../arrays/vectors.ts";
import { ClassEquations } from "./classEquations.ts";
import type { DualDomains } from "./dualDomains.ts";
import { addScaled, dot } from "./linearAlgebra.ts";

/** A step goes that part of the way to where a slack or a multiplier would be zero. */
const TO_BOUNDARY = 0.99;

/**
 * Points near the central path of the dual problem of a hinge loss, and the steps from one to the next, by Mehrotra's
 * predictor-corrector method (*On the implementation of a primal-dual interior point method*, SIAM Journal on
 * Optimization 2, 1992). With the domains G z <= h of dualDomains.ts, a = M z and W = W0 + A^T X, the problem is
 *
 *     minimise  -gain sum_j sign_j a_j + 1/2 smoothing ||a||^2 + 1/2 ||W - W0||^2 + <W - W0, W0>
 *
 * over slacks s = h - G z >= 0.
 *
 * A point is z, W and multipliers of the inequalities, which at the optimum make the derivatives in z and all products
 * s_c multiplier_c zero. z is always inside of the domains; W and derivatives come to theirs as steps are whole ones.
 *
 * In a step multipliers and z are eliminated, example by example: what is left are m d equations for the change of W,
 * see classEquations.ts, instead of one for each dual variable (Fine and Scheinberg, *Efficient SVM training using
 * low-rank kernel representations*, JMLR 2, 2001).
 */
export class CentralPath {
  readonly equations: ClassEquations;
  readonly z: Float64Array;
  readonly #domains: DualDomains;
  readonly #numFeatures: number;
  /** Of slacks and multipliers, at first. */
  readonly #product: number;
  readonly #X: Float64Array;
  readonly #slacks: Float64Array;
  readonly #multipliers: Float64Array;
  /** W, and how far it is from that of z. */
  readonly #W: Float64Array;
  readonly #anchor: Float64Array;
  readonly #residual: Float64Array;
  /** Derivatives in a, but for those of barriers. */
  readonly #gradient: Float64Array;
  /** Forces on z, but for those of the change of W. */
  readonly #forces: Float64Array;
  /** What products of slacks and multipliers are to become, but for what is of the second order. */
  readonly #aims: Float64Array;
  // The direction.
  readonly #dz: Float64Array;
  readonly #dSlacks: Float64Array;
  readonly #dMultipliers: Float64Array;
  readonly #dW: Float64Array;
  // Scratch for one example.
  readonly #scores: Float64Array;
  readonly #ratios: Float64Array;
  readonly #force: Float64Array;
  readonly #a: Float64Array;

  /** X: d numbers for each example of `domains`; W0: m x d. */
  constructor(domains: DualDomains, X: Float64Array, anchor: Float64Array) {
    const { numClasses: m, size, width } = domains;
    const { length: count } = domains.examples;
    const d = anchor.length / m;
    this.#domains = domains;
    this.#numFeatures = d;
    this.#X = X;
    this.equations = new ClassEquations(m, d, domains.coupled);
    this.z = new Float64Array(count * size);
    this.#dz = new Float64Array(count * size);
    this.#gradient = new Float64Array(count * m);
    this.#forces = new Float64Array(count * size);
    this.#slacks = new Float64Array(count * width);
    this.#dSlacks = new Float64Array(count * width);
    this.#multipliers = new Float64Array(count * width);
    this.#dMultipliers = new Float64Array(count * width);
    this.#aims = new Float64Array(count * width);
    this.#W = anchor.slice();
    this.#anchor = anchor;
    this.#dW = new Float64Array(m * d);
    this.#residual = new Float64Array(m * d);
    this.#scores = new Float64Array(m);
    this.#force = new Float64Array(size);
    this.#a = new Float64Array(m);
    this.#ratios = new Float64Array(width);
    this.#product = (domains.largest * sum(domains.C)) / count;
  }

  /** Where it begins: at W0 and a point well inside of the domains, where all inequalities matter alike. */
  begin(from: number, count: number): void {
    const { width } = this.#domains;
    for (let e = from; e < from + count; e++) {
      this.#domains.putCentre(e, this.z);
      this.#domains.putSlacks(e, this.z, this.#slacks);
      this.#addRow(this.#residual, e, this.#duals(e, this.z));
      for (let c = e * width; c < (e + 1) * width; c++) this.#multipliers[c] = this.#product / this.#slacks[c];
    }
  }

  /** a of an example, or how that changes along a direction. */
  #duals(e: number, z: Float64Array): Float64Array {
    this.#domains.putDuals(e, z, this.#a);
    return this.#a;
  }

  /** How many examples partake. */
  get examples(): number {
    return this.#domains.examples.length;
  }

  /**
   * The sum of their products, and what W is off by: no less than P(W) - D(z) once derivatives are zero, and so a guess
   * of the gap at z, where P is taken at the weights of z.
   */
  get gap(): number {
    return dot(this.#slacks, this.#multipliers) + 0.5 * dot(this.#residual, this.#residual);
  }

  /** Second derivatives of examples [from, from + count), once equations are cleared. */
  prepare(from: number, count: number): void {
    const domains = this.#domains;
    const { numClasses: m, width, signs, gain } = domains;
    for (let e = from; e < from + count; e++) {
      this.#score(this.#W, e);
      const a = this.#duals(e, this.z);
      for (let j = 0; j < m; j++) {
        const ofDual = domains.smoothing(e, j) * a[j] - signs[e * m + j] * gain;
        this.#gradient[e * m + j] = this.#scores[j] + ofDual;
      }
      for (let c = 0; c < width; c++) {
        this.#ratios[c] = this.#multipliers[e * width + c] / this.#slacks[e * width + c];
      }
      domains.differentiate(e, this.#ratios);
      this.equations.add(this.#X, e * this.#numFeatures, domains.responses, domains.responseAt(e));
    }
  }

  /** The next direction goes right to the optimum. */
  aimAtOptimum(): void {
    this.#aims.fill(0);
  }

  /** The next one goes back to the path, as far as the last one would have left it, and less far along. */
  aimAtPath(): void {
    const share = Math.min(this.#longest(), 1);
    const now = dot(this.#slacks, this.#multipliers);
    let then = 0;
    for (let c = 0; c < this.#slacks.length; c++) {
      then += (this.#slacks[c] + share * this.#dSlacks[c]) * (this.#multipliers[c] + share * this.#dMultipliers[c]);
    }
    const product = ((then / now) ** 3 * now) / this.#slacks.length;
    for (let c = 0; c < this.#aims.length; c++) this.#aims[c] = product - this.#dSlacks[c] * this.#dMultipliers[c];
  }

  /** The right-hand side of the equations: what W is off by, and what forces of examples make of it. */
  clear(): void {
    this.#dW.set(this.#residual);
  }

  /** Those of examples [from, from + count). */
  push(from: number, count: number): void {
    const domains = this.#domains;
    const { numClasses: m, size, width } = domains;
    const force = this.#force;
    for (let e = from; e < from + count; e++) {
      for (let c = 0; c < width; c++) this.#ratios[c] = -this.#aims[e * width + c] / this.#slacks[e * width + c];
      force.fill(0);
      domains.addTransposed(e, this.#ratios, force);
      domains.addForces(e, -1, this.#gradient.subarray(e * m, e * m + m), force);
      this.#forces.set(force, e * size);
      domains.putChanges(e, force, this.#dz);
      this.#addRow(this.#dW, e, this.#duals(e, this.#dz));
    }
  }

  /** Once equations are finished and factorised. */
  solve(): void {
    this.equations.solve(this.#dW);
  }

  /** The direction of examples [from, from + count), once that of W is there. */
  turn(from: number, count: number): void {
    const domains = this.#domains;
    const { size, width } = domains;
    const force = this.#force;
    for (let e = from; e < from + count; e++) {
      this.#score(this.#dW, e);
      for (let v = 0; v < size; v++) force[v] = this.#forces[e * size + v];
      domains.addForces(e, -1, this.#scores, force);
      domains.putChanges(e, force, this.#dz);
      domains.putSlacks(e, this.#dz, this.#dSlacks, true);
      for (let c = e * width; c < (e + 1) * width; c++) {
        const multiplier = this.#multipliers[c];
        this.#dMultipliers[c] = (this.#aims[c] - multiplier * this.#dSlacks[c]) / this.#slacks[c] - multiplier;
      }
    }
  }

  /** Along the direction; returns whether that has led anywhere. */
  step(): boolean {
    const share = Math.min(TO_BOUNDARY * this.#longest(), 1);
    const length2 = dot(this.#dSlacks, this.#dSlacks) + dot(this.#dMultipliers, this.#dMultipliers);
    if (!(share > 0 && length2 < Infinity)) return false;
    addScaled(this.z, share, this.#dz);
    addScaled(this.#slacks, share, this.#dSlacks);
    addScaled(this.#multipliers, share, this.#dMultipliers);
    addScaled(this.#W, share, this.#dW);
    for (let l = 0; l < this.#residual.length; l++) this.#residual[l] *= 1 - share;
    return true;
  }

  /**
   * The next direction takes away what rounding has put between W and z, once all examples are measured. Near the
   * optimum inverses are huge, and forces on variables that are free to move nearly cancel: what that leaves in z may
   * be large beside slacks, and P at the weights of z far from where it should be. Without forces nothing cancels.
   */
  aimAtWeights(): void {
    this.#forces.fill(0);
    for (let l = 0; l < this.#residual.length; l++) this.#residual[l] = this.#anchor[l] - this.#W[l];
  }

  /** What W is off by, of examples [from, from + count). */
  measure(from: number, count: number): void {
    for (let e = from; e < from + count; e++) this.#addRow(this.#residual, e, this.#duals(e, this.z));
  }

  /** Along that direction, after which multipliers are as they were. */
  mend(): void {
    this.#dMultipliers.fill(0);
    this.step();
  }

  /** How far it is along the direction to where a slack or a multiplier is zero. */
  #longest(): number {
    let share = Infinity;
    const towards = (numbers: Float64Array, changes: Float64Array): void => {
      for (let c = 0; c < numbers.length; c++) if (-share * changes[c] > numbers[c]) share = -numbers[c] / changes[c];
    };
    towards(this.#slacks, this.#dSlacks);
    towards(this.#multipliers, this.#dMultipliers);
    return share;
  }

  /** Scores of an example by weights. */
  #score(weights: Float64Array, e: number): void {
    const d = this.#numFeatures;
    const X = this.#X;
    const scores = this.#scores;
    const from = e * d;
    for (let j = 0, at = 0; j < scores.length; j++, at += d) {
      let sum = 0;
      for (let f = 0; f < d; f++) sum += weights[at + f] * X[from + f];
      scores[j] = sum;
    }
  }

  /** Adds a x^T. */
  #addRow(weights: Float64Array, e: number, a: Float64Array): void {
    const d = this.#numFeatures;
    const X = this.#X;
    const from = e * d;
    for (let j = 0, at = 0; j < a.length; j++, at += d) {
      const aj = a[j];
      for (let f = 0; f < d; f++) weights[at + f] += aj * X[from + f];
    }
  }
}
