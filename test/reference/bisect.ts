const float = new Float64Array(1);
const bits = new BigInt64Array(float.buffer);
const MAGNITUDE = 0x7fff_ffff_ffff_ffffn;

/** Position of a double in the ordered list of all doubles; 0 (and -0) is number 0, neighbours differ by 1. */
export function ordinal(x: number): bigint {
  float[0] = x;
  return bits[0] >= 0n ? bits[0] : -(bits[0] & MAGNITUDE);
}

/** The double at a position; the inverse of `ordinal`. */
export function doubleAt(position: bigint): number {
  bits[0] = position >= 0n ? position : -position;
  return position >= 0n ? float[0] : -float[0];
}

/**
 * The largest double in [from, to] at which `holds` is true, for a predicate that is true up to some point and false
 * after it. `from` is returned where it holds nowhere. It bisects the list of doubles and not the interval, so it takes
 * 64 steps whatever the magnitude of the answer.
 */
export function lastWhere(holds: (x: number) => boolean, from: number, to: number): number {
  if (holds(to)) return to;
  let low = ordinal(from);
  let high = ordinal(to);
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (holds(doubleAt(middle))) low = middle;
    else high = middle;
  }
  return doubleAt(low);
}
