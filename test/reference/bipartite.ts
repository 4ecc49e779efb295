import { sum } from "./sum.ts";

/** S_i = sum of the i largest, i = 1, 2, ..., relative to the largest. */
function prefixSums(sorted: readonly number[]): number[] {
  return sorted.map((_, i) => sum(sorted.slice(0, i + 1)));
}

/**
 * argmin 1/2 ||x - a||^2 + 1/2 ||y - b||^2  over  x, y >= 0, sum x = sum y <= r, with a, b what is given plus margin/2, by brute
 * force. x = max(a - max a + c, 0), y = max(b - max b + d, 0), and sums of positive parts are maxima over prefixes of the sorted
 * entries: sum x = max_i (S_i + i c), sum y = max_j (T_j + j d). They meet on c + d = D = max a + max b at
 * c = min_i max_j (T_j + j D - S_i)/(i + j); if that is above r, each is r, at c = min_i (r - S_i)/i.
 */
export function bipartiteSimplex(
  a: readonly number[],
  b: readonly number[],
  { radius = 1, margin = 0 }: { radius?: number; margin?: number } = {},
): { x: number[]; y: number[] } {
  const [topA, topB] = [Math.max(...a), Math.max(...b)];
  const D = sum([topA, topB, margin]);
  const cut = (v: readonly number[], top: number, level: number): number[] =>
    v.map((entry) => Math.max(0, entry - top + level));
  if (!(D > 0)) return { x: a.map(() => 0), y: b.map(() => 0) };
  const [S, T] = [[a, topA] as const, [b, topB] as const].map(([v, top]) =>
    prefixSums(v.map((entry) => entry - top).sort((s, t) => t - s)),
  );
  const meetings = S.map((s, i) => Math.max(...T.map((t, j) => sum([t, (j + 1) * D, -s]) / (i + j + 2))));
  const c = Math.min(...meetings);
  const x = cut(a, topA, c);
  if (sum(x) <= radius) return { x, y: cut(b, topB, D - c) };
  const own = (sums: readonly number[]): number => Math.min(...sums.map((s, i) => (radius - s) / (i + 1)));
  return { x: cut(a, topA, own(S)), y: cut(b, topB, own(T)) };
}
