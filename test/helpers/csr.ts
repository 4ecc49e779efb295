import type { CsrMatrix } from "../../src/index.ts";

/** The nonzeros of rows, columns ascending. */
export function csrOf(
  rows: readonly (readonly number[])[],
  Floats: typeof Float32Array | typeof Float64Array = Float64Array,
  Integers: typeof Int32Array | typeof Uint32Array = Int32Array,
): CsrMatrix {
  const entries = rows.map((row) => [...row.keys()].filter((l) => row[l] !== 0));
  return pack(
    rows[0].length,
    rows.map((row, i) => entries[i].map((l) => [l, row[l]] as const)),
    Floats,
    Integers,
  );
}

/**
 * The same numbers as untidily as is legal: columns in descending order, every value in two halves, and zeros, some of them
 * negative, where nothing is.
 */
export function untidyCsrOf(rows: readonly (readonly number[])[]): CsrMatrix {
  return pack(
    rows[0].length,
    rows.map(
      (row, i) =>
      [...row.keys()]
        .filter((l) => row[l] !== 0 || (l + i) % 5 === 0)
        .reverse()
        .flatMap((l) => (row[l] === 0 ? [[l, i % 2 ? 0 : -0] as const] : [[l, row[l] / 2] as const, [l, row[l] / 2] as const])), // prettier-ignore
    ),
    Float64Array,
    Uint32Array,
  );
}

function pack(
  cols: number,
  rows: readonly (readonly (readonly [l: number, v: number])[])[],
  Floats: typeof Float32Array | typeof Float64Array,
  Integers: typeof Int32Array | typeof Uint32Array,
): CsrMatrix {
  const indptr = new Integers(rows.length + 1);
  rows.forEach((row, i) => (indptr[i + 1] = indptr[i] + row.length));
  const entries = rows.flat();
  return {
    data: Floats.from(entries.map(([, v]) => v)),
    indices: Integers.from(entries.map(([l]) => l)),
    ...{ indptr, rows: rows.length, cols },
  };
}

/** Rows that have the columns of `rows` at distinct places among `cols`, and zeros elsewhere. */
export function spread(rows: readonly (readonly number[])[], cols: number): number[][] {
  const step = Math.floor(cols / rows[0].length);
  return rows.map((row) => {
    const wide = new Array<number>(cols).fill(0);
    row.forEach((v, l) => (wide[placeOf(l, step)] = v));
    return wide;
  });
}

const placeOf = (l: number, step: number): number => l * step + (l % step);

/** The columns that `spread` filled. */
export const placesOf = (d: number, cols: number): number[] =>
  Array.from({ length: d }, (_, l) => placeOf(l, Math.floor(cols / d)));
