import { hasSparseDuals, type Loss } from "../losses.ts";
import { roundUp } from "./arena.ts";
import { WORTH_LISTING } from "./kernels.ts";

/** How many classes an example's list of candidates has room for. */
interface ListRoom {
  /** Classes with a nonzero dual variable: more make no list, as steps over most of them take as long as over all. */
  readonly capacity: number;
  /** Classes without one, an even number: enough for the k largest. */
  readonly extra: number;
  /** Of those as many as an evaluation leaves on the list: an even number, enough for a class to enter. */
  readonly few: number;
}

export const NO_LISTS: ListRoom = { capacity: 0, extra: 0, few: 0 };
/** As many others on first lists, which are to do for two passes. */
const ON_FIRST_LISTS = 12;
/** Without smoothing few classes enter later on, and steps over others cost time. */
const ON_LATER_LISTS = 8;

/**
 * By the root of the number of classes: 6 of 100, 20 of 1000. This and the numbers above were tuned on the workloads of
 * bench/.
 */
const othersByClasses = (numClasses: number): number => 2 * Math.round(0.3125 * Math.sqrt(numClasses));

/**
 * The more classes there are the more classes that are not on the list have a part in a smoothed loss; without
 * smoothing a dozen are enough. No room where there are no lists, dual variables being dense.
 */
export function listRoom(numClasses: number, loss: Loss): ListRoom {
  if (!hasSparseDuals(loss, numClasses)) return NO_LISTS;
  const smooth = loss.gamma > 0;
  const byClasses = othersByClasses(numClasses);
  const first = numClasses >= WORTH_LISTING ? ON_FIRST_LISTS : 0;
  const extra = Math.max(4, 2 * loss.k, first, smooth ? byClasses : Math.min(byClasses, ON_FIRST_LISTS));
  return {
    capacity: Math.min(Math.ceil(numClasses / 2), 128),
    extra,
    few: smooth ? extra : Math.min(extra, Math.max(ON_LATER_LISTS, roundUp(loss.k + 1, 2))),
  };
}
