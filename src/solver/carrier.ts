import type { Pacer } from "../pace/pace.ts";
import type { ResidentProblem } from "../wasm/problem.ts";
import type { ScoreMoves } from "../wasm/scoreMoves.ts";

/** How momentum moves a dual point, which depends on whether there are weights or scores to go with it. */
export interface Carrier {
  /** Whether the direction is still there when an evaluation has made other lists of candidates. */
  readonly outlastsEvaluations: boolean;
  /** Takes note of where dual variables are. */
  remember(): Promise<void>;
  /**
   * Moves the first `count` examples of the order, or all, on by beta times what has changed since they were there
   * last. Returns whether D has risen.
   */
  carry(count: number, beta: number): Promise<boolean>;
  /** Takes the last move back. */
  takeBack(count: number): Promise<void>;
}

/**
 * By weights, rises of D below this part of the penalty are rounding, being differences of what it was before and is
 * after. Moves at random where D is flat would keep P, which is not, from settling: with gamma = 0 it falls in
 * proportion to the distance from the optimum, D with its square.
 */
const NOISE = { float32: 1e-7, float64: 1e-11 };

export const carrierOf = (problem: ResidentProblem, pacer: Pacer): Carrier =>
  problem.scoreMoves ? new ByScores(problem, problem.scoreMoves, pacer) : new ByWeights(problem, pacer);

/** Example by example, the weights following each. */
class ByWeights implements Carrier {
  readonly outlastsEvaluations = false;
  readonly #problem: ResidentProblem;
  readonly #pacer: Pacer;

  constructor(problem: ResidentProblem, pacer: Pacer) {
    this.#problem = problem;
    this.#pacer = pacer;
  }

  async remember(): Promise<void> {
    const { duals, shape } = this.#problem;
    await this.#pacer.run("remembered", shape.numExamples, (from, count) => duals.remember(from, count));
  }

  async carry(count: number, beta: number): Promise<boolean> {
    const problem = this.#problem;
    problem.clear(false);
    const before = problem.takePenalty();
    await this.#run(count, beta);
    const after = problem.takePenalty();
    const noise = NOISE[problem.shape.precision] * Math.abs(after);
    return problem.sums.dualLoss - (after - before) > noise;
  }

  async takeBack(count: number): Promise<void> {
    await this.#run(count, -1);
  }

  async #run(count: number, beta: number): Promise<void> {
    await this.#pacer.run("momentum", count, (from, size) => this.#problem.extrapolate(from, size, beta));
  }
}

/** With a kernel: all scores at once, then each example that the domain holds back. */
class ByScores implements Carrier {
  readonly outlastsEvaluations = true;
  readonly #problem: ResidentProblem;
  readonly #moves: ScoreMoves;
  readonly #pacer: Pacer;

  constructor(problem: ResidentProblem, moves: ScoreMoves, pacer: Pacer) {
    this.#problem = problem;
    this.#moves = moves;
    this.#pacer = pacer;
  }

  async remember(): Promise<void> {
    await this.#moveScores(0);
    await this.#forExamples("remembered", (from, count) => this.#moves.remember(from, count));
  }

  async carry(_count: number, beta: number): Promise<boolean> {
    const problem = this.#problem;
    problem.clear(false);
    await this.#moveScores(beta);
    await this.#forExamples("carried", (from, count) => this.#moves.carry(from, count, beta));
    const { dualLoss } = problem.sums;
    let rise = dualLoss;
    await this.#forExamples("compared", (from, count) => {
      rise -= this.#moves.penaltyRise(from, count);
    });
    return rise > 0;
  }

  async takeBack(): Promise<void> {
    await this.#forClasses("scores taken back", (from, count) => this.#moves.takeScoresBack(from, count));
    await this.#forExamples("taken back", (from, count) => this.#moves.takeBack(from, count));
  }

  async #moveScores(beta: number): Promise<void> {
    await this.#forClasses("scores moved", (from, count) => this.#moves.moveScores(from, count, beta));
  }

  async #forClasses(kind: string, work: (from: number, count: number) => void): Promise<void> {
    await this.#pacer.run(kind, this.#problem.shape.numClasses, work);
  }

  async #forExamples(kind: string, work: (from: number, count: number) => void): Promise<void> {
    await this.#pacer.run(kind, this.#problem.shape.numExamples, work);
  }
}
