/** Numbers as integers in units of 2^-bits: exact, or with `truncates` but for what is smaller. */
export function exactIn(bits: number, truncates = false): (v: number) => bigint {
  return (v) => {
    if (v === 0) return 0n;
    const exponent = Math.floor(Math.log2(Math.abs(v))) - 53;
    if (bits + exponent >= 0) return BigInt(v * 2 ** -exponent) << BigInt(bits + exponent);
    if (truncates) return 0n;
    throw new RangeError(`${v} has digits below 2^-${bits}`);
  };
}

export const dotOf = (a: readonly bigint[], b: readonly bigint[]): bigint =>
  a.reduce((sum, v, l) => sum + v * b[l], 0n);
