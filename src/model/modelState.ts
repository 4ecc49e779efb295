import type { StoredDuals } from "../arrays/sparseDuals.ts";
import type { FeatureRow } from "../arrays/sparseRow.ts";
import type { KernelFunction } from "../kernelOption.ts";
import type { Truth } from "../labels.ts";
import type { Certificate, DenseMatrix, Label, RankWeights, Variant } from "../types.ts";
import type { Scaling } from "./scaling.ts";

/** The loss of a model, as `fit` was asked for it. */
export interface LossState {
  readonly name: string;
  readonly k?: number;
  readonly gamma?: number;
  readonly variant?: Variant;
  readonly rankWeights?: RankWeights;
}

/** The dual point of a fit, with what a warm start needs to use it: the solver's own arrays. */
export interface DualState {
  /** n x m in the storage precision. The true class's entry of a margin loss is only close to the sum of the others. */
  readonly stored: StoredDuals;
  /** True classes of the training examples. */
  readonly truth: Truth;
  /** C_i of each training example. */
  readonly costs: Float64Array;
  /**
   * Where an unsolved fit had come to, with a higher D, if it gives back an earlier point, whose gap was smaller. Not
   * saved.
   */
  readonly furthest?: StoredDuals | undefined;
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

/** What stands in the place of weights where scores are sums of a_i k(x_i, x). */
export interface KernelState {
  readonly kernel: KernelFunction;
  /** Columns of the features; of a Gram matrix, its rows in the fit. */
  readonly columns: number;
  readonly precision: "float32" | "float64";
  /**
   * The training rows with a dual variable that is not zero: their scaled features, or, of a Gram matrix, their places.
   */
  readonly vectors: readonly FeatureRow[] | Int32Array;
  /** Their rows of A, m numbers each. */
  readonly coefficients: Float64Array;
}

/** Whether they are places, as of a Gram matrix. Not instanceof: see precisionOf.ts. */
export const arePlaces = (vectors: KernelState["vectors"]): vectors is Int32Array => ArrayBuffer.isView(vectors);

/** All that a model is made of: what is saved and loaded, as plain data. It has weights or an expansion in a kernel. */
export interface ModelState extends Omit<LinearState, "weights"> {
  readonly weights?: DenseMatrix;
  readonly expansion?: KernelState;
  /** Value of the constant feature; 0 without intercept. */
  readonly interceptScale: number;
  readonly duals?: DualState;
}
