/**
 * Peers that stop by a rule of their own: the loosest rung of the ladder whose objective is at most `atMost`, by bisection, the
 * objective falling along the ladder.
 *
 * @param {object[]} ladder settings from loose to tight
 * @param {(settings: object) => Promise<object>} run trains with the settings and scores the weights
 * @returns {Promise<{ settings?: object, accuracy?: object, primal?: number, note?: string }>} a note where there is none
 */
export async function findSetting(ladder, atMost, run) {
  let found;
  let late = false;
  let loose = 0; // every rung before it is too loose
  let tight = ladder.length; // this one is good enough, or takes too long, or there is none
  while (loose < tight) {
    const middle = (loose + tight) >> 1;
    const { status, primal, accuracy } = await run(ladder[middle]);
    const overBudget = status === "over-budget";
    late ||= overBudget;
    if (!overBudget && primal > atMost) {
      loose = middle + 1;
      continue;
    }
    tight = middle;
    if (!overBudget) found = { settings: ladder[middle], accuracy, primal };
  }
  return found ?? { note: late ? "not within the limit of time" : "not within the tolerance at its tightest setting" };
}
