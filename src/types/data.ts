/** Row-major: row i is `data[i * cols .. (i + 1) * cols)`. */
export interface DenseMatrix {
  /** rows * cols numbers, finite where it is passed in. RangeError for another length. */
  data: Float32Array | Float64Array;
  /** An integer >= 1. */
  rows: number;
  /** An integer >= 1. */
  cols: number;
}

/**
 * Compressed sparse rows, as scipy's csr_matrix: row i has the values `data[p]` in the columns `indices[p]` for p from
 * `indptr[i]` to `indptr[i + 1] - 1`, and zeros elsewhere. Columns may stand in any order; values of one column that
 * stands twice are added up; explicit zeros are legal. RangeError where these do not fit together.
 */
export interface CsrMatrix {
  /** The values, finite; the first row's first. */
  data: Float32Array | Float64Array;
  /** Columns, integers in [0, cols - 1], as many as values. */
  indices: Int32Array | Uint32Array;
  /** rows + 1 integers, the first 0, none below the one before it, the last the number of values. */
  indptr: Int32Array | Uint32Array;
  /** An integer >= 1. */
  rows: number;
  /** An integer >= 1. */
  cols: number;
}

/**
 * Values k(x, z) of a kernel in the place of features, scikit-learn's "precomputed": between all training examples for
 * `fit`, rows x rows, symmetric and positive semidefinite; against the n training examples for prediction, rows x n.
 * `fit` refuses with a RangeError what shows that it is none: values that are not symmetric, a negative diagonal,
 * k(x, z)^2 > k(x, x) k(z, z), each by more than rounding explains.
 */
export interface GramMatrix {
  /** Row-major, finite. */
  gram: Float64Array | Float32Array;
  /** An integer >= 1: n for `fit`, as many as are to be scored for prediction. */
  rows: number;
}

/**
 * One row per example, at least one, of d >= 1 columns, finite numbers only. The certified problem uses the features as
 * stored in `precision`, and kernel values too; a value that overflows it is refused. Sparse and dense rows of the same
 * numbers are the same problem. Arrays that are passed in, labels and weights too, are read in the course of a fit: do
 * not overwrite them until its promise has settled.
 */
export type Features =
  readonly (readonly number[] | Float32Array | Float64Array)[] | DenseMatrix | CsrMatrix | GramMatrix;

/** A safe integer or a string; other numbers are a RangeError, the rest a TypeError. 1 and "1" are different labels. */
export type Label = number | string;

/** One label per example; any values, gaps allowed. */
export type Labels = readonly Label[] | Int32Array | Uint32Array | Uint8Array;

/** Any number of labels per example, none and all included; in any order, each at most once. */
export type LabelSets = readonly (readonly Label[])[];

/** A vector of finite numbers. */
export type Vec = Float64Array | Float32Array | readonly number[];

/** Scores as rows of m finite numbers, or as a matrix, rows x m; at least one row. */
export type Scores = readonly (readonly number[] | Float64Array | Float32Array)[] | DenseMatrix;

/**
 * Label sets as class indices: one list for each row of scores, of integers in [0, m - 1] in any order, each class at
 * most once, empty ones allowed.
 */
export type IndexSets = readonly (readonly number[] | Int32Array | Uint32Array | Uint8Array)[];
