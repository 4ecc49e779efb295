/** The part of a saved model that stands in the place of weights, see format.ts. */
import { isSparse, type FeatureRow, type SparseRow } from "../arrays/sparseRow.ts";
import { check, integer, nonnegative, oneOf, type Constraint } from "../constraints.ts";
import type { KernelFunction } from "../kernelOption.ts";
import { fail, floatsOf, type Header, type Next } from "./decode.ts";
import { arePlaces, type KernelState } from "./modelState.ts";

type Numbers = Float32Array | Float64Array | Int32Array;

/** What the header says of the kernel. */
interface SavedKernel extends KernelFunction {
  readonly vectors: number;
  readonly nonzeros?: number;
}

const parameters: Record<"name" | "vectors" | "gamma" | "degree" | "coef0", Constraint> = {
  name: oneOf(["rbf", "poly", "precomputed"]),
  vectors: integer(0, 2 ** 31 - 1),
  gamma: nonnegative,
  degree: integer(0, 100),
  coef0: nonnegative,
};

export function expansionHeader({ kernel, vectors }: KernelState): object {
  const nonzeros = sparseRows(vectors)?.reduce((sum, { indices }) => sum + indices.length, 0);
  return { ...kernel, vectors: vectors.length, ...(nonzeros !== undefined && { nonzeros }) };
}

/** The vectors if they are sparse; none are not. */
function sparseRows(vectors: KernelState["vectors"]): SparseRow[] | undefined {
  if (arePlaces(vectors) || vectors.length === 0 || !isSparse(vectors[0])) return undefined;
  return vectors as SparseRow[];
}

export function expansionArrays({ vectors, coefficients, precision }: KernelState): Numbers[] {
  if (arePlaces(vectors)) return [vectors, coefficients];
  const sparse = sparseRows(vectors);
  const rows = sparse ? sparse.map(({ values }) => values) : (vectors as ArrayLike<number>[]);
  const values = new floatsOf[precision](rows.reduce((sum, { length }) => sum + length, 0));
  const indptr = new Int32Array(rows.length + 1);
  rows.forEach((row, v) => {
    values.set(row, indptr[v]);
    indptr[v + 1] = indptr[v] + row.length;
  });
  if (!sparse) return [values, coefficients];
  const indices = new Int32Array(values.length);
  sparse.forEach((row, v) => indices.set(row.indices, indptr[v]));
  return [indptr, indices, values, coefficients];
}

/** Reads and checks what follows the scaling in the body of a model with a kernel. */
export function readExpansion(header: Header, next: Next, m: number): KernelState {
  const { features: columns, precision } = header;
  const given = Object(header.kernel) as SavedKernel;
  const { vectors: count, nonzeros, ...kernel } = given;
  for (const [name, must] of Object.entries(parameters)) {
    check("load", `kernel.${name}`, given[name as "name"], must);
  }
  const { name, gamma, degree, coef0 } = kernel;
  if (nonzeros !== undefined) check("load", "kernel.nonzeros", nonzeros, integer(0, count * columns));
  const vectors =
    name === "precomputed"
      ? ascending("vectors", next("vectors", count, Int32Array), 0, count, columns)
      : nonzeros === undefined
        ? denseRows(next("vectors", count * columns, floatsOf[precision]), count, columns)
        : readSparse(next, floatsOf[precision], count, nonzeros, columns);
  return {
    kernel: { name, gamma, degree, coef0 },
    ...{ columns, precision, vectors, coefficients: next("coefficients", count * m, Float64Array) },
  };
}

const denseRows = (data: Float32Array | Float64Array, count: number, columns: number): FeatureRow[] =>
  Array.from({ length: count }, (_, v) => data.subarray(v * columns, (v + 1) * columns));

function readSparse(
  next: Next,
  Floats: (typeof floatsOf)[string],
  count: number,
  nonzeros: number,
  columns: number,
): FeatureRow[] {
  const indptr = next("indptr", count + 1, Int32Array);
  const indices = next("indices", nonzeros, Int32Array);
  const values = next("vectors", nonzeros, Floats);
  const legal = indptr[0] === 0 && indptr[count] === nonzeros && indptr.every((p, v) => v === 0 || p >= indptr[v - 1]);
  if (!legal) fail(`"indptr" must ascend from 0 to ${nonzeros}`);
  return Array.from({ length: count }, (_, v) => {
    const [start, end] = [indptr[v], indptr[v + 1]];
    ascending("indices", indices, start, end, columns);
    return { indices: Uint32Array.from(indices.subarray(start, end)), values: values.subarray(start, end) };
  });
}

/** The entries, once it is known that those of [from, to) ascend and are columns. */
function ascending(name: string, entries: Int32Array, from: number, to: number, columns: number): Int32Array {
  for (let p = from; p < to; p++) {
    const least = p > from ? entries[p - 1] + 1 : 0;
    if (entries[p] >= least && entries[p] < columns) continue;
    fail(`"${name}" entry ${p} must be an integer in [${least}, ${columns - 1}], got ${entries[p]}`);
  }
  return entries;
}
