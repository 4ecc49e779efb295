const float = new Float64Array(1);
const bits = new BigInt64Array(float.buffer);
const view = new DataView(new ArrayBuffer(8));
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
 * 64 steps whatever the magnitude of the answer: first the higher halves of their positions, then the lower ones, as numbers
 * can hold.
 */
export function lastWhere(holds: (x: number) => boolean, from: number, to: number): number {
  if (holds(to)) return to;
  const [first, firstLow] = halvesOf(from);
  const [last, lastLow] = halvesOf(to);
  const high = lastInteger((middle) => holds(doubleOf(middle, 0)), first, last + 1);
  const low = lastInteger(
    (middle) => holds(doubleOf(high, middle)),
    high === first ? firstLow : 0,
    high === last ? lastLow : HALF,
  );
  return doubleOf(high, low);
}

/** The last integer in [from, to) at which `holds` is true, or `from`. */
function lastInteger(holds: (k: number) => boolean, from: number, to: number): number {
  while (to - from > 1) {
    const middle = Math.floor((from + to) / 2);
    if (holds(middle)) from = middle;
    else to = middle;
  }
  return from;
}

const HALF = 2 ** 32;

/** The position of a double as high * 2^32 + low, 0 <= low < 2^32. */
function halvesOf(x: number): [high: number, low: number] {
  const position = ordinal(x);
  return [Number(position >> 32n), Number(position & 0xffff_ffffn)];
}

/** The inverse of that, without integers of 64 bits, which take most of the time of a bisection. */
function doubleOf(high: number, low: number): number {
  if (high >= 0) return doubleOfBits(high, low);
  // Minus the position counts as many doubles on the other side of 0.
  return -(low === 0 ? doubleOfBits(-high, 0) : doubleOfBits(-high - 1, HALF - low));
}

function doubleOfBits(high: number, low: number): number {
  view.setUint32(0, high);
  view.setUint32(4, low);
  return view.getFloat64(0);
}
