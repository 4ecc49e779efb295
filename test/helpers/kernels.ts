import { expect } from "vitest";
import { unseenAt } from "../../src/certificate.ts";
import type { GramMatrix, Model } from "../../src/index.ts";
import { certifyKernel, gramOf, type KernelSpec } from "../reference/kernel.ts";
import type { LossSpec } from "../reference/losses.ts";
import { bounded, rowsOf } from "./certified.ts";
import { EPS } from "./expect.ts";

export const kernels: readonly KernelSpec[] = [
  { name: "linear" },
  { name: "rbf", gamma: 0.3 },
  { name: "poly", degree: 3, gamma: 0.2, coef0: 1 },
];

/** A Gram matrix of plain numbers. */
export const asGram = (K: readonly (readonly number[])[]): GramMatrix => ({
  gram: Float64Array.from(K.flat()),
  rows: K.length,
});

/** What the certified problem was, beside the model: a kernel with its features, or a matrix. */
export interface KernelFitted {
  features?: readonly (readonly number[])[];
  kernel?: KernelSpec;
  K?: readonly (readonly number[])[];
  labels: readonly unknown[];
  loss: LossSpec;
  C: number;
  precision: "float32" | "float64";
  interceptScale?: number;
}

/** Holds the certificate against the oracle: both objectives, feasibility, and a status that is true. Returns the oracle's view. */
export function expectKernelCertified(
  model: Model,
  { features, kernel, K: given, labels, loss, C, precision, interceptScale = 0 }: KernelFitted,
): ReturnType<typeof certifyKernel> {
  const stored = (v: number): number => (precision === "float32" ? Math.fround(v) : v);
  const rows = features?.map((row) => row.map(stored)) ?? [];
  const constant = interceptScale ** 2;
  const exact = given?.map((row) => row.map((v) => v + constant)) ?? gramOf(rows, rows, kernel!, constant);
  const K = exact.map((row) => row.map(stored));
  const A = rowsOf(model.dualVariables);
  const y = labels.map((label) => model.classes.indexOf(label as never));
  const found = certifyKernel(K, A, y, C, loss);
  const { primalObjective, dualObjective, dualityGap, relativeGap, status, tolerance } = bounded(model.certificate);
  // Kernel values of the oracle may be off by rounding, that of float32 included, and every product of two dual rows with them.
  const absolute = A.map((a) => a.reduce((sum, v) => sum + Math.abs(v), 0));
  const largest = Math.max(...K.flat().map(Math.abs));
  const mass = absolute.reduce((sum, v) => sum + v, 0);
  const unit = precision === "float32" ? 2 ** -24 : 16 * EPS;
  const n = labels.length;
  const rounding = unit * largest * mass * (C + mass / n) + 64 * n * EPS * Math.max(Math.abs(found.primal), Math.abs(found.dual)); // prettier-ignore
  expect(Math.abs(found.primal - primalObjective), "primal objective").toBeLessThanOrEqual(rounding);
  expect(Math.abs(found.dual - dualObjective), "dual objective").toBeLessThanOrEqual(rounding);
  expect(found.infeasibility, "infeasibility").toBeLessThanOrEqual(8 * model.classes.length * EPS);
  expect(dualityGap).toBeGreaterThanOrEqual(0);
  // P - D, and what rounding may hide where that is no longer nothing beside the tolerance.
  const hidden = dualityGap - (primalObjective - dualObjective);
  expect(hidden).toBeGreaterThanOrEqual(-4 * EPS * primalObjective);
  if (hidden > 4 * EPS * primalObjective) expect(hidden).toBeGreaterThan(unseenAt(tolerance) * primalObjective);
  const size = Math.max(Math.abs(primalObjective), Math.abs(dualObjective));
  expect(relativeGap).toBe(size === 0 ? 0 : dualityGap / size);
  if (status !== "aborted") expect(status === "solved", `status ${status}`).toBe(relativeGap <= tolerance);
  return found;
}
