/**
 * Rows of dense or CSR features: `read(i)` puts the nonzeros of row i and their columns, ascending, into `values` and `columns`
 * and returns how many there are.
 */
export function rowReader({ data, indices, indptr, cols }) {
  const columns = new Int32Array(cols);
  const values = new Float64Array(cols);
  function read(i) {
    const from = indptr ? indptr[i] : i * cols;
    const to = indptr ? indptr[i + 1] : from + cols;
    let count = 0;
    for (let p = from; p < to; p++) {
      if (data[p] === 0) continue;
      values[count] = data[p];
      columns[count++] = indptr ? indices[p] : p - from;
    }
    return count;
  }
  return { columns, values, read };
}
