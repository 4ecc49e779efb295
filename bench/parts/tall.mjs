/**
 * Tables: many rows for each weight, few classes that overlap. Against liblinear and L-BFGS, measured as in the comparison.
 */
import { describeWorkload } from "../lib/describeWorkload.mjs";
import { describeMissing, probePeers } from "../lib/peers.mjs";
import { common, lossById } from "../losses.mjs";
import { tables } from "../workloads/catalogue.mjs";
import { compareCell } from "./compare.mjs";

const names = Object.keys(tables);
const fullPlan = { everyRung: 1, referenceSeconds: 60, peerSeconds: 120, native: names, once: [], rows: 1 };
const quickPlan = { everyRung: 3, referenceSeconds: 3, peerSeconds: 20, native: names, once: names, rows: 0.05 };

export async function tall({ quick, repeats, log, save }) {
  const plan = { repeats, ...(quick ? quickPlan : fullPlan) };
  const peers = await probePeers(["liblinear", "lbfgs"]);
  describeMissing(peers).forEach(log);
  const result = { repeats, settings: common, peers, workloads: {}, cells: [] };
  for (const [name, whole] of Object.entries(tables)) {
    const workload = { ...whole, numTrain: whole.numTrain * plan.rows, numTest: whole.numTest * plan.rows };
    log(`${name}: data`);
    result.workloads[name] = await describeWorkload(workload);
    for (const loss of ["hinge", "smooth-hinge", "softmax"].map(lossById)) {
      result.cells.push(await compareCell({ name, workload, loss, plan, peers, log }));
      await save(result);
    }
  }
  return result;
}
