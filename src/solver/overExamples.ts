import type { Pacer } from "../pace/pace.ts";
import type { ResidentProblem } from "../wasm/problem.ts";
import type { Groups } from "./sampling.ts";

/**
 * Runs work on all examples of a problem, or on some where these are named, in slices, `kind` being its name for the
 * pacer; returns whether nothing stopped it.
 */
export async function overExamples(
  problem: ResidentProblem,
  pacer: Pacer,
  kind: string,
  slice: (from: number, count: number) => void,
  stops?: () => boolean,
  some?: Groups,
): Promise<boolean> {
  if (some) return overGroups(some, pacer, `${kind} of some`, slice, stops);
  const { numExamples } = problem.shape;
  return (await pacer.run(kind, numExamples, slice, stops, problem.rowsAtOnce)) === numExamples;
}

/** Some of them, group by group. */
export async function overGroups(
  { count, size, firstOf }: Groups,
  pacer: Pacer,
  kind: string,
  slice: (from: number, count: number) => void,
  stops?: () => boolean,
): Promise<boolean> {
  const work = (from: number, groups: number): void => {
    for (let g = from; g < from + groups; g++) slice(firstOf(g), size);
  };
  return (await pacer.run(kind, count, work, stops)) === count;
}
