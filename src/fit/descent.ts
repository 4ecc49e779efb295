import type { Interruption } from "../certificate.ts";
import type { Pacer } from "../pace/pace.ts";
import type { Settings } from "../settings.ts";
import { Lbfgs } from "../solver/lbfgs.ts";
import { dot } from "../solver/linearAlgebra.ts";
import { PrimalDescent, type Point } from "../solver/primalDescent.ts";
import type { Status } from "../types.ts";
import type { ResidentProblem } from "../wasm/problem.ts";
import type { Evaluations } from "./evaluations.ts";

interface Parts {
  readonly problem: ResidentProblem;
  readonly settings: Settings;
  readonly evaluations: Evaluations;
  readonly pacer: Pacer;
  readonly interruption: () => Interruption | undefined;
  /** Epochs that the start has taken. */
  readonly epochs: number;
}

/** Where a descent has ended: at the problem's weights of the moment. */
interface Descended {
  readonly status: Status;
  readonly primalObjective: number;
  readonly gradientNorm: number;
}

/**
 * Minimises P by L-BFGS where it is not convex, from the problem's weights on. Where it ends, the gradient is small:
 * nothing says how far that is from the optimum. The truncated loss is the least of several smooth ones, and has kinks
 * between them.
 *
 * Weights are float64 on the way and rounded to `precision` at the end, where P and the gradient are taken once more.
 */
export async function descend({
  problem,
  settings,
  evaluations,
  pacer,
  interruption,
  epochs,
}: Parts): Promise<Descended> {
  const { tolerance, maxEpochs, precision } = settings;
  // Rounding at the end adds to the gradient.
  const goal = precision === "float32" ? 0.5 * tolerance : tolerance;

  const directions = new Lbfgs();
  const descent = new PrimalDescent(problem, directions, pacer, () => !!interruption());
  const spent = (): number => epochs + descent.passes;
  const norm = (gradient: Float64Array): number => Math.sqrt(dot(gradient, gradient));
  const record = (value: number): Promise<void> => evaluations.recordPrimal(value, { epoch: spent(), visits: spent() });
  const ended = ({ gradient }: Point): Status | undefined => {
    const interrupted = interruption();
    if (interrupted !== "aborted" && norm(gradient) <= goal) return "stationary";
    return interrupted ?? (spent() >= maxEpochs ? "max-epochs" : undefined);
  };
  let now = (await descent.look(problem.weights.take(), { stoppable: false }))!;
  await record(now.value);
  let status = ended(now);
  while (!status) {
    const next = await descent.next(now, maxEpochs - spent());
    if (!next) {
      status = ended(now) ?? (directions.forget() ? undefined : "no-progress");
      continue;
    }
    now = next;
    problem.weights.put(now.weights);
    await record(now.value);
    status = ended(now);
  }

  const { weights, value } = now;
  const rounded = precision === "float32" ? weights.map(Math.fround) : weights;
  // Where no step has been taken rounding changes nothing, and of many weights another look takes seconds.
  if (rounded.some((weight, l) => weight !== weights[l])) now = (await descent.look(rounded, { stoppable: false }))!;
  else problem.weights.put(rounded); // a step that was not taken may have left others
  // The last record is that of the certificate.
  if (now.value !== value || evaluations.history.at(-1)!.epoch !== spent()) await record(now.value);
  const gradientNorm = norm(now.gradient);
  // The descent aims lower, and rounding may have changed it.
  if (interruption() === "aborted") status = "aborted";
  else if (gradientNorm <= tolerance) status = "stationary";
  else if (status === "stationary") status = "no-progress";
  return { status, primalObjective: now.value, gradientNorm };
}
