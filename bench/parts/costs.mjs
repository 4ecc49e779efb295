/**
 * As in the comparison, with other C. With larger ones: the less regularisation there is, the longer everybody takes. And, ours alone, with
 * smaller ones where classes are many: there most have a part in a smoothed loss.
 */
import { inFreshProcess } from "../lib/inFreshProcess.mjs";
import { describeMissing, probePeers } from "../lib/peers.mjs";
import { common, lossById } from "../losses.mjs";
import { workloads } from "../workloads/catalogue.mjs";
import { compareCell } from "./compare.mjs";

const large = { name: "letter", losses: ["hinge", "smooth-hinge", "top5", "softmax"], Cs: [1, 10, 100], native: true };
const small = { name: "aloi", losses: ["hinge", "smooth-hinge", "softmax"], Cs: [0.01, 0.1], native: false };
const plan = { everyRung: 1, once: [], referenceSeconds: 120, peerSeconds: 120 };

export async function costs({ quick, repeats, log, save }) {
  const peers = await probePeers(["liblinear", "lbfgs"]);
  describeMissing(peers).forEach(log);
  const result = { repeats, settings: common, peers, cells: [] };
  for (const { name, losses, Cs, native } of quick ? [{ ...large, Cs: [1, 10] }] : [large, small]) {
    const workload = workloads[name];
    await inFreshProcess({ kind: "prepare", workload });
    for (const id of losses) {
      for (const C of Cs) {
        const place = `${name}, C = ${C}`;
        const cell = { name: place, workload, loss: lossById(id), peers, log, common: { ...common, C } };
        const planned = { ...plan, native: native ? [place] : [], repeats };
        result.cells.push({ C, data: name, ...(await compareCell({ ...cell, plan: planned })) });
        await save(result);
      }
    }
  }
  return result;
}
