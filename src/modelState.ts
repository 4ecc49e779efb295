import type { Truth } from "./labels.ts";
import type { Scaling } from "./scaling.ts";
import type { Certificate, DenseMatrix, Label, Variant } from "./types.ts";

/** The loss of a model, as `fit` was asked for it. */
export interface LossState {
  readonly name: string;
  readonly k?: number;
  readonly gamma?: number;
  readonly variant?: Variant;
}

/** The dual point of a fit, with what a warm start needs to use it: the solver's own arrays. */
export interface DualState {
  /** n x m in the storage precision. The true class's entry of a margin loss is only close to the sum of the others. */
  readonly stored: Float32Array | Float64Array;
  /** True classes of the training examples. */
  readonly truth: Truth;
  /** C_i of each training example. */
  readonly costs: Float64Array;
}

/** What prediction needs of a model. */
export interface LinearState {
  readonly classes: readonly Label[];
  readonly loss: LossState;
  /** m x d, in the units of the scaled features. */
  readonly weights: DenseMatrix;
  readonly intercepts: Float64Array;
  readonly scaling?: Scaling;
  /** Of a model of label sets: classes with at least this score are predicted. */
  readonly threshold?: number;
  readonly certificate: Certificate;
}

/** All that a model is made of: what is saved and loaded, as plain data. */
export interface ModelState extends LinearState {
  /** Value of the constant feature; 0 without intercept. */
  readonly interceptScale: number;
  readonly duals?: DualState;
}
