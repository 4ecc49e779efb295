import { lastWhere } from "./bisect.ts";
import { solveEntropic } from "./lambert.ts";
import { sum } from "./sum.ts";

/**
 * argmin alpha/2 (||z||^2 + s^2) - <b, z> + <z, log z> + (1-s) log(1-s),  s = sum z,  z >= 0, s <= 1:  the dual step of
 * softmax. Lapin, Hein, Schiele, PAMI 2018, Prop. 15 for k = 1. alpha = 0 is the loss problem, z = softmax(b, 0).
 *
 * With w = 1 - s as one more coordinate, stationarity reads alpha z_j + log z_j = b_j - t and alpha w + log w =
 * alpha - t with one t for all. Bisection on t until they sum to 1, and one more for each coordinate; no Lambert
 * function, no Newton step. t is measured from the largest right-hand side.
 */
export function softmaxStep(b: readonly number[], alpha: number): { z: number[]; oneMinusS: number } {
  const sides = [...b, alpha];
  const pivot = Math.max(...sides);
  const shifted = sides.map((side) => side - pivot);
  const point = (t: number): number[] => shifted.map((side) => solveEntropic(alpha, side - t));
  // The largest coordinate lies between 1/(n + 1) and 1, and its right-hand side is -t.
  const least = 1 / sides.length;
  const t = lastWhere((t) => sum(point(t)) >= 1, -alpha - 1, -alpha * least - Math.log(least) + 1);
  const z = point(t);
  return { oneMinusS: z.pop() as number, z };
}
