import type { StoredDuals } from "../arrays/sparseDuals.ts";
import type { Interruption } from "../certificate.ts";
import type { Pacer } from "../pace/pace.ts";
import type { Certificate } from "../types.ts";
import type { Evaluations } from "./evaluations.ts";
import type { FitInput } from "./fitInput.ts";
import type { LoadedInput } from "./loadProblem.ts";

/** A fit whose problem is in memory. */
export interface Running extends LoadedInput<FitInput> {
  readonly pacer: Pacer;
  readonly interruption: () => Interruption | undefined;
  /** When it was called. */
  readonly started: number;
}

/** Where a fit has ended: at the dual variables or weights that the problem holds. */
export interface Solved {
  readonly ended: Omit<Certificate, "epochs" | "tolerance" | "solveSeconds" | "evaluateSeconds" | "hint">;
  readonly evaluations: Evaluations;
  /** As `DualState` has it. */
  readonly furthest?: StoredDuals | undefined;
}
