/**
 * Small tables with a large C, where steps get nowhere: hinge, ours by an interior point method. Against liblinear, measured as in the
 * comparison.
 */
import { describeWorkload } from "../lib/describeWorkload.mjs";
import { describeMissing, probePeers } from "../lib/peers.mjs";
import { common, lossById } from "../losses.mjs";
import { hardTables } from "../workloads/catalogue.mjs";
import { compareCell } from "./compare.mjs";

const plan = { everyRung: 1, referenceSeconds: 60, peerSeconds: 60, native: Object.keys(hardTables), once: [] };

export async function hard({ repeats, log, save }) {
  const peers = await probePeers(["liblinear"]);
  describeMissing(peers).forEach(log);
  const result = { repeats, settings: common, peers, workloads: {}, cells: [] };
  for (const [name, { C, ...workload }] of Object.entries(hardTables)) {
    log(`${name}: data`);
    result.workloads[name] = { C, ...(await describeWorkload(workload)) };
    const cell = {
      name,
      workload,
      loss: lossById("hinge"),
      peers,
      log,
      common: { ...common, C, precision: undefined },
    }; // as fit chooses
    result.cells.push(await compareCell({ ...cell, plan: { ...plan, repeats } }));
    await save(result);
  }
  return result;
}
