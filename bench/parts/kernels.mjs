/**
 * Two classes that overlap, with an rbf kernel and a C that grows: hinge, ours against libsvm at the loosest of its tolerances that
 * takes its own relative duality gap to ours. It penalises no bias, so that the problems differ a little.
 */
import { findSetting } from "../contenders/findSetting.mjs";
import { contenders } from "../contenders/index.mjs";
import { inFreshProcess } from "../lib/inFreshProcess.mjs";
import { describeMissing, probePeers, runPeer } from "../lib/peers.mjs";
import { lossById } from "../losses.mjs";
import { kernelTables } from "../workloads/catalogue.mjs";

const LIMIT_SECONDS = 120;
const settings = { tolerance: 1e-3 };

export async function kernels({ repeats, log, save }) {
  const peers = await probePeers(["svc"]);
  describeMissing(peers).forEach(log);
  const result = { repeats, settings, peers, cells: [] };
  for (const { C, gamma, ...workload } of kernelTables) {
    await inFreshProcess({ kind: "prepare", workload });
    const cell = { n: workload.numTrain, d: workload.d, C, gamma, loss: "hinge", entries: { ours: { runs: [] } } };
    const job = (contender, more) => ({
      ...{ kind: "train", contender, workload, loss: lossById("hinge") },
      settings: { ...settings, C, kernel: { name: "rbf", gamma }, ...more },
    });
    const name = `kernels, ${cell.n} x ${cell.d}, C = ${C}`;
    if (!peers.svc.missing) {
      log(`${name}: the setting of libsvm`);
      const gapOf = async (setting) => {
        const { status, relativeGap } = await runPeer(job("svc", setting), LIMIT_SECONDS, log);
        return { status, primal: relativeGap };
      };
      const { settings: found, note } = await findSetting(contenders.svc.ladder, settings.tolerance, gapOf);
      cell.entries.svc = { runs: [], ...found, note };
    }
    for (let seed = 0; seed < repeats; seed++) {
      log(`${name}: turn ${seed + 1} of ${repeats}`);
      cell.entries.ours.runs.push(await inFreshProcess(job("ours", { seed })));
      const { svc } = cell.entries;
      if (svc?.tol) svc.runs.push(await runPeer(job("svc", { tol: svc.tol }), LIMIT_SECONDS, log));
    }
    result.cells.push(cell);
    await save(result);
  }
  return result;
}
