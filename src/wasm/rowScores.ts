import { precisionOf } from "../arrays/precisionOf.ts";
import { entriesOf, fillRow, isSparse, type FeatureRow } from "../arrays/sparseRow.ts";
import type { DenseMatrix } from "../types.ts";
import { roundUp } from "./arena.ts";
import { BLOCK_SIZE, CLASSES_AT_ONCE, scoringBy, type Kernels, type ScoringKernels } from "./kernels.ts";
import type { Layout, Shape } from "./layout.ts";
import { borrow, isReady } from "./shared.ts";

/**
 * Scores W x of rows as src/model takes them in JavaScript, to the last bit, by the kernels: in a seventh of the
 * time where rows are dense and long. See assembly/linalg/otherRows.ts.
 */

/** Writes rows one after the other, each of `stride` numbers, with zeros behind its own. */
export function writeRows(rows: readonly FeatureRow[], room: Float64Array, stride: number): void {
  for (const [e, row] of rows.entries()) {
    const target = room.subarray(e * stride, (e + 1) * stride);
    fillRow(row, target.fill(0, isSparse(row) ? 0 : row.length));
  }
}

/** Takes m scores of each of `size` rows out of the kernels', which lie `apart`, to `scores` from a place on. */
export function takeScores(
  { out, apart, size, m }: { out: Float64Array; apart: number; size: number; m: number },
  scores: Float64Array,
  start: number,
  stride: number,
): void {
  for (let e = 0; e < size; e++) scores.set(out.subarray(e * apart, e * apart + m), start + e * stride);
}

/**
 * Scores by the weights that a problem without a kernel has at the moment. Its rows take the place of W64, which is
 * scratch between evaluations.
 */
export class RowScores {
  readonly #scoring: ScoringKernels;
  readonly #shape: Shape;
  readonly #layout: Layout;
  /** Where rows go: those of four classes or more. */
  readonly #room: Float64Array;
  /** Where the columns of a sparse one go, behind its values. */
  readonly #columns: Uint32Array;
  readonly #out: Float64Array;
  /** From one row's scores to the next's. */
  readonly #apart: number;

  constructor(kernels: Kernels, shape: Shape, layout: Layout, buffer: ArrayBuffer) {
    const { numFeatures: d, numClasses: m, nonzeros } = shape;
    const { at, sizeW } = layout;
    this.#scoring = scoringBy(kernels, shape.precision);
    this.#shape = shape;
    this.#layout = layout;
    this.#room = new Float64Array(buffer, at.W64, sizeW);
    this.#columns = new Uint32Array(buffer, at.W64 + 8 * d, nonzeros === undefined ? 0 : d);
    this.#apart = roundUp(m, CLASSES_AT_ONCE);
    this.#out = new Float64Array(buffer, at.blockScores, BLOCK_SIZE * this.#apart);
  }

  /** So many rows share what they fetch of W. */
  get rowsAtOnce(): number {
    if (this.#shape.nonzeros !== undefined) return 1;
    return Math.min(BLOCK_SIZE, Math.floor(this.#room.length / this.#layout.paddedFeatures));
  }

  /** m scores of each row. `constant`: the last feature, if rows come without it. */
  of(rows: readonly FeatureRow[], constant?: number): Float64Array {
    const { numClasses: m, nonzeros } = this.#shape;
    const scores = new Float64Array(rows.length * m);
    const most = this.rowsAtOnce;
    for (let first = 0; first < rows.length; first += most) {
      const size = Math.min(most, rows.length - first);
      if (nonzeros === undefined) this.#scoreDense(rows.slice(first, first + size), constant);
      else this.#scoreSparse(rows[first], constant);
      takeScores({ out: this.#out, apart: this.#apart, size, m }, scores, first * m, m);
    }
    return scores;
  }

  #scoreDense(rows: readonly FeatureRow[], constant: number | undefined): void {
    const { at, ld, paddedFeatures: d } = this.#layout;
    const { numFeatures, numClasses: m } = this.#shape;
    writeRows(rows, this.#room, d);
    if (constant !== undefined) for (let e = 0; e < rows.length; e++) this.#room[e * d + numFeatures - 1] = constant;
    this.#scoring.scoreRows(at.W, ld, m, at.W64, rows.length, d, at.packed, at.blockScores);
  }

  #scoreSparse(row: FeatureRow, constant: number | undefined): void {
    const { at, tile } = this.#layout;
    const { numFeatures: d, numClasses: m } = this.#shape;
    const { indices, values } = entriesOf(row);
    let count = 0;
    const put = (column: number, value: number): void => {
      this.#columns[count] = column;
      this.#room[count++] = value;
    };
    for (let p = 0; p < values.length; p++) if (values[p] !== 0) put(indices ? indices[p] : p, values[p]);
    if (constant !== undefined) put(d - 1, constant);
    this.#scoring.scoreSparseRow(at.W, d, m, tile, this.#columns.byteOffset, at.W64, count, at.blockScores);
  }
}

/** So many rows share what they fetch of weights: slices had better be of as many. */
export const ROWS_TOGETHER = BLOCK_SIZE;
/** With fewer products of numbers it does not pay to copy what rows are scored by. */
const WORTH_COPYING = 2 ** 17;
/** About so many bytes of weights, and of rows, are copied at a time; of longer rows not even four would fit. */
const ROOM = 2 ** 21;
const LONGEST = ROOM / (4 * 8);

/** Elements of a dense row as the kernels take it, whole vectors. */
export const strideOf = (d: number): number => roundUp(d, CLASSES_AT_ONCE);

/** Whether copies pay for so many products of d numbers, and the kernels are there. */
export const pays = (products: number, d: number): boolean =>
  products * d >= WORTH_COPYING && strideOf(d) <= LONGEST && isReady();

/** As many rows of `bytes` as there is room for, in fours, and no more than `most`. */
export const fitting = (bytes: number, most: number): number => Math.min(most, Math.floor(ROOM / (4 * bytes)) * 4);

/**
 * W x + b of dense rows, `scale` having been at each. Undefined where the kernels are not compiled, or it would not
 * pay: there is JavaScript for that.
 */
export function scoresByKernels(
  { data, rows: m, cols: d }: DenseMatrix,
  intercepts: Float64Array,
  rows: readonly FeatureRow[],
  scale: ((row: FeatureRow) => FeatureRow) | undefined,
): Float64Array | undefined {
  // For a single row it takes as long.
  if (rows.length < 2 || isSparse(rows[0]) || !pays(rows.length * m, d)) return undefined;
  const stride = strideOf(d);
  const precision = precisionOf(data);
  const bytes = data.BYTES_PER_ELEMENT;
  const classes = fitting(bytes * stride, roundUp(m, CLASSES_AT_ONCE));
  const most = fitting(8 * stride, BLOCK_SIZE);
  const lengths = [(classes * stride * bytes) / 8, most * stride, most * stride, most * classes];
  const { instance, at } = borrow("scores", lengths);
  const { buffer } = instance.memory;
  const [weightsAt, rowsAt, packedAt, outAt] = at;
  const W = new (precision === "float32" ? Float32Array : Float64Array)(buffer, weightsAt, classes * stride);
  const room = new Float64Array(buffer, rowsAt, most * stride);
  const out = new Float64Array(buffer, outAt, most * classes);
  const { scoreRows } = scoringBy(instance.kernels, precision);
  const scores = new Float64Array(rows.length * m);
  // With several tiles of classes, rows are scaled once for all of them.
  const [ready, late] = scale && classes < m ? [rows.map(scale)] : [rows, scale];
  for (let from = 0; from < m; from += classes) {
    const count = Math.min(classes, m - from);
    W.fill(0);
    for (let j = 0; j < count; j++) W.set(data.subarray((from + j) * d, (from + j + 1) * d), j * stride);
    for (let first = 0; first < rows.length; first += most) {
      const some = ready.slice(first, first + most);
      writeRows(late ? some.map(late) : some, room, stride);
      scoreRows(weightsAt, stride, count, rowsAt, some.length, stride, packedAt, outAt);
      const apart = roundUp(count, CLASSES_AT_ONCE);
      takeScores({ out, apart, size: some.length, m: count }, scores, first * m + from, m);
    }
  }
  for (let i = 0; i < scores.length; i += m) for (let j = 0; j < m; j++) scores[i + j] += intercepts[j];
  return scores;
}
