/** What the numbers of an array are stored in. Not instanceof: what a worker answers may come from another realm. */
export const precisionOf = ({ BYTES_PER_ELEMENT }: Float32Array | Float64Array): "float32" | "float64" =>
  BYTES_PER_ELEMENT === 4 ? "float32" : "float64";
