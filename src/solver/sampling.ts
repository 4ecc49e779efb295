/** Which examples stand for all where some of them do. */

/** Multiples of it modulo 1 are spread evenly, and follow no pattern that rows may have. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** The r-th of numbers that are spread evenly over [0, 1). */
export const evenly = (r: number): number => (r * GOLDEN) % 1;

/** Neighbours are taken together: weights pass by once for all of them. */
const TOGETHER = 8;

/** Groups of neighbours among the examples. */
export interface Groups {
  readonly count: number;
  /** What part of all examples they are. */
  readonly part: number;
  /** Examples of each. */
  readonly size: number;
  /** The first example of one. */
  readonly firstOf: (group: number) => number;
}

/** What part of all examples these are, or 1 where none are named: then it is all of them. */
export const partOf = (some: Groups | undefined): number => some?.part ?? 1;

/**
 * About `examples` of n, in groups at equal distances, elsewhere each time that `turn` is another; n is more than a
 * group has.
 */
export function groupsOf(n: number, examples: number, turn: number): Groups {
  const count = Math.ceil(examples / TOGETHER);
  const distance = (n - TOGETHER) / count;
  const offset = evenly(turn);
  const part = (count * TOGETHER) / n;
  return { count, part, size: TOGETHER, firstOf: (group) => Math.floor((group + offset) * distance) };
}
