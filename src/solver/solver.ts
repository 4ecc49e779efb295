import type { StoredDuals } from "../arrays/sparseDuals.ts";
import type { Interruption, Objectives } from "../certificate.ts";
import type { Pacer } from "../pace/pace.ts";
import type { Settings } from "../settings.ts";
import type { HistoryRecord } from "../types.ts";
import type { ResidentProblem } from "../wasm/problem.ts";
import type { Watch } from "./watch.ts";

/** Where a fit stands in its budget: epochs so far, and example updates by n. */
export type Place = Pick<HistoryRecord, "epoch" | "visits">;

/** What a point is worth, as good as an estimate is, and its dual variables. */
export interface Aside {
  readonly now: Objectives;
  readonly duals: StoredDuals;
}

/** Points that a solver has come to and does not go on from: the end of the fit, or the next one, may be there. */
export interface LeftAside {
  /** Dual variables with a gap that is small enough, if it is not where the storage precision holds them. */
  finer?: Float64Array;
  /** A point with a smaller gap than where it was found from, but a lower D. */
  lower?: Aside;
}

/** What a solver works with. */
export interface SolverParts {
  readonly problem: ResidentProblem;
  readonly settings: Settings;
  readonly watch: Watch;
  readonly leftAside: LeftAside;
  readonly pacer: Pacer;
  readonly interruption: () => Interruption | undefined;
  /** Whether it starts from `initial`: that is evaluated before any step, as it may be all it takes. */
  readonly warm: boolean;
  /** Whether the problem is one on the way to that of the fit. */
  readonly onTheWay?: boolean;
  /** Takes note of how far it is, now and then in a round that may be long. */
  readonly tell: (place: Place) => Promise<void>;
}

/** Makes the dual objective of a problem rise, in rounds; between them `fit` evaluates and decides. */
export interface Solver {
  /** As `Certificate.epochs`. */
  readonly epochs: number;
  /** Example updates so far. */
  readonly visits: number;
  /** Steps until it is time to evaluate, or until the budgets or a signal say stop: then it says why. */
  round(): Promise<Interruption | undefined>;
  /**
   * Whether the coming evaluation will probably show a gap too small for an estimate: within the tolerance, or lost in
   * its rounding.
   */
  readonly likelyExacting: boolean;
  /** Whether the last round has been stopped where P may be much larger than at the evaluation before. */
  readonly brokenOff: boolean;
  /**
   * Takes note of an evaluation after which the fit goes on, and whether the dual variables have been kept: then it was
   * the best so far.
   */
  afterEvaluation(now: Objectives, kept: boolean): void;
}

/** Tells where a fit is that has made so many passes since it was at a place. */
export function tellPasses({ tell }: SolverParts, { epoch, visits }: Place, passes: number): Promise<void> {
  const now = visits + passes;
  return tell({ epoch: Math.max(epoch, Math.floor(now)), visits: now });
}
