import { like } from "../arrays/like.ts";
import type { Rows } from "../features.ts";
import type { Truth } from "../labels.ts";
import type { Pacer } from "../pace/pace.ts";
import type { CsrMatrix, DenseMatrix, Features, GramMatrix } from "../types.ts";

type Floats = Float32Array | Float64Array;

/** Some of the values of a row. */
function pick(from: ArrayLike<number>, columns: Uint32Array, to: Floats): Floats {
  for (let p = 0; p < columns.length; p++) to[p] = from[columns[p]];
  return to;
}

/**
 * A copy of some rows of features that have been checked, in the form in which they came; of a Gram matrix their
 * columns alone.
 */
export async function takeRows(features: Features, places: Uint32Array, pacer: Pacer): Promise<Features> {
  if (Array.isArray(features)) return Array.from(places, (i) => features[i]);
  const count = places.length;
  const each = (copy: (i: number, to: number) => void): Promise<number> =>
    pacer.run("take", count, (from, size) => {
      for (let to = from; to < from + size; to++) copy(places[to], to);
    });
  if ("gram" in features) {
    const { gram: all, rows: n } = features as GramMatrix;
    const gram = like(all, count * count);
    await each((i, to) => pick(all.subarray(i * n, (i + 1) * n), places, gram.subarray(to * count)));
    return { gram, rows: count };
  }
  if (!("indptr" in features)) {
    const { data: all, cols } = features as DenseMatrix;
    const data = like(all, count * cols);
    await each((i, to) => data.set(all.subarray(i * cols, (i + 1) * cols), to * cols));
    return { data, rows: count, cols };
  }
  const all = features as CsrMatrix;
  const indptr = like(all.indptr, count + 1);
  for (let to = 0; to < count; to++) {
    indptr[to + 1] = indptr[to] + all.indptr[places[to] + 1] - all.indptr[places[to]];
  }
  const data = like(all.data, indptr[count]);
  const indices = like(all.indices, indptr[count]);
  await each((i, to) => {
    data.set(all.data.subarray(all.indptr[i], all.indptr[i + 1]), indptr[to]);
    indices.set(all.indices.subarray(all.indptr[i], all.indptr[i + 1]), indptr[to]);
  });
  return { data, indices, indptr, rows: count, cols: all.cols };
}

/** Some rows, not copied; of a Gram matrix their values against the examples at `columns`. */
export function viewRows({ cols, gram, row, raw }: Rows, places: Uint32Array, columns: Uint32Array): Rows {
  const count = places.length;
  if (!gram) {
    const sparse = raw && { nonzeros: places.reduce((sum, i) => sum + raw(i, 1).values.length, 0) };
    return { count, cols, row: (i) => row(places[i]), ...sparse };
  }
  const values = (i: number): Floats =>
    pick(gram.subarray(places[i] * cols, (places[i] + 1) * cols), columns, new Float64Array(columns.length));
  return { count, cols: columns.length, row: values };
}

/** The true classes of some examples. */
export function takeTruth({ indices, offsets }: Truth, places: Uint32Array): Truth {
  if (!offsets) return { indices: Int32Array.from(places, (i) => indices[i]) };
  const taken: number[] = [];
  const ends = Uint32Array.from(places, (i) => {
    for (let p = offsets[i]; p < offsets[i + 1]; p++) taken.push(indices[p]);
    return taken.length;
  });
  return { indices: Int32Array.from(taken), offsets: Uint32Array.from([0, ...ends]) };
}
