/**
 * What the intercept costs, which fits have by default and those of the comparison do not: fits of ours with it and without, in turns. It
 * adds a constant feature to rows of norm 1, so that they have twice the squared norm and much in common.
 */
import { inFreshProcess } from "../lib/inFreshProcess.mjs";
import { common, lossById } from "../losses.mjs";
import { workloads } from "../workloads/catalogue.mjs";
import { packagesWorkload } from "../workloads/packages.mjs";

const losses = ["hinge", "smooth-hinge", "softmax"];
const fullPlan = { names: ["caltech", "indoor", "aloi"], every: 1 };
const quickPlan = { names: ["caltech"], every: 20 };

export async function intercept({ quick, repeats, log, save }) {
  const { names, every } = quick ? quickPlan : fullPlan;
  const chosen = {
    ...Object.fromEntries(names.map((name) => [name, workloads[name]])),
    sections: packagesWorkload("sections", every),
  };
  const result = { repeats, settings: common, cells: [] };
  for (const [name, workload] of Object.entries(chosen)) {
    log(`${name}: data`);
    await inFreshProcess({ kind: "prepare", workload });
    for (const id of losses) {
      const cell = { workload: name, loss: id, without: [], with: [] };
      for (let seed = 0; seed < repeats; seed++) {
        for (const which of seed % 2 === 0 ? ["without", "with"] : ["with", "without"]) {
          log(`${name}, ${id}: turn ${seed + 1} of ${repeats}, ${which} an intercept`);
          const settings = { ...common, intercept: which === "with", seed };
          cell[which].push(
            await inFreshProcess({ kind: "train", contender: "ours", workload, loss: lossById(id), settings }),
          );
        }
      }
      result.cells.push(cell);
      await save(result);
    }
  }
  return result;
}
