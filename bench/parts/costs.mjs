/** As in the comparison, with larger and larger C: the less regularisation there is, the longer everybody takes. */
import { inFreshProcess } from "../lib/inFreshProcess.mjs";
import { describeMissing, probePeers } from "../lib/peers.mjs";
import { common, lossById } from "../losses.mjs";
import { workloads } from "../workloads/catalogue.mjs";
import { compareCell } from "./compare.mjs";

const workload = workloads.letter;
const compared = ["hinge", "smooth-hinge", "top5", "softmax"];
const plan = { everyRung: 1, once: [], referenceSeconds: 120, peerSeconds: 120 };

export async function costs({ quick, repeats, log, save }) {
  const peers = await probePeers(["liblinear", "lbfgs"]);
  describeMissing(peers).forEach(log);
  await inFreshProcess({ kind: "prepare", workload });
  const result = { repeats, settings: common, peers, cells: [] };
  for (const id of compared) {
    for (const C of quick ? [1, 10] : [1, 10, 100]) {
      const name = `letter, C = ${C}`;
      const cell = { name, workload, loss: lossById(id), peers, log, common: { ...common, C } };
      result.cells.push({ C, ...(await compareCell({ ...cell, plan: { ...plan, native: [name], repeats } })) });
      await save(result);
    }
  }
  return result;
}
