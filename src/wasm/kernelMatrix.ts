import type { KernelFunction } from "../kernelOption.ts";
import type { Arena } from "./arena.ts";
import { FeatureRows, type Entries } from "./featureRows.ts";
import { BLOCK_SIZE, KERNEL_ROWS_TOGETHER, STRUCTURE_BYTES, type Kernels } from "./kernels.ts";

type Floats = Float32Array | Float64Array;

/** A problem whose features are known through a kernel; `Shape.numFeatures` is then the number of examples. */
export interface KernelShape extends KernelFunction {
  /** Added to every value: interceptScale^2, or 0. */
  readonly constant: number;
  /** Columns of the features; of "precomputed" 0. */
  readonly columns: number;
  /** Number of nonzero features if they are stored sparse. */
  readonly nonzeros?: number;
  /** Room for rows of the matrix. */
  readonly cacheBytes?: number;
}

/** A computed matrix is kept whole up to this size; of a larger one, the rows that steps have used last. */
const CACHE_BYTES = 512 * 2 ** 20;

export interface KernelLayout {
  readonly paddedColumns: number;
  readonly ld: number;
  readonly slots: number;
  readonly at: Record<
    | "kernel"
    | "indptr"
    | "indices"
    | "X"
    | "squares"
    | "rows"
    | "slotOf"
    | "heldBy"
    | "usedAt"
    | "examples"
    | "missing"
    | "products"
    | "dense"
    | "spare"
    | "block",
    number
  >;
}

/** Reserves what assembly/data/kernelMatrix.ts describes, for rows of `ld` elements. */
export function layOutKernel(
  arena: Arena,
  { name, columns, nonzeros, cacheBytes = CACHE_BYTES }: KernelShape,
  n: number,
  ld: number,
  elementBytes: number,
): KernelLayout {
  const given = name === "precomputed";
  const sparse = nonzeros !== undefined;
  const paddedColumns = sparse ? columns : columns + (columns % 2);
  const rowBytes = elementBytes * ld;
  const slots = given ? n : Math.min(n, Math.max(1, Math.floor(cacheBytes / rowBytes)));
  const at = {
    kernel: arena.reserve(STRUCTURE_BYTES.KernelMatrix, "scratch"),
    squares: arena.reserve(8 * (n + 2), "per example"),
    slotOf: arena.reserve(4 * n, "per example"),
    examples: arena.reserve(4 * (n + 4), "per example"),
    missing: arena.reserve(4 * (n + 4), "per example"),
    products: arena.reserve(8 * KERNEL_ROWS_TOGETHER * (ld + 4), "per example"),
    heldBy: arena.reserve(4 * slots, "per example"),
    usedAt: arena.reserve(8 * slots, "per example"),
    dense: arena.reserve(sparse ? 8 * columns : 0, "scratch"),
    block: arena.reserve(4 * BLOCK_SIZE, "scratch"),
    spare: arena.reserve(slots < n ? BLOCK_SIZE * rowBytes : 0, "scratch"),
    indptr: arena.reserve(sparse ? 4 * (n + 1) : 0, "features"),
    indices: arena.reserve(4 * (nonzeros ?? 0), "features"),
    X: arena.reserve(8 * (nonzeros ?? n * paddedColumns), "features"),
    rows: arena.reserve(slots * rowBytes, "kernel values"),
  };
  return { paddedColumns, ld, slots, at };
}

/** The features of a problem with a kernel, or its Gram matrix, resident in the problem's memory. */
export class ResidentKernel {
  readonly shape: KernelShape;
  /** The rows of features, each to be written before it is measured. */
  readonly features: FeatureRows<Float64Array>;
  readonly #layout: KernelLayout;
  readonly #n: number;
  readonly #rows: Floats;
  /** Row i of the matrix as stored, computed where it is not kept; until another one takes its place. */
  readonly row: (i: number) => Floats;

  constructor(
    shape: KernelShape,
    layout: KernelLayout,
    kernels: Kernels,
    buffer: ArrayBuffer,
    problem: number,
    n: number,
    Floats: Float32ArrayConstructor | Float64ArrayConstructor,
  ) {
    const { name, gamma, degree, coef0, constant, nonzeros } = shape;
    const { at, paddedColumns: d, ld, slots } = layout;
    const sparse = nonzeros !== undefined;
    this.shape = shape;
    this.#layout = layout;
    this.#n = n;
    this.features = new FeatureRows(
      new Float64Array(buffer, at.X, nonzeros ?? n * d),
      shape.columns,
      d,
      new Uint32Array(buffer, at.indices, nonzeros ?? 0),
      new Uint32Array(buffer, at.indptr, sparse ? n + 1 : 0),
    );
    this.#rows = new Floats(buffer, at.rows, slots * ld);
    this.row = (i) => new Floats(buffer, kernels.kernelRow(problem, i), n);
    const given = name === "precomputed";
    const filled = given ? n : 0;
    const kind = kernels[name.toUpperCase() as Uppercase<typeof name>].value;
    kernels.describeKernel(
      problem, at.kernel, kind, degree, gamma, coef0, constant, n, d, sparse,
      at.indptr, at.indices, at.X, at.squares, ld, slots, filled, at.rows, at.slotOf, at.heldBy, at.usedAt,
      at.examples, at.missing, at.products, at.dense, at.spare, at.block,
    ); // prettier-ignore
    const examples = new Int32Array(buffer, at.examples, n + 4);
    examples.forEach((_, i) => (examples[i] = Math.min(i, n - 1)));
    if (given) new Int32Array(buffer, at.slotOf, n).set(examples.subarray(0, n).map((i) => i + 1));
  }

  /** Row i of a matrix that is given. */
  gramRow(i: number): Floats {
    const start = i * this.#layout.ld;
    return this.#rows.subarray(start, start + this.#n);
  }

  /** The features of row i as stored: d numbers, or the nonzeros among them. */
  storedRow(i: number): Float64Array | Entries<Float64Array> {
    return this.features.sparse ? this.features.entries(i) : this.features.dense(i);
  }
}
