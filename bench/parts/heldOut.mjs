/**
 * What held-out rows cost: fits of ours with a validation set and without, in turns, and their scores by the kernels and in plain
 * JavaScript, where they are the same to the last bit.
 */
import { inFreshProcess } from "../lib/inFreshProcess.mjs";
import { common, lossById } from "../losses.mjs";
import { workloads } from "../workloads/catalogue.mjs";
import { packagesWorkload } from "../workloads/packages.mjs";

const rbf = { id: "hinge", kernel: { name: "rbf", gamma: 1 } };
const fullPlan = [
  ...["letter", "caltech", "indoor"].flatMap((name) => [
    { name, id: "hinge" },
    { name, id: "softmax" },
  ]),
  { name: "sections", id: "hinge" },
  { name: "caltech", ...rbf },
];
const quickPlan = [{ name: "caltech", id: "softmax" }];

export async function heldOut({ quick, repeats, log, save }) {
  const result = { repeats, settings: common, cells: [] };
  for (const { name, id, kernel } of quick ? quickPlan : fullPlan) {
    const workload = name === "sections" ? packagesWorkload("sections", 1) : workloads[name];
    await inFreshProcess({ kind: "prepare", workload });
    const loss = { ...lossById(id), options: { ...lossById(id).options, ...(kernel && { kernel }) } };
    const cell = { workload: name, loss: id, ...(kernel && { kernel: kernel.name }), turns: [] };
    for (let seed = 0; seed < repeats; seed++) {
      log(`${name}, ${id}${kernel ? `, ${kernel.name}` : ""}: turn ${seed + 1} of ${repeats}`);
      const settings = { ...common, seed };
      const order = seed % 2 === 0 ? ["without", "with"] : ["with", "without"];
      cell.turns.push(await inFreshProcess({ kind: "heldOut", workload, loss, settings, order }));
    }
    result.cells.push(cell);
    await save(result);
  }
  return result;
}
