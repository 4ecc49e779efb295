/**
 * Steps over every class alone, of ours and of plain SDCA in JavaScript, which there do the same (bench/passes). Processes take turns, in
 * reversed order every other turn; each says what a pass takes once its code is compiled.
 */
import { inFreshProcess } from "../lib/inFreshProcess.mjs";
import { summarise } from "../lib/statistics.mjs";
import { lossById } from "../losses.mjs";
import { workloads } from "../workloads/catalogue.mjs";

/** One loss of each kind of step; and workloads over which a pass of the baseline takes seconds, not a minute. */
const losses = ["hinge", "softmax"];
const names = ["letter", "caltech", "indoor", "aloi"];
const programs = ["ours", "baseline"];

export async function passes({ quick, repeats, log, save }) {
  const result = { repeats, cells: [] };
  for (const name of quick ? names.slice(0, 1) : names) {
    for (const id of losses) {
      const loss = lossById(id);
      const times = { ours: [], baseline: [] };
      for (let turn = 0; turn < repeats; turn++) {
        for (const who of turn % 2 === 1 ? programs.toReversed() : programs) {
          log(`${name}, ${loss.name}: passes, turn ${turn + 1} of ${repeats}, ${who}`);
          const { milliseconds } = await inFreshProcess({ kind: "passes", who, workload: workloads[name], loss });
          times[who].push(milliseconds);
        }
      }
      const [ours, baseline] = programs.map((who) => summarise(times[who]));
      const ratio = summarise(times.baseline.map((value, turn) => value / times.ours[turn]));
      result.cells.push({ workload: name, loss: id, passes: { ours, baseline, ratio } });
      await save(result);
    }
  }
  return result;
}
