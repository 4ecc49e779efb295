import { doubleAt, ordinal } from "../reference/bisect.ts";

const FRACTION_BITS = 52n;
const IMPLICIT_BIT = 1n << FRACTION_BITS;
/** The smallest double is 2^-1074. */
const SCALE = 1074n;

/** x 2^1074, a whole number, of a finite x >= 0. */
function scaled(x: number): bigint {
  const bits = ordinal(x);
  const exponent = bits >> FRACTION_BITS;
  const fraction = bits % IMPLICIT_BIT;
  return exponent === 0n ? fraction : (fraction + IMPLICIT_BIT) << (exponent - 1n);
}

/** Distance from x > 0 to the next larger double. */
export function spacing(x: number): number {
  return doubleAt(ordinal(x) + 1n) - x;
}

/** |got - exact| in spacings of the doubles at the exact value, which is given as a positive decimal string. */
export function ulpsFrom(got: number, decimal: string): number {
  const [, whole, fraction = "", exponent = "0"] = /^(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/.exec(decimal) as string[];
  const places = BigInt(fraction.length - Number(exponent)); // exact = digits / 10^places
  const digits = BigInt(whole + fraction);
  const power = 10n ** (places < 0n ? -places : places);
  const [numerator, denominator] = places < 0n ? [digits * power, 1n] : [digits, power];
  const difference = scaled(got) * denominator - (numerator << SCALE);
  const unit = scaled(spacing(Number(decimal))) * denominator;
  const millionths = ((difference < 0n ? -difference : difference) * 1_000_000n) / unit;
  return Number(millionths) / 1e6;
}
