import { beforeAll, describe, expect, test } from "vitest";
import { fit, init, load, type FitOptions, type Model } from "../../src/index.ts";
import { load as loadPredictor } from "../../src/predict.ts";
import { compileKernels } from "../../src/wasm/load.ts";

/** One table: what goes in, and the exact message that comes out. Nothing here may start a fit. */

beforeAll(() => init());

type Kind = typeof TypeError | typeof RangeError;
type Row = [message: string, kind: Kind, features: unknown, labels: unknown, options?: unknown];

const X = [[0, 1], [1, 0], [1, 1], [0, 0]]; // prettier-ignore
const y = ["a", "b", "c", "a"];
/** Two rows, a value in each, with something wrong about it. */
const csr = (wrong: object): object => ({
  ...{ data: Float64Array.of(1, 2), indices: Int32Array.of(3, 0), indptr: Int32Array.of(0, 1, 2), rows: 2, cols: 4 },
  ...wrong,
});

const rows: Row[] = [
  // features
  ['fit: "features" must be an array of rows, { data, rows, cols }, { data, indices, indptr, rows, cols } or { gram, rows }, got undefined', TypeError, undefined, y],
  ['fit: "features" must be an array of rows, { data, rows, cols }, { data, indices, indptr, rows, cols } or { gram, rows }, got null', TypeError, null, y],
  ['fit: "features" must be an array of rows, { data, rows, cols }, { data, indices, indptr, rows, cols } or { gram, rows }, got "0,1"', TypeError, "0,1", y],
  ['fit: "features" must be an array of rows, { data, rows, cols }, { data, indices, indptr, rows, cols } or { gram, rows }, got a Float64Array; one example is [row]', TypeError, new Float64Array(4), y],
  ['fit: "features" is empty; it needs at least one row', RangeError, [], []],
  ['fit: "features" row 0 has no columns', RangeError, [[], []], ["a", "b"]],
  ['fit: "features" row 0 must be an array, Float32Array or Float64Array, got 1; one example is [[...]]', TypeError, [1, 2], ["a", "b"]],
  ['fit: "features" row 1 must be an array, Float32Array or Float64Array, got null', TypeError, [[1], null], ["a", "b"]],
  ['fit: "features" row 0 must be an array, Float32Array or Float64Array, got a Uint8Array; Float32Array.from(row) makes one', TypeError, [new Uint8Array(2)], ["a", "b"]],
  ['fit: "features" row 0 must be an array, Float32Array or Float64Array, got a BigInt64Array; Float32Array.from(row, Number) makes one', TypeError, [new BigInt64Array(2)], ["a", "b"]],
  ['fit: "features" row 0 must be an array, Float32Array or Float64Array, got a DataView', TypeError, [new DataView(new ArrayBuffer(8))], ["a", "b"]],
  ['fit: "features" data must be a Float32Array or Float64Array, got a Uint16Array; if that holds the bits of float16 numbers, decode them first', TypeError, { data: Uint16Array.of(15360, 0), rows: 2, cols: 1 }, ["a", "b"]],
  ['fit: "features" row 0 must be an array, Float32Array or Float64Array, got an object; Object.values(row) makes one', TypeError, [{ x: 1 }], ["a", "b"]],
  ['fit: "features" row 2 has 1 columns but row 0 has 2', RangeError, [[0, 1], [1, 0], [1]], ["a", "b", "c"]],
  ['fit: "features" row 2, column 1 is NaN; features must be finite; what is missing has to be filled in, say by the mean of its column', RangeError, [[0, 1], [1, 0], [1, NaN], [0, 0]], y],
  ['fit: "features" row 0, column 0 is Infinity; features must be finite', RangeError, [[Infinity, 1], [1, 0]], ["a", "b"]],
  ['fit: "features" row 1, column 0 is -Infinity; features must be finite', RangeError, [[0, 1], Float32Array.of(-Infinity, 0)], ["a", "b"]],
  ['fit: "features" row 1, column 1 must be a number, got "7"', TypeError, [[0, 1], [1, "7"]], ["a", "b"]],
  ['fit: "features" row 1, column 1 must be a number, got 7n', TypeError, [[0, 1], [1, 7n]], ["a", "b"], { scaling: "standard" }],
  ['fit: "features" row 1, column 1 must be a number, got 7n', TypeError, [[0, 1], [1, 7n]], ["a", "b"], { kernel: { name: "poly", degree: 2 } }],
  ['fit: "features" row 1, column 0 must be a number, got undefined; what is missing has to be filled in, say by the mean of its column', TypeError, [[0, 1], [, 1]], ["a", "b"]],
  ['fit: "features" row 0, column 1 must be a number, got null; what is missing has to be filled in, say by the mean of its column', TypeError, [[0, null], [1, 1]], ["a", "b"]],
  ['fit: "features" row 1, column 0 is 1e+39, which overflows float32; use precision "float64", or other units', RangeError, [[0, 1], [1e39, 1]], ["a", "b"]],
  ['fit: "interceptScale" is 1e+39, which overflows float32; use precision "float64", or other units', RangeError, [[0, 1], [1, 1]], ["a", "b"], { interceptScale: 1e39 }],
  ['fit: "features" row 1 has a squared norm that overflows float64; scale the features', RangeError, [[0, 1], [1e160, 1]], ["a", "b"], { precision: "float64" }],
  ['fit: with "features" rows of norm up to 1.00e+25 and C = 1, scores could overflow float32; scale the features, or use a smaller C or precision "float64"', RangeError, [[0, 1], [1e25, 1]], ["a", "b"], { precision: "float32" }],
  ['fit: with "features" rows of norm up to 1.00e-10 and C = 1e+38, scores could overflow float32; scale the features, or use a smaller C or precision "float64"', RangeError, [[1e-10], [0]], ["a", "b"], { C: 1e38, intercept: false, precision: "float32" }],
  ['fit: with "features" rows of norm up to 1.00e+5 and C times weights of up to 1.00e+29, scores could overflow float32; scale the features, or use a smaller C or precision "float64"', RangeError, [[1e5], [0]], ["a", "b"], { loss: "weighted-topk-hinge", rankWeights: [1e29], intercept: false, precision: "float32" }],
  ['fit: with "features" rows of norm up to 1.00 and C = 1e+155, scores could overflow float64; scale the features, or use a smaller C', RangeError, [[1], [-1]], ["a", "b"], { loss: "hinge", solver: "frank-wolfe", C: 1e155, precision: "float64", intercept: false }],
  ['fit: "features" data must be a Float32Array or Float64Array, got an array; Float32Array.from(array) makes one', TypeError, { data: [1, 2], rows: 2, cols: 1 }, ["a", "b"]],
  ['fit: "features" rows must be an integer >= 1, got 0; it is empty', RangeError, { data: new Float32Array(0), rows: 0, cols: 1 }, []],
  ['fit: "features" cols must be an integer >= 1, got 1.5', RangeError, { data: new Float32Array(3), rows: 2, cols: 1.5 }, ["a", "b"]],
  ['fit: "features" rows must be an integer >= 1, got undefined', TypeError, { data: new Float32Array(3), cols: 1 }, ["a", "b"]],
  ['fit: "features" has 3 values but rows x cols is 2 x 2', RangeError, { data: new Float32Array(3), rows: 2, cols: 2 }, ["a", "b"]],
  ['fit: "features" row 1, column 0 is NaN; features must be finite; what is missing has to be filled in, say by the mean of its column', RangeError, { data: Float64Array.of(1, 2, NaN, 4), rows: 2, cols: 2 }, ["a", "b"]],

  // sparse features
  ['fit: "features" data must be a Float32Array or Float64Array, got an array; Float32Array.from(array) makes one', TypeError, csr({ data: [1, 2] }), ["a", "b"]],
  ['fit: "features" data must be a Float32Array or Float64Array, got an Int32Array; Float32Array.from(array) makes one', TypeError, csr({ data: Int32Array.of(1, 2) }), ["a", "b"]],
  ['fit: "features" indices must be an Int32Array or Uint32Array, got an array', TypeError, csr({ indices: [3, 0] }), ["a", "b"]],
  ['fit: "features" indices must be an Int32Array or Uint32Array, got a Float64Array', TypeError, csr({ indices: Float64Array.of(3, 0) }), ["a", "b"]],
  ['fit: "features" indices must be an Int32Array or Uint32Array, got a BigInt64Array', TypeError, csr({ indices: BigInt64Array.of(3n, 0n) }), ["a", "b"]],
  ['fit: "features" indices must be an Int32Array or Uint32Array, got undefined', TypeError, csr({ indices: undefined }), ["a", "b"]],
  ['fit: "features" indptr must be an Int32Array or Uint32Array, got a Uint16Array', TypeError, csr({ indptr: Uint16Array.of(0, 1, 2) }), ["a", "b"]],
  ['fit: "features" indptr must be an Int32Array or Uint32Array, got undefined', TypeError, { data: Float64Array.of(1, 2), indices: Int32Array.of(0, 0), rows: 2, cols: 1 }, ["a", "b"]],
  ['fit: "features" rows must be an integer >= 1, got 0; it is empty', RangeError, csr({ rows: 0 }), []],
  ['fit: "features" cols must be an integer >= 1, got undefined', TypeError, csr({ cols: undefined }), ["a", "b"]],
  ['fit: "features" cols must be an integer >= 1, got 0; it is empty', RangeError, csr({ cols: 0 }), ["a", "b"]],
  ['fit: "features" has 2 values but 3 indices', RangeError, csr({ indices: Int32Array.of(3, 0, 1) }), ["a", "b"]],
  ['fit: "features" indptr has length 4 but rows + 1 is 3', RangeError, csr({ indptr: Int32Array.of(0, 1, 2, 2) }), ["a", "b"]],
  ['fit: "features" indptr has length 2 but rows + 1 is 3', RangeError, csr({ indptr: Int32Array.of(0, 2) }), ["a", "b"]],
  ['fit: "features" indptr entry 0 must be 0, got 1', RangeError, csr({ indptr: Int32Array.of(1, 1, 2) }), ["a", "b"]],
  ['fit: "features" indptr entry 2 is 1, below the one before it, 2', RangeError, csr({ indptr: Int32Array.of(0, 2, 1) }), ["a", "b"]],
  ['fit: "features" indptr entry 1 is -1, below the one before it, 0', RangeError, csr({ indptr: Int32Array.of(0, -1, 2) }), ["a", "b"]],
  ['fit: "features" indptr ends with 1 but there are 2 values', RangeError, csr({ indptr: Int32Array.of(0, 1, 1) }), ["a", "b"]],
  ['fit: "features" indptr ends with 3 but there are 2 values', RangeError, csr({ indptr: Uint32Array.of(0, 1, 3) }), ["a", "b"]],
  ['fit: "features" row 0, indices entry 0 must be an integer in [0, 3], got 4', RangeError, csr({ indices: Int32Array.of(4, 0) }), ["a", "b"]],
  ['fit: "features" row 1, indices entry 1 must be an integer in [0, 3], got -1', RangeError, csr({ indices: Int32Array.of(3, -1) }), ["a", "b"]],
  ['fit: "features" row 1, indices entry 1 must be an integer in [0, 3], got 4294967295', RangeError, csr({ indices: Uint32Array.of(3, 2 ** 32 - 1) }), ["a", "b"]],
  ['fit: "features" row 1, column 0 is NaN; features must be finite; what is missing has to be filled in, say by the mean of its column', RangeError, csr({ data: Float64Array.of(1, NaN) }), ["a", "b"]],
  ['fit: "features" row 0, column 3 is -Infinity; features must be finite', RangeError, csr({ data: Float32Array.of(-Infinity, 1) }), ["a", "b"]],
  ['fit: "features" row 0, column 3 is Infinity; features must be finite', RangeError, csr({ data: Float64Array.of(1e308, 1e308), indices: Int32Array.of(3, 3), indptr: Int32Array.of(0, 2, 2) }), ["a", "b"]],
  ['fit: "features" row 0, column 3 is 1e+39, which overflows float32; use precision "float64", or other units', RangeError, csr({ data: Float64Array.of(1e39, 1) }), ["a", "b"]],
  ['fit: "features" row 1, column 0 is NaN; features must be finite; what is missing has to be filled in, say by the mean of its column', RangeError, csr({ data: Float64Array.of(1, NaN) }), ["a", "b"], { scaling: "standard" }],
  ['fit: "features" row 1 has a squared norm that overflows float64; scale the features', RangeError, csr({ data: Float64Array.of(1, 1e160) }), ["a", "b"], { precision: "float64" }],
  ['fit: "labels" has length 3 but "features" has 2 rows', RangeError, csr({}), ["a", "b", "c"]],
  ['fit: "scaling" must be "standard", "unit-rows" or "none" with sparse features: "minmax" fills zeros', RangeError, csr({}), ["a", "b"], { scaling: "minmax" }],
  ['fit: "validation.features" row 1, indices entry 1 must be an integer in [0, 3], got 4', RangeError, csr({}), ["a", "b"], { validation: { features: csr({ indices: Int32Array.of(3, 4) }), labels: ["a", "b"] } }],
  ['fit: "validation.features" row 0, column 3 is NaN; validation.features must be finite; what is missing has to be filled in, say by the mean of its column', RangeError, csr({}), ["a", "b"], { validation: { features: csr({ data: Float64Array.of(NaN, 1) }), labels: ["a", "b"] } }],
  ['fit: "validation.features" has 5 columns but "features" has 4', RangeError, csr({}), ["a", "b"], { validation: { features: csr({ cols: 5 }), labels: ["a", "b"] } }],
  ['fit: "anchor.weights" must be an array of rows or { data, rows, cols }, got an object', TypeError, csr({}), ["a", "b"], { anchor: { weights: csr({}) } }],

  // Gram matrices
  ['fit: "features" gram must be a Float32Array or Float64Array, got an array; Float32Array.from(array.flat()) makes one', TypeError, { gram: [[1, 0], [0, 1]], rows: 2 }, ["a", "b"]],
  ['fit: "features" rows must be an integer >= 1, got undefined', TypeError, { gram: new Float64Array(4) }, ["a", "b"]],
  ['fit: "features" gram has 6 values but rows x rows is 2 x 2', RangeError, { gram: new Float64Array(6), rows: 2 }, ["a", "b"]],
  ['fit: "features" row 0, column 1 is NaN; features must be finite; what is missing has to be filled in, say by the mean of its column', RangeError, { gram: Float64Array.of(1, NaN, NaN, 1), rows: 2 }, ["a", "b"]],
  ['fit: "features" row 0, column 1 is Infinity; features must be finite', RangeError, { gram: Float64Array.of(1, Infinity, 0, 1), rows: 2 }, ["a", "b"]],
  ['fit: "features" gram row 1, column 0 is 0.25 but row 0, column 1 is 0.5; a Gram matrix must be symmetric', RangeError, { gram: Float64Array.of(1, 0.5, 0.25, 1), rows: 2 }, ["a", "b"]],
  ['fit: "features" gram row 1, column 1 is -1; the diagonal of a Gram matrix must be >= 0', RangeError, { gram: Float64Array.of(1, 0, 0, -1), rows: 2 }, ["a", "b"]],
  ['fit: "features" gram row 1, column 0 is 1e+201, more than the root of 1e+200 and 1e+200 on the diagonal: these are no values of a kernel; are they distances?', RangeError, { gram: Float64Array.of(1e200, 1e201, 1e201, 1e200), rows: 2 }, ["a", "b"], { precision: "float64" }],
  ['fit: "features" gram row 1, column 0 is 3, more than the root of 0 and 0 on the diagonal: these are no values of a kernel; are they distances?', RangeError, { gram: Float64Array.of(0, 3, 3, 0), rows: 2 }, ["a", "b"]],
  ['fit: "features" gram row 1, column 1 is 1e+39, which overflows float32; use precision "float64", or other units', RangeError, { gram: Float64Array.of(1, 0, 0, 1e39), rows: 2 }, ["a", "b"]],
  ['fit: "labels" has length 3 but "features" has 2 rows', RangeError, { gram: Float64Array.of(1, 0, 0, 1), rows: 2 }, ["a", "b", "a"]],
  ['fit: "kernel" does not go with a Gram matrix, which holds its values', TypeError, { gram: Float64Array.of(1, 0, 0, 1), rows: 2 }, ["a", "b"], { kernel: { name: "rbf", gamma: 1 } }],
  ['fit: "scaling" does not go with a Gram matrix: there are no features to scale', TypeError, { gram: Float64Array.of(1, 0, 0, 1), rows: 2 }, ["a", "b"], { scaling: "standard" }],
  ['fit: "anchor" does not go with a Gram matrix: the weights are never formed', TypeError, { gram: Float64Array.of(1, 0, 0, 1), rows: 2 }, ["a", "b"], { anchor: { weights: [[0, 0], [0, 0]] } }],
  ['fit: "validation.features" must be { gram, rows }, kernel values against the training examples, as the fit was given, got an array', TypeError, { gram: Float64Array.of(1, 0, 0, 1), rows: 2 }, ["a", "b"], { validation: { features: X, labels: y } }],
  ['fit: "validation.features" gram has 3 values but rows x training examples is 1 x 2', RangeError, { gram: Float64Array.of(1, 0, 0, 1), rows: 2 }, ["a", "b"], { validation: { features: { gram: new Float64Array(3), rows: 1 }, labels: ["a"] } }],

  ['fit: "features" rows must be an integer >= 1, got undefined; of a tensor t, { data: t.data, rows: t.dims[0], cols: t.dims[1] }', TypeError, { data: new Float32Array(4), dims: [2, 2] }, ["a", "b"]],
  ['fit: "features" rows must be an integer >= 1, got undefined; of a tensor t, { data: t.data, rows: t.shape[0], cols: t.shape[1] }', TypeError, { data: new Float32Array(4), shape: [2, 2] }, ["a", "b"]],
  ['fit: "features" has both "gram" and "data"; give one of them', TypeError, { gram: Float64Array.of(1, 0, 0, 1), rows: 2, data: Float64Array.of(1, 2), cols: 1 }, ["a", "b"]],

  // kernels
  ['fit: "kernel" must be an object such as { name: "rbf", gamma: 1 }, got "rbf"', TypeError, X, y, { kernel: "rbf" }],
  ['fit: "kernel" name must be one of "linear", "rbf" or "poly", got undefined', TypeError, X, y, { kernel: {} }],
  ['fit: "kernel" name must be one of "linear", "rbf" or "poly", got "sigmoid"', RangeError, X, y, { kernel: { name: "sigmoid" } }],
  ['fit: "kernel" name must be one of "linear", "rbf" or "poly", got "precomputed"; give { gram, rows } as features, and no kernel', RangeError, X, y, { kernel: { name: "precomputed" } }],
  ['fit: "kernel" "rbf" needs "gamma": it is exp(-gamma ||x - z||^2); 1/(columns x their variance) is where to begin', TypeError, X, y, { kernel: { name: "rbf" } }],
  ['fit: "kernel" gamma must be a number in (0, ∞), got "scale"', TypeError, X, y, { kernel: { name: "rbf", gamma: "scale" } }],
  ['fit: "kernel" gamma must be a number in (0, ∞), got 0', RangeError, X, y, { kernel: { name: "rbf", gamma: 0 } }],
  ['fit: "kernel" has the unknown option "sigma"; there are "gamma", "degree" and "coef0"', TypeError, X, y, { kernel: { name: "rbf", sigma: 1 } }],
  ['fit: "kernel" "rbf" has no "degree"; it goes with "poly"', TypeError, X, y, { kernel: { name: "rbf", gamma: 1, degree: 2 } }],
  ['fit: "kernel" "linear" has no "gamma"; it goes with "rbf" and "poly"', TypeError, X, y, { kernel: { name: "linear", gamma: 1 } }],
  ['fit: "kernel" "poly" needs "degree": it is (gamma <x, z> + coef0)^degree', TypeError, X, y, { kernel: { name: "poly" } }],
  ['fit: "kernel" degree must be an integer in [1, 100], got 2.5', RangeError, X, y, { kernel: { name: "poly", degree: 2.5 } }],
  ['fit: "kernel" coef0 must be a number in [0, ∞), got -1', RangeError, X, y, { kernel: { name: "poly", degree: 2, coef0: -1 } }],
  ['fit: "anchor" does not go with "kernel": the weights are never formed', TypeError, X, y, { kernel: { name: "rbf", gamma: 1 }, anchor: { weights: [[0, 0], [0, 0], [0, 0]] } }],
  ['fit: "features" row 2, column 1 is NaN; features must be finite; what is missing has to be filled in, say by the mean of its column', RangeError, [[0, 1], [1, 0], [1, NaN], [0, 0]], y, { kernel: { name: "poly", degree: 2 } }],
  ['fit: "features" row 1, column 0 is 1e+39, which overflows float32; use precision "float64", or other units', RangeError, [[0, 1], [1e39, 1]], ["a", "b"], { kernel: { name: "rbf", gamma: 1 } }],
  ['fit: "features" row 1 has a squared norm that overflows float64; scale the features', RangeError, [[0, 1], [1e160, 1]], ["a", "b"], { kernel: { name: "rbf", gamma: 1 }, precision: "float64" }],
  ['fit: "features" row 1 has a kernel value that overflows float32; scale the features, or use a smaller gamma or degree', RangeError, [[0, 1], [100, 1]], ["a", "b"], { kernel: { name: "poly", degree: 20, gamma: 1 } }],
  ['fit: "features" row 1 has a kernel value that overflows float32; scale the features', RangeError, [[0, 1], [1e25, 1]], ["a", "b"], { kernel: { name: "linear" } }],
  ['fit: "interceptScale" is 1e+25, whose square overflows float32', RangeError, X, y, { kernel: { name: "rbf", gamma: 1 }, interceptScale: 1e25 }],

  // labels
  ['fit: "labels" must be an array, Int32Array, Uint32Array or Uint8Array, got undefined', TypeError, X, undefined],
  ['fit: "labels" must be an array, Int32Array, Uint32Array or Uint8Array, got a Float64Array; Array.from(array, Number) makes one', TypeError, X, Float64Array.of(0, 1, 2, 0)],
  ['fit: "labels" has length 3 but "features" has 4 rows', RangeError, X, ["a", "b", "c"]],
  ['fit: "labels" has length 5 but "features" has 4 rows', RangeError, X, ["a", "b", "c", "a", "b"]],
  ['fit: "labels" entry 1 must be a safe integer or a string, got 0.5', RangeError, X, [0, 0.5, 1, 2]],
  ['fit: "labels" entry 3 must be a safe integer or a string, got NaN; leave out rows without a label', RangeError, X, [0, 1, 2, NaN]],
  ['fit: "labels" entry 2 must be a safe integer or a string, got undefined; leave out rows without a label', TypeError, X, ["a", "b", undefined, "c"]],
  ['fit: "labels" has an array at entry 0; sets of labels go with "ova-hinge", "ova-logistic", "multilabel-hinge" and "multilabel-softmax", and labels.map(([label]) => label) is one label for each row if each has one', TypeError, X, [["a"], ["b"], ["a", "b"], []]],
  ['fit: "labels" has an Int32Array at entry 0; sets of labels go with "ova-hinge", "ova-logistic", "multilabel-hinge" and "multilabel-softmax", and labels.map((row) => row.indexOf(1)) is one label for each row of 0 with a single 1', TypeError, X, [[1, 0], [0, 1], [1, 0], [0, 1]].map((row) => Int32Array.from(row))],
  ['fit: "labels" entry 0 must be a safe integer or a string, got a String', TypeError, X, [new String("a"), "b", "c", "a"]],
  ['fit: "validation.labels" has an array at entry 0; there is one label for each row, as in "labels"', TypeError, X, y, { loss: "ova-hinge", validation: { features: X, labels: [["a"], ["b"], ["c"], ["a"]] } }],
  ['fit: "validation" has "sampleWeight", which is an option of the fit; there is { features, labels }', TypeError, X, y, { validation: { features: X, labels: y, sampleWeight: [1] } }],
  ['fit: "labels" entry 0 must be a safe integer or a string, got true; String(label) makes one', TypeError, X, [true, false, true, false]],
  ['fit: a classifier needs at least 2 classes, "labels" has only "a"', RangeError, X, ["a", "a", "a", "a"]],

  // options
  ['fit: "C" must be a number in (0, ∞), got -1', RangeError, X, y, Object.create({ C: -1 })],
  ['fit: "transfer" goes with `fit` of what `connect` of "topk-sdca/worker" returns', TypeError, X, y, { transfer: true }],
  ['fit: "maxEpochs" must be an integer >= 0, got 100000000000000000000, more than 2^53 - 1', RangeError, X, y, { maxEpochs: 1e20 }],
  ['fit: "rankWeights" must have a sum that does not overflow', RangeError, X, y, { loss: "weighted-topk-hinge", rankWeights: [1e308, 1e308] }],
  ['fit: "scaling" must be one of "none", "standard", "minmax" or "unit-rows", got "standart"; did you mean "standard"?', RangeError, X, y, { scaling: "standart" }],
  ['fit: "k" must be an integer in [1, 2] (classes − 1), got 1000000000', RangeError, X, y, { loss: "weighted-topk-hinge", rankWeights: "linear", k: 1e9 }],
  ['fit: "k" must be an integer in [1, 2] (classes − 1), got 9007199254740991', RangeError, X, y, { loss: "weighted-topk-hinge", rankWeights: "linear", k: 2 ** 53 - 1 }],
  ['fit: with "features" rows of norm up to 1.41 and C times weights of up to 1.00e+38, scores could overflow float32; scale the features, or use a smaller C or precision "float64"', RangeError, X, y.map((label) => [label]), { loss: "ova-hinge", classWeight: [["a", 1e38]], precision: "float32" }],
  ['fit: with "interceptScale" 1e+150 and C = 1e+160, scores could overflow float64; use a smaller "interceptScale", or use a smaller C', RangeError, X, y, { interceptScale: 1e150, C: 1e160, precision: "float64" }],
  ['fit: with "features" rows of norm up to 1.41 and weights of labels or ranks of up to 1e+291 in all, the losses could overflow; scale the features, or use smaller weights', RangeError, X, y, { loss: "weighted-topk-hinge", rankWeights: [1e291], C: 1e-291, precision: "float64" }],

  // classes
  ['fit: "classes" must be an array of labels, got "abc"', TypeError, X, y, { classes: "abc" }],
  ['fit: "classes" entry 2 repeats "a"', RangeError, X, y, { classes: ["a", "b", "a", "c"] }],
  ['fit: "classes" entry 1 must be a safe integer or a string, got null', TypeError, X, y, { classes: ["a", null] }],
   
  ['fit: "classes" entry 1 must be a safe integer or a string, got undefined', TypeError, X, y, { classes: ["a", , "b", "c"] }],
   
  ['fit: "labels" entry 1 must be an array of labels, got undefined', TypeError, X, [["a"], , ["b"], ["a"]], { loss: "ova-hinge" }],
   
  ['fit: "validation[0]" must be { features, labels }, got undefined', TypeError, X, y, { validation: [, { features: X, labels: y }] }],
  ['fit: "labels" entry 2 is "c", which is not among "classes"', RangeError, X, y, { classes: ["a", "b"] }],
  ['fit: "labels" entry 0 is 1, which is not among "classes"; "1" is', RangeError, X, [1, 2, 1, 2], { classes: ["1", "2"] }],
  ['fit: "labels" entry 0 is "01", which is not among "classes"', RangeError, X, ["01", "2", "2", "2"], { classes: [1, "2"] }],
  ['fit: "labels" entry 0 is "", which is not among "classes"', RangeError, X, ["", "2", "2", "2"], { classes: [0, "2"] }],
  ['fit: "labels" entry 1, label 2 repeats 1', RangeError, X, [[0], [1, 2, 1], [2], [2]], { loss: "ova-hinge" }],
  ['fit: a classifier needs at least 2 classes, "classes" has only "a"', RangeError, X, ["a", "a", "a", "a"], { classes: ["a"] }],

  // options, one by one
  ['fit: "options" must be an object, got "hinge"', TypeError, X, y, "hinge"],
  ['fit: "options" must be an object, got null', TypeError, X, y, null],
  ['fit: "options" must be an object, got an array', TypeError, X, y, []],
  ['fit: "options" must be an object, got a Map', TypeError, X, y, new Map([["loss", "hinge"]])],
  ['fit: "options" must be an object, got a Promise, which has to be awaited', TypeError, X, y, Promise.resolve({ loss: "hinge" })],
  ['fit: "kernel" must be an object such as { name: "rbf", gamma: 1 }, got a Map', TypeError, X, y, { kernel: new Map([["name", "rbf"]]) }],
  ['fit: "anchor" must be a model or { weights, intercepts }, got a Promise, which has to be awaited', TypeError, X, y, { anchor: Promise.resolve() }],
  ['fit: unknown option "tolerence"; did you mean "tolerance"?', TypeError, X, y, { tolerence: 1e-3 }],
  ['fit: unknown option "max_epochs"; did you mean "maxEpochs"?', TypeError, X, y, { max_epochs: 10 }],
  ['fit: unknown option "epochs"; did you mean "maxEpochs"?', TypeError, X, y, { epochs: 10 }],
  ['fit: unknown option "max_iter"; did you mean "maxEpochs"?', TypeError, X, y, { max_iter: 10 }],
  ['fit: unknown option "multi_class"; did you mean "loss"?', TypeError, X, y, { multi_class: "crammer_singer" }],
  ['fit: unknown option "weight_decay"; did you mean "lambda"?', TypeError, X, y, { weight_decay: 1 }],
  ['fit: unknown option "n_jobs"; a fit takes one thread, and select takes workers', TypeError, X, y, { n_jobs: 2 }],
  ['fit: unknown option "score"; of what select gives as `best` it is no option: const { score, ...options } = best', TypeError, X, y, { C: 1, score: 0.5 }],
  ['fit: unknown option "randomState"; did you mean "seed"?', TypeError, X, y, { randomState: 1 }],
  ['fit: unknown option "c"; did you mean "C"?', TypeError, X, y, { c: 1 }],
  ['fit: unknown option "bogus"; there are "loss", "k", "gamma", "variant", "rankWeights", "C", "lambda", "classes", "sampleWeight", "classWeight", "intercept", "interceptScale", "scaling", "kernel", "precision", "tolerance", "solver", "direction", "maxEpochs", "maxSeconds", "seed", "initial", "anchor", "validation", "onProgress", "signal" and "yieldEvery"', TypeError, X, y, { bogus: 1 }],
  ['fit: "loss" must be one of "softmax", "hinge", "topk-hinge", "weighted-topk-hinge", "topk-entropy", "truncated-topk-entropy", "ova-hinge", "ova-logistic", "multilabel-hinge" or "multilabel-softmax", got "top-k-hinge"; did you mean "topk-hinge"?', RangeError, X, y, { loss: "top-k-hinge" }],
  ['fit: "loss" must be one of "softmax", "hinge", "topk-hinge", "weighted-topk-hinge", "topk-entropy", "truncated-topk-entropy", "ova-hinge", "ova-logistic", "multilabel-hinge" or "multilabel-softmax", got "toString"', RangeError, X, y, { loss: "toString" }],
  ['fit: "loss" must be a string, got 3', TypeError, X, y, { loss: 3 }],
  ['fit: "C" must be a number in (0, ∞), got 1n', TypeError, X, y, { C: 1n }],
  ['fit: "C" must be a number in (0, ∞), got "1"', TypeError, X, y, { C: "1" }],
  ['fit: "C" must be a number in (0, ∞), got 0', RangeError, X, y, { C: 0 }],
  ['fit: "C" must be a number in (0, ∞), got -1', RangeError, X, y, { C: -1 }],
  ['fit: "C" must be a number in (0, ∞), got NaN', RangeError, X, y, { C: NaN }],
  ['fit: "C" must be a number in (0, ∞), got Infinity', RangeError, X, y, { C: Infinity }],
  ['fit: "C" must be a number in (0, ∞), got null', TypeError, X, y, { C: null }],
  ['fit: C = 1e-46, too small for dual variables in float32; use precision "float64"', RangeError, X, y, { C: 1e-46, precision: "float32" }],
  ['fit: the weights of row 1 give it C_i = 1e-50, too small for dual variables in float32; use precision "float64"', RangeError, X, y, { sampleWeight: X.map((_, i) => (i === 1 ? 1e-50 : 1)), precision: "float32" }],
  ['fit: the weights of row 0 give it C_i = 1e-50, too small for dual variables in float32; use precision "float64"', RangeError, X, y.map((label) => [label]), { loss: "ova-hinge", classWeight: [[y[0], 1e-50]], precision: "float32" }],
  ['fit: "interceptScale" is 1e+200, whose square overflows float64', RangeError, X, y, { precision: "float64", interceptScale: 1e200 }],
  ['fit: "lambda" must be a number in (0, ∞), got 0', RangeError, X, y, { lambda: 0 }],
  ['fit: "C" and "lambda" say the same thing, C = 1/(lambda n); give one of them', TypeError, X, y, { C: 1, lambda: 0.1 }],
  ['fit: "lambda" 1e-320 with 4 rows gives C = 1/(lambda n) = Infinity', RangeError, X, y, { lambda: 1e-320 }],
  ['fit: "intercept" must be true or false, got 1', TypeError, X, y, { intercept: 1 }],
  ['fit: "interceptScale" must be a number in (0, ∞), got 0', RangeError, X, y, { interceptScale: 0 }],
  ['fit: "interceptScale" is 1e-46, which is 0 in float32', RangeError, X, y, { interceptScale: 1e-46 }],
  ['fit: "precision" must be one of "float32" or "float64", got "double"', RangeError, X, y, { precision: "double" }],
  ['fit: "tolerance" must be a number in [0, ∞), got -0.001', RangeError, X, y, { tolerance: -0.001 }],
  ['fit: "maxEpochs" must be an integer >= 0, got 1.5', RangeError, X, y, { maxEpochs: 1.5 }],
  ['fit: "maxEpochs" must be an integer >= 0, got -1', RangeError, X, y, { maxEpochs: -1 }],
  ['fit: "maxSeconds" must be a number in [0, ∞], got -1', RangeError, X, y, { maxSeconds: -1 }],
  ['fit: "maxSeconds" must be a number in [0, ∞], got "10s"', TypeError, X, y, { maxSeconds: "10s" }],
  ['fit: "seed" must be an integer in [0, 4294967295], got 4294967296', RangeError, X, y, { seed: 2 ** 32 }],
  ['fit: "seed" must be an integer in [0, 4294967295], got "lucky"', TypeError, X, y, { seed: "lucky" }],
  ['fit: "onProgress" must be a function, got an object', TypeError, X, y, { onProgress: {} }],
  ['fit: "signal" must be an AbortSignal, got an AbortController', TypeError, X, y, { signal: new AbortController() }],
  ['fit: "signal" must be an AbortSignal, got an object', TypeError, X, y, { signal: { aborted: false } }],
  ['fit: "signal" must be an AbortSignal, got an object', TypeError, X, y, { signal: { aborted: false, addEventListener() {} } }],
  ['fit: "yieldEvery" must be "auto", "never" or a number of milliseconds in [1, ∞), got "often"', RangeError, X, y, { yieldEvery: "often" }],
  ['fit: "yieldEvery" must be "auto", "never" or a number of milliseconds in [1, ∞), got 0', RangeError, X, y, { yieldEvery: 0 }],

  // weights
  ['fit: "sampleWeight" must be an array, Float32Array or Float64Array, got 2', TypeError, X, y, { sampleWeight: 2 }],
  ['fit: "sampleWeight" has length 2 but "features" has 4 rows', RangeError, X, y, { sampleWeight: [1, 1] }],
  ['fit: "sampleWeight" has length 5 but "features" has 4 rows', RangeError, X, y, { sampleWeight: [1, 1, 1, 1, 1] }],
  ['fit: "sampleWeight" entry 2 must be a number in (0, ∞), got 0', RangeError, X, y, { sampleWeight: [1, 1, 0, 1] }],
  ['fit: "sampleWeight" entry 0 must be a number in (0, ∞), got NaN', RangeError, X, y, { sampleWeight: [NaN, 1, 1, 1] }],
  ['fit: "sampleWeight" entry 1 must be a number in (0, ∞), got "1"', TypeError, X, y, { sampleWeight: [1, "1", 1, 1] }],
  ['fit: the weights of row 2 give it C_i = 0, which must be in (0, ∞); use another C or other weights', RangeError, X, y, { C: 1e-200, sampleWeight: [1, 1, 1e-200, 1], precision: "float64" }],
  ['fit: the weights of row 3 give it C_i = Infinity, which must be in (0, ∞); use another C or other weights', RangeError, X, y, { C: 1e300, sampleWeight: [1, 1, 1, 1e300] }],
  ['fit: "classWeight" must be "balanced", a Map or an array of [label, weight] pairs, got "auto"', RangeError, X, y, { classWeight: "auto" }],
  ['fit: "classWeight" must be "balanced", a Map or an array of [label, weight] pairs, got an object; Object.entries makes one where labels are strings, and [[0, 1], [1, 2]] is one where they are numbers', TypeError, X, y, { classWeight: { a: 2 } }],
  ['fit: "classWeight" names "z", which is not among the classes', RangeError, X, y, { classWeight: [["z", 2]] }],
  ['fit: "classWeight" names Symbol(a), which is not among the classes', RangeError, X, y, { classWeight: [[Symbol("a"), 2]] as never }],
  ['fit: "classWeight" names an object, which is not among the classes', RangeError, X, y, { classWeight: [[Object.create(null), 2]] as never }],
  ['fit: "classWeight" names "a" twice', RangeError, X, y, { classWeight: [["a", 2], ["a", 3]] }],
  ['fit: "classWeight" of "b" must be a number in (0, ∞), got -1', RangeError, X, y, { classWeight: new Map([["b", -1]]) }],
  ['fit: "classWeight" entry 0 must be a [label, weight] pair, got "a"', TypeError, X, y, { classWeight: ["a", 2] }],
  ['fit: "classWeight" entry 1 must be a [label, weight] pair, got an array', TypeError, X, y, { classWeight: [["a", 2], ["b", 2, 3]] }],

  // scaling, starting points, validation
  ['fit: "scaling" must be one of "none", "standard", "minmax" or "unit-rows", got "zscore"', RangeError, X, y, { scaling: "zscore" }],
  ['fit: "features" row 2, column 1 is NaN; features must be finite; what is missing has to be filled in, say by the mean of its column', RangeError, [[0, 1], [1, 0], [1, NaN], [0, 0]], y, { scaling: "unit-rows" }],
  ['fit: "initial" must be a model, got an array', TypeError, X, y, { initial: [] }],
  ['fit: "initial" must be a model, got an object', TypeError, X, y, { initial: { weights: 1 } }],
  ['fit: "anchor" must be a model or { weights, intercepts }, got 0', TypeError, X, y, { anchor: 0 }],
  ['fit: "anchor.weights" must be an array of rows or { data, rows, cols }, got undefined', TypeError, X, y, { anchor: {} }],
  ['fit: "anchor.weights" is 2 x 2 but the model will be 3 x 2 (classes x features)', RangeError, X, y, { anchor: { weights: { data: new Float64Array(4), rows: 2, cols: 2 } } }],
  ['fit: "anchor.weights" row 1, column 0 is NaN; anchor.weights must be finite; what is missing has to be filled in, say by the mean of its column', RangeError, X, y, { anchor: { weights: { data: Float64Array.of(0, 0, NaN, 0, 0, 0), rows: 3, cols: 2 } } }],
  ['fit: "anchor" has weights of class 1 so large that scores could overflow float32', RangeError, X, y, { anchor: { weights: { data: Float64Array.of(0, 0, 1e39, 0, 0, 0), rows: 3, cols: 2 } } }],
  ['fit: "anchor" has weights of class 1 so large that scores could overflow float32', RangeError, [[1e-3, 0], [0, 0], [0, 0], [0, 0]], y, { precision: "float32", intercept: false, anchor: { weights: { data: Float64Array.of(0, 0, 1e39, 0, 0, 0), rows: 3, cols: 2 } } }],
  ['fit: "anchor" has weights of class 0 so large that scores could overflow float64', RangeError, X, y, { precision: "float64", anchor: { weights: { data: new Float64Array(6), rows: 3, cols: 2 }, intercepts: [1e300, 0, 0] } }],
  ['fit: "anchor" has weights of class 2 so large that scores could overflow float32', RangeError, X, y, { interceptScale: 1e-40, anchor: { weights: { data: new Float64Array(6), rows: 3, cols: 2 }, intercepts: [0, 0, 1] } }],
  ['fit: "anchor" has weights of class 1 so large that scores could overflow float32', RangeError, [[1e10, 0], [0, 1], [1, 1], [0, 0]], y, { precision: "float32", anchor: { weights: { data: Float64Array.of(0, 0, 1e30, 0, 0, 0), rows: 3, cols: 2 } } }],
  ['fit: "anchor.intercepts" has length 1 but there are 3 classes', RangeError, X, y, { anchor: { weights: { data: new Float64Array(6), rows: 3, cols: 2 }, intercepts: [1] } }],
  ['fit: "anchor" has intercepts but "intercept" is false', RangeError, X, y, { intercept: false, anchor: { weights: { data: new Float64Array(6), rows: 3, cols: 2 }, intercepts: [1, 0, 0] } }],
  ['fit: "anchor" has intercepts but "intercept" is false', RangeError, X, y, { intercept: false, anchor: { weights: { data: new Float64Array(6), rows: 3, cols: 2 }, intercepts: [0, -1, 0] } }],
  ['fit: "validation" must be { features, labels } or an array of them, got "X"', TypeError, X, y, { validation: "X" }],
  ['fit: "validation" must be { features, labels }; it has no "labels"', TypeError, X, y, { validation: { features: X } }],
  ['fit: "validation[1]" must be { features, labels }, got null', TypeError, X, y, { validation: [{ features: X, labels: y }, null] }],
  ['fit: "validation.features" has 3 columns but "features" has 2', RangeError, X, y, { validation: { features: [[1, 2, 3]], labels: ["a"] } }],
  ['fit: "validation.features" row 0, column 1 is NaN; validation.features must be finite; what is missing has to be filled in, say by the mean of its column', RangeError, X, y, { validation: { features: [[1, NaN]], labels: ["a"] } }],
  ['fit: "validation.labels" has length 2 but "validation.features" has 1 rows', RangeError, X, y, { validation: { features: [[1, 2]], labels: ["a", "b"] } }],
  ['fit: "validation.labels" entry 0 is "z", which is not among the classes of the training data; the option "classes" says what others there may be', RangeError, X, y, { validation: { features: [[1, 2]], labels: ["z"] } }],

  // options of losses
  ['fit: "k" must be given with the loss "topk-hinge": the number of guesses that count', TypeError, X, y, { loss: "topk-hinge" }],
  ['fit: "k" must be an integer in [1, 2] (classes − 1), got 3', RangeError, X, y, { loss: "topk-hinge", k: 3 }],
  ['fit: "k" must be an integer >= 1, got 0', RangeError, X, y, { loss: "topk-hinge", k: 0 }],
  ['fit: "k" must be an integer >= 1, got 1.5', RangeError, X, y, { loss: "topk-hinge", k: 1.5 }],
  ['fit: "k" must be an integer >= 1, got "5"', TypeError, X, y, { loss: "topk-hinge", k: "5" }],
  ['fit: "gamma" must be a number in [0, ∞), got -1', RangeError, X, y, { loss: "hinge", gamma: -1 }],
  ['fit: "gamma" must be a number in [0, ∞), got Infinity', RangeError, X, y, { loss: "hinge", gamma: Infinity }],
  ['fit: "variant" must be one of "alpha", "alpha-inclusive" or "beta", got "gamma"', RangeError, X, y, { loss: "topk-hinge", k: 1, variant: "gamma" }],
  ['fit: "gamma" does not belong to the loss "softmax"; it goes with "hinge", "topk-hinge", "weighted-topk-hinge", "ova-hinge" and "multilabel-hinge"', TypeError, X, y, { gamma: 1 }],
  ['fit: "k" does not belong to the loss "hinge"; it goes with "topk-hinge", "weighted-topk-hinge", "topk-entropy" and "truncated-topk-entropy"', TypeError, X, y, { loss: "hinge", k: 1 }],
  ['fit: "variant" of the loss "topk-entropy" must be one of "alpha" or "beta", got "alpha-inclusive"', RangeError, X, y, { loss: "topk-entropy", k: 1, variant: "alpha-inclusive" }],
  ['fit: "rankWeights" must be given with the loss "weighted-topk-hinge": "flat", "linear", "exp" or an array of numbers', TypeError, X, y, { loss: "weighted-topk-hinge", k: 1 }],
  ['fit: "rankWeights" must be "flat", "linear", "exp" or an array of numbers, got "square"', RangeError, X, y, { loss: "weighted-topk-hinge", rankWeights: "square", k: 1 }],
  ['fit: "rankWeights" must be "flat", "linear", "exp" or an array of numbers, got 1', TypeError, X, y, { loss: "weighted-topk-hinge", rankWeights: 1 }],
  ['fit: "rankWeights" does not belong to the loss "hinge"; it goes with "weighted-topk-hinge"', TypeError, X, y, { loss: "hinge", rankWeights: "flat" }],
  ['fit: "k" must be given with the loss "weighted-topk-hinge": the number of guesses that count', TypeError, X, y, { loss: "weighted-topk-hinge", rankWeights: "exp" }],
  ['fit: "k" must be an integer in [1, 2] (classes − 1), got 3', RangeError, X, y, { loss: "weighted-topk-hinge", rankWeights: "exp", k: 3 }],
  ['fit: "k" goes with named "rankWeights"; a list has its own length', TypeError, X, y, { loss: "weighted-topk-hinge", rankWeights: [1], k: 1 }],
  ['fit: "rankWeights" entry 1 must be a number in [0, ∞), got -1', RangeError, X, y, { loss: "weighted-topk-hinge", rankWeights: [1, -1] }],
  ['fit: "rankWeights" entry 0 must be a number in [0, ∞), got NaN', RangeError, X, y, { loss: "weighted-topk-hinge", rankWeights: [NaN] }],
  ['fit: "rankWeights" entry 1 must be a number in [0, ∞), got "1"', TypeError, X, y, { loss: "weighted-topk-hinge", rankWeights: [1, "1"] }],
  ['fit: "rankWeights" must not increase, but entry 1 is 2 after 1', RangeError, X, y, { loss: "weighted-topk-hinge", rankWeights: [1, 2] }],
  ['fit: "rankWeights" must have an entry above 0', RangeError, X, y, { loss: "weighted-topk-hinge", rankWeights: [0, 0] }],
  ['fit: "rankWeights" must have an entry above 0', RangeError, X, y, { loss: "weighted-topk-hinge", rankWeights: [] }],
  ['fit: "rankWeights" must have at most 3 entries (classes), got 4', RangeError, X, y, { loss: "weighted-topk-hinge", rankWeights: [1, 1, 1, 0] }],
  ['fit: "solver" must be one of "sdca" or "frank-wolfe", got "newton"', RangeError, X, y, { solver: "newton" }],
  ['fit: "solver" "frank-wolfe" goes with "hinge", "topk-hinge" and "weighted-topk-hinge", not with the loss "softmax"', RangeError, X, y, { solver: "frank-wolfe" }],
  ['fit: "direction" must be one of "standard", "away" or "pairwise", got "up"', RangeError, X, y, { loss: "hinge", solver: "frank-wolfe", direction: "up" }],
  ['fit: "direction" goes with solver: "frank-wolfe"', TypeError, X, y, { loss: "hinge", direction: "away" }],
  ['fit: "variant" does not belong to the loss "softmax"; it goes with "topk-hinge" and "topk-entropy"', TypeError, X, y, { loss: "softmax", variant: "beta" }],

]; // prettier-ignore

describe("fit refuses, before any work", () => {
  for (const [message, kind, features, labels, options] of rows) {
    test(message, async () => {
      const call = fit(features as never, labels as never, options as never);
      await expect(call).rejects.toThrow(kind);
      await expect(call).rejects.toHaveProperty("message", message);
    });
  }

  test("what no WebAssembly memory can hold, with the estimate", async () => {
    const rows = 1_100_000;
    const features = { data: new Float32Array(rows), rows, cols: 1 };
    const labels = Int32Array.from({ length: rows }, (_, i) => i % 1000);
    const call = fit(features, labels);
    await expect(call).rejects.toThrow(RangeError);
    await expect(call).rejects.toThrow(
      /^fit: 1100000 examples x 2 features x 1000 classes need 4\.\d GiB of memory \(dual variables 4\.1 GiB, /,
    );
    await expect(call).rejects.toThrow(/, more than the 4\.0 GiB that WebAssembly can address$/);
  });

  test("a missing SIMD unit or inflater, blocked WebAssembly and a broken binary are told apart", async () => {
    const { compile, validate } = WebAssembly;
    const refuse = (message: string) => {
      WebAssembly.compile = () => Promise.reject(new WebAssembly.CompileError(message));
    };
    try {
      refuse("WebAssembly.compile(): invalid opcode 0xfd");
      WebAssembly.validate = () => false;
      await expect(compileKernels(undefined)).rejects.toThrow(
        "init: this engine has no WebAssembly SIMD (needs Chrome 93, Firefox 113, Safari 16.4, Node 20.19 or later)",
      );
      refuse("WebAssembly.compile(): violates the following Content Security policy directive");
      await expect(compileKernels(undefined)).rejects.toThrow(
        "init: WebAssembly is blocked by this page's Content-Security-Policy; add 'wasm-unsafe-eval' to script-src",
      );
    } finally {
      WebAssembly.compile = compile;
      WebAssembly.validate = validate;
    }
    const { DecompressionStream, process } = globalThis;
    const getBuiltinModule = process?.getBuiltinModule;
    try {
      if (process) (process as any).getBuiltinModule = undefined; // Node has an inflater beside its streams
      expect((await compileKernels(undefined)) instanceof WebAssembly.Module).toBe(true);
      delete (globalThis as any).DecompressionStream;
      await expect(compileKernels(undefined)).rejects.toThrow(
        "init: this engine has no DecompressionStream (needs Chrome 93, Firefox 113, Safari 16.4, Node 20.19 or later)",
      );
    } finally {
      globalThis.DecompressionStream = DecompressionStream;
      if (process) process.getBuiltinModule = getBuiltinModule;
    }
    const other = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);
    for (const source of [other, new DataView(other.buffer), new WebAssembly.Module(other)]) {
      await expect(compileKernels(source)).rejects.toThrow(
        'init: "wasm" is another WebAssembly module, not the kernels of this package',
      );
    }
    const section = [...new TextEncoder().encode("\ttopk-sdca0123456789abcdef")]; // 9, and a name as long
    const older = Uint8Array.of(...other, 0, section.length, ...section);
    await expect(compileKernels(older)).rejects.toThrow(
      'init: "wasm" has the kernels of another version of this package',
    );
    for (const [source, got] of [
      ["core.wasm", '"core.wasm"; new URL(text, import.meta.url) makes one'],
      [7, "7"],
      [null, "null"],
    ]) {
      await expect(init({ wasm: source as unknown as URL })).rejects.toThrow(
        new TypeError(
          `init: "wasm" must be a URL, a Response, the bytes of the binary or a WebAssembly.Module, got ${got}`,
        ),
      );
    }
    await expect(compileKernels(new Uint8Array([1, 2, 3]))).rejects.toThrow(
      /^init: the kernels could not be compiled: /,
    );
    await expect(compileKernels(new URL("http://127.0.0.1:1/core.wasm"))).rejects.toThrow(
      /^init: "wasm" could not be fetched from http:\/\/127\.0\.0\.1:1\/core\.wasm: ./,
    );
  });
});

describe("a start that does not fit is refused", () => {
  const starts: [message: string, first: FitOptions, rows: number[][], labels: string[], options: FitOptions][] = [
    ['fit: "initial" was fitted with the loss "truncated-topk-entropy", which has no dual variables', { loss: "truncated-topk-entropy", k: 1 }, X, y, {}],
    ['fit: "initial" was fitted on 4 rows but "features" has 3; dual variables belong to rows: for others, `anchor` holds to the weights', {}, X.slice(0, 3), y.slice(0, 3), {}],
    ['fit: "initial" was fitted on 2 columns but "features" has 3', {}, X.map((row) => [...row, 1]), y, {}],
    ['fit: "initial" has other classes, or the same in another order', {}, X, y, { classes: ["c", "b", "a"] }],
    ['fit: "initial" was fitted with intercept: true', {}, X, y, { intercept: false }],
  ]; // prettier-ignore

  test.each(starts)("%s", async (message, first, rows, labels, options) => {
    const initial = await fit(X, y, first);
    await expect(fit(rows, labels, { ...options, initial })).rejects.toHaveProperty("message", message);
  });

  test("is no model that can be trained on", async () => {
    const model = await fit(X, y);
    await expect(fit(X, y, { initial: loadPredictor(model.toBytes()) as Model })).rejects.toThrow(
      'fit: "initial" must be a model, got a Predictor, of which the load of "topk-sdca" makes a model',
    );
    await expect(fit(X, y, { initial: new Proxy(model, {}) })).rejects.toThrow(
      'fit: "initial" must be a model, got a Model of another copy of this library, or a proxy of one',
    );
  });

  test("a model without dual variables", async () => {
    const initial = load((await fit(X, y)).toBytes());
    await expect(fit(X, y, { initial })).rejects.toThrow(
      'fit: "initial" has no dual variables; save it with toBytes({ duals: true }) or toJSON({ duals: true })',
    );
    const kept = load((await fit(X, y)).toBytes({ duals: true }));
    expect((await fit(X, y, { initial: kept })).certificate).toMatchObject({ status: "solved", epochs: 0 });
  });
});

describe("rows so large that scores overflow are refused, not guessed", () => {
  test("with a kernel", async () => {
    const model = await fit(X, y, { kernel: { name: "poly", degree: 20, gamma: 0.1 } });
    const large = [[1, 2], [1e17, -1e17]]; // prettier-ignore
    const message = '"features" row 1: its scores must be finite, got NaN';
    expect(() => model.scores(large)).toThrow(new RangeError(`scores: ${message}`));
    expect(() => model.predict(large)).toThrow(new RangeError(`predict: ${message}`));
    expect(() => model.topK(large, 1)).toThrow(new RangeError(`topK: ${message}`));
    expect(() => model.probabilities(large)).toThrow(new RangeError(`probabilities: ${message}`));
    expect(() => model.evaluate(large, ["a", "b"])).toThrow(new RangeError(`evaluate: ${message}`));
  });

  test("with weights, also without WebAssembly", async () => {
    const model = await fit(X.map((row) => row.map((v) => 1e-3 * v)), y, { scaling: "standard" }); // prettier-ignore
    const small = loadPredictor(model.toBytes());
    const message = 'predict: "features" row 0: its scores must be finite, got ';
    for (const one of [model, small]) expect(() => one.predict([[1.7e308, 1.7e308]])).toThrow(message);
  });
});

describe("a fitted model refuses", () => {
  let model: Model;
  beforeAll(async () => {
    model = await fit(X, y, { loss: "hinge" });
  });

  const calls: [message: string, kind: Kind | typeof Error, call: (model: Model) => unknown][] = [
    ['predict: "features" has 3 columns but the model was fitted on 2', RangeError, (m) => m.predict([[1, 2, 3]])],
    ['scores: "features" row 1, column 0 is NaN; features must be finite; what is missing has to be filled in, say by the mean of its column', RangeError, (m) => m.scores([[1, 2], [NaN, 1]])], // prettier-ignore
    ['predict: "features" must be an array of rows, { data, rows, cols } or { data, indices, indptr, rows, cols }, got a Float64Array; one example is [row]', TypeError, (m) => m.predict(Float64Array.of(1, 2) as never)],
    ['predict: "features" row 0 must be an array, Float32Array or Float64Array, got 1; one example is [[...]]', TypeError, (m) => m.predict([1, 2] as never)],
    ['predict: "features" has 4 columns but the model was fitted on 2', RangeError, (m) => m.predict(csr({}) as never)],
    ['scores: "features" row 1, indices entry 1 must be an integer in [0, 1], got 2', RangeError, (m) => m.scores(csr({ indices: Int32Array.of(0, 2), cols: 2 }) as never)],
    ['topK: "features" row 1, column 0 is NaN; features must be finite; what is missing has to be filled in, say by the mean of its column', RangeError, (m) => m.topK(csr({ data: Float64Array.of(1, NaN), indices: Int32Array.of(1, 0), cols: 2 }) as never, 1)],
    ['evaluate: "features" indptr entry 0 must be 0, got 1', RangeError, (m) => m.evaluate(csr({ indptr: Int32Array.of(1, 1, 2), cols: 2 }) as never, ["a", "b"])],
    ['topK: "k" must be an integer in [1, 3], got 4', RangeError, (m) => m.topK(X, 4)],
    ['topK: "k" must be an integer in [1, 3], got undefined', TypeError, (m) => m.topK(X, undefined as never)],
    ['probabilities: the loss "hinge" gives scores, not probabilities; fit with "softmax", "topk-entropy", "ova-logistic" or "multilabel-softmax", or use scores()', Error, (m) => m.probabilities(X)],
    ['evaluate: "labels" entry 1 is "z", which is not among the model\'s classes', RangeError, (m) => m.evaluate(X, ["a", "z", "c", "a"])],
    ['evaluate: "labels" has length 1 but "features" has 4 rows', RangeError, (m) => m.evaluate(X, ["a"])],
    ['evaluate: "k" must be an integer in [1, 3], got 5', RangeError, (m) => m.evaluate(X, y, { k: [1, 5] })],
    ['evaluate: "options" must be an object, got null', TypeError, (m) => m.evaluate(X, y, null as never)],
    ['evaluate: unknown option "K"; there is only "k"', TypeError, (m) => m.evaluate(X, y, { K: [1] } as never)],
    ['evaluate: "k" must be an array of integers, got 1', TypeError, (m) => m.evaluate(X, y, { k: 1 } as never)],
  ]; // prettier-ignore

  test.each(calls)("%s", (message, kind, call) => {
    expect(() => call(model)).toThrow(kind);
    expect(() => call(model)).toThrow(message);
  });
});
