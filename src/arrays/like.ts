/** A new array of the same type, all zeros. */
export const like = <array extends Float32Array | Float64Array | Int32Array | Uint32Array>(
  array: array,
  length: number,
): array => new (array.constructor as new (length: number) => array)(length);
