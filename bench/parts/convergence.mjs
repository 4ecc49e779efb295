/**
 * The gap against time: the relative duality gap at every evaluation of ours and of the baseline; for liblinear and L-BFGS, which
 * certify nothing, how far the objective is above the best dual value known, one point for each of their settings: the median of
 * several runs, the shortest of which take a few milliseconds.
 */
import { contenders } from "../contenders/index.mjs";
import { inFreshProcess } from "../lib/inFreshProcess.mjs";
import { describeMissing, probePeers, runPeer } from "../lib/peers.mjs";
import { median } from "../lib/statistics.mjs";
import { common, lossById } from "../losses.mjs";
import { workloads } from "../workloads/catalogue.mjs";

const compared = ["hinge", "smooth-hinge", "softmax"];
const TOLERANCE = 1e-6;
/** Points per curve: more cannot be told apart in the plot. */
const POINTS = 50;

export async function convergence({ quick, repeats, log, save }) {
  const plan = quick
    ? { names: ["letter"], seconds: 1, everyRung: 8 }
    : { names: ["letter", "indoor"], seconds: 20, everyRung: 1 };
  const peers = await probePeers(["liblinear", "lbfgs"]);
  describeMissing(peers).forEach(log);
  const result = {
    repeats,
    settings: { ...common, tolerance: TOLERANCE, maxSeconds: plan.seconds },
    peers,
    panels: [],
  };
  for (const name of plan.names) {
    await inFreshProcess({ kind: "prepare", workload: workloads[name] });
    for (const id of compared) {
      log(`convergence: ${name}, ${id}`);
      result.panels.push({
        workload: name,
        loss: id,
        ...(await measure(workloads[name], lossById(id), plan, result, log)),
      });
      await save(result);
    }
  }
  return result;
}

async function measure(workload, loss, { everyRung }, { repeats, settings, peers }, log) {
  const job = { kind: "train", workload, loss };
  const curves = {};
  let dualObjective = -Infinity;
  for (const who of ["ours", "baseline"]) {
    const run = await inFreshProcess({ ...job, contender: who, settings, want: { history: true } });
    curves[who] = thin(run.history).map(({ seconds, epoch, relativeGap }) => ({ seconds, epoch, gap: relativeGap }));
    dualObjective = Math.max(dualObjective, ...run.history.map((record) => record.dualObjective));
  }
  for (const who of Object.keys(peers)) {
    if (peers[who].missing || !contenders[who].solves(loss)) continue;
    curves[who] = [];
    for (const rung of contenders[who].ladder.filter((_, i) => i % everyRung === 0)) {
      const request = { ...job, contender: who, settings: { ...settings, ...rung }, want: { score: true } };
      const { status, seconds: first, primal } = await runPeer(request, 3 * settings.maxSeconds, log);
      if (status !== "stopped" || first > settings.maxSeconds) break;
      const seconds = [first];
      while (seconds.length < repeats) {
        const again = await runPeer({ ...request, want: {} }, 3 * settings.maxSeconds, log);
        if (again.status !== "stopped") break;
        seconds.push(again.seconds);
      }
      curves[who].push({ seconds: median(seconds), ...rung, gap: (primal - dualObjective) / primal });
      if (curves[who].at(-1).gap < 1e-5) break;
    }
  }
  return { dualObjective, curves };
}

/** About as many as asked for, evenly spread over the logarithm of time; the first and the last are kept. */
export function thin(history, count = POINTS) {
  if (history.length <= count) return history;
  const first = Math.log(history[0].seconds);
  const step = (Math.log(history.at(-1).seconds) - first) / (count - 1);
  const kept = [];
  for (const record of history.slice(0, -1)) {
    if (Math.log(record.seconds) >= first + kept.length * step - 1e-9) kept.push(record);
  }
  return [...kept, history.at(-1)];
}
