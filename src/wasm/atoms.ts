import type { Loss } from "../losses.ts";
import type { Arena } from "./arena.ts";
import { STRUCTURE_BYTES, type Kernels } from "./kernels.ts";

/** Which way a step of Frank and Wolfe goes: see assembly/solver/frankWolfe.ts. */
export type Direction = "standard" | "away" | "pairwise";

/**
 * Vertices kept of each example. Of 50 smoothed fits to 1e-6 (test/solver/frankWolfe.node.test.ts) 32 took 2000 steps
 * or fewer with 4, 44 with 8, 47 with 16, and all with 32.
 */
const SLOTS = 32;

export interface AtomsLayout {
  readonly slots: number;
  /** Classes of a vertex at most. */
  readonly size: number;
  readonly at: Record<
    "atoms" | "stepSums" | "masses" | "counts" | "atomClasses" | "values" | "targets" | "sources" | "reaches",
    number
  >;
}

/** Reserves what assembly/solver/frankWolfe.ts describes. */
export function layOutAtoms(arena: Arena, direction: Direction, n: number, m: number, { k }: Loss): AtomsLayout {
  const size = Math.min(k, m - 1); // the true class follows from the others
  const slots = direction === "standard" ? 1 : SLOTS;
  const at = {
    atoms: arena.reserve(STRUCTURE_BYTES.Atoms, "scratch"),
    stepSums: arena.reserve(24, "scratch"),
    targets: arena.reserve(4 * n, "per example"),
    sources: arena.reserve(4 * n, "per example"),
    reaches: arena.reserve(8 * n, "per example"),
    masses: arena.reserve(8 * n * (slots + 1), "atoms"),
    counts: arena.reserve(4 * n * slots, "atoms"),
    atomClasses: arena.reserve(4 * n * slots * size, "atoms"),
    values: arena.reserve(8 * n * slots * size, "atoms"),
  };
  return { slots, size, at };
}

/** The steps of Frank and Wolfe on a resident problem. */
export class ResidentAtoms {
  readonly #kernels: Kernels;
  readonly #problem: number;
  readonly #atoms: number;
  readonly #sums: Float64Array;

  constructor(
    direction: Direction,
    { slots, size, at }: AtomsLayout,
    kernels: Kernels,
    buffer: ArrayBuffer,
    problem: number,
  ) {
    this.#kernels = kernels;
    this.#problem = problem;
    this.#atoms = at.atoms;
    this.#sums = new Float64Array(buffer, at.stepSums, 3);
    const kind = kernels[direction.toUpperCase() as Uppercase<Direction>].value;
    kernels.describeAtoms(
      at.atoms, kind, slots, size, at.stepSums, at.masses, at.counts, at.atomClasses, at.values, at.targets, at.sources,
      at.reaches,
    ); // prettier-ignore
    kernels.gatherRest(problem, at.atoms);
  }

  /**
   * A step, in this order: begin; findVertices, combine of all examples; addStepNorm, or with a kernel
   * addKernelStepNorm of all examples; moveDuals of all examples, moveWeights. Before `moveDuals` nothing has moved.
   */
  begin(): void {
    this.#kernels.beginStep(this.#problem, this.#atoms);
  }
  findVertices(from: number, count: number): void {
    this.#kernels.findVertices(this.#problem, this.#atoms, from, count);
  }
  combine(from: number, count: number): void {
    if (from === 0) this.#kernels.clear(this.#problem, true);
    this.#kernels.combine(this.#problem, this.#atoms, from, count);
  }
  addStepNorm(): void {
    this.#kernels.addStepNorm(this.#problem, this.#atoms);
  }
  addKernelStepNorm(from: number, count: number): void {
    this.#kernels.addKernelStepNorm(this.#problem, this.#atoms, from, count);
  }
  moveDuals(from: number, count: number, stepSize: number): void {
    this.#kernels.moveDuals(this.#problem, this.#atoms, stepSize, from, count);
  }
  moveWeights(stepSize: number): void {
    this.#kernels.moveWeights(this.#problem, stepSize);
  }

  /**
   * Along the direction: slope of the dual objective and curvature, minus its second derivative; and the gap at the
   * point.
   */
  get sums(): { slope: number; curvature: number; gap: number } {
    const [slope, curvature, gap] = this.#sums;
    return { slope, curvature, gap };
  }
}
