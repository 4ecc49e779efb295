/**
 * Peers that stop by a rule of their own: the loosest rung of the ladder whose objective, or gap, is at most `atMost`, which
 * falls along the ladder. Strides double from the loose end, where runs are short, until one is good enough; then bisection.
 *
 * @param {object[]} ladder settings from loose to tight
 * @param {(settings: object) => Promise<object>} run trains with the settings and scores the weights
 * @returns {Promise<{ settings?: object, accuracy?: object, primal?: number, note?: string }>} a note where there is none
 */
export async function findSetting(ladder, atMost, run) {
  let found;
  let note = "not within the tolerance at its tightest setting";
  let loose = 0; // every rung before it is too loose
  let tight = ladder.length; // good enough, or too slow, or beyond the end
  let stride = 1;
  while (loose < tight) {
    const bracketed = tight < ladder.length;
    const rung = bracketed ? (loose + tight) >> 1 : Math.min(loose + stride - 1, ladder.length - 1);
    stride *= 2;
    const { status, primal, accuracy } = await run(ladder[rung]);
    if (status === "stopped" && primal > atMost) {
      loose = rung + 1;
      continue;
    }
    tight = rung;
    if (status === "stopped") found = { settings: ladder[rung], accuracy, primal };
    else note = status === "over-budget" ? "not within the limit of time" : "failed";
  }
  return found ?? { note };
}
