/**
 * Packages on npm that train multiclass linear models minimise other objectives and stop by rules of their own, so here it is
 * time against accuracy; on a small set, and on Letter as far as they finish.
 */
import { contenders } from "../contenders/index.mjs";
import { describeWorkload } from "../lib/describeWorkload.mjs";
import { describeMissing, probePeers, runPeer } from "../lib/peers.mjs";
import { common, lossById } from "../losses.mjs";
import { small, workloads } from "../workloads/catalogue.mjs";

const LIMIT_SECONDS = 60;

export async function packages({ repeats, log, save }) {
  const peers = await probePeers(["libsvmJs", "mlLogistic"]);
  describeMissing(peers).forEach(log);
  const present = Object.keys(peers).filter((who) => !peers[who].missing);
  const compared = ["hinge", "softmax"].map(lossById).flatMap((loss) => {
    const others = present.filter((who) => contenders[who].solves(loss));
    return ["ours", ...others].map((who) => ({ who, loss }));
  });

  const result = { repeats, settings: common, peers, cells: [] };
  for (const [name, workload] of Object.entries({ small, letter: workloads.letter })) {
    const facts = await describeWorkload(workload);
    const entries = compared.map(({ who, loss }) => ({ who, loss: loss.id, runs: [] }));
    for (let turn = 0; turn < repeats; turn++) {
      for (const entry of entries) {
        if (entry.note || entry.tooSlow) continue;
        log(`${name}, packages on npm: turn ${turn + 1} of ${repeats}, ${contenders[entry.who].name}`);
        const loss = lossById(entry.loss);
        const settings = { ...common, seed: turn };
        const job = { kind: "train", contender: entry.who, workload, loss, settings, want: { score: turn === 0 } };
        const { accuracy, ...run } = await runPeer(job, LIMIT_SECONDS, log);
        if (accuracy) entry.accuracy = accuracy;
        if (run.status === "failed") entry.note = "failed";
        else entry.runs.push(run);
        if (run.status === "over-budget") entry.tooSlow = true;
      }
    }
    result.cells.push({ workload: name, ...facts, entries });
    await save(result);
  }
  return result;
}
