import { conjugateValue, dualEntries } from "./conjugates.ts";
import { lossValue, type LossSpec } from "./losses.ts";
import { infeasibility } from "./objective.ts";
import { dot, sum } from "./sum.ts";

/** A kernel by its name and parameters. */
export interface KernelSpec {
  name: "linear" | "rbf" | "poly";
  gamma?: number;
  degree?: number;
  coef0?: number;
}

/** k(x, z): <x, z>, exp(-gamma ||x - z||^2) or (gamma <x, z> + coef0)^degree. */
function kernelValue(
  { name, gamma = 1, degree = 1, coef0 = 0 }: KernelSpec,
  x: readonly number[],
  z: readonly number[],
): number {
  if (name === "rbf") return Math.exp(-gamma * sum(x.map((v, l) => (v - z[l]) ** 2)));
  const product = sum(x.map((v, l) => v * z[l]));
  return name === "poly" ? (gamma * product + coef0) ** degree : product;
}

/** The values of a kernel between two sets of rows, with a constant added. */
export function gramOf(
  rows: readonly (readonly number[])[],
  others: readonly (readonly number[])[],
  kernel: KernelSpec,
  constant = 0,
): number[][] {
  return rows.map((x) => others.map((z) => kernelValue(kernel, x, z) + constant));
}

/** K A: the scores of all rows of K, n x m. */
export function scoresOf(K: readonly (readonly number[])[], A: readonly (readonly number[])[]): number[][] {
  return K.map((row) => A[0].map((_, j) => dot(row, A.map((a) => a[j])))); // prettier-ignore
}

/**
 * P = sum_i C L(u_i) + 1/2 sum_i <a_i, u_i> and D = sum_i -C L*(-a_i / C) - 1/2 sum_i <a_i, u_i> at the scores u = K A: what a
 * certificate with a kernel claims, from K and A alone.
 */
export function certifyKernel(
  K: readonly (readonly number[])[],
  A: readonly (readonly number[])[],
  y: readonly number[],
  C: number,
  loss: LossSpec,
): { primal: number; dual: number; infeasibility: number; scores: number[][] } {
  const scores = scoresOf(K, A);
  const norm2 = sum(A.map((a, i) => dot(a, scores[i])));
  const losses = scores.map((u, i) => C * lossValue(loss, u, y[i]));
  const conjugates = A.map((a, i) => {
    const v = a.map((entry) => -entry / C);
    return -C * conjugateValue(loss, dualEntries(loss, v, y[i]));
  });
  return {
    primal: sum([...losses, norm2 / 2]),
    dual: sum([...conjugates, -norm2 / 2]),
    infeasibility: infeasibility(A, y, C, loss),
    scores,
  };
}
