/**
 * Ours against the others: for every workload and loss the seconds to a relative gap (ours, the baseline) or to a primal
 * objective (liblinear, L-BFGS) within the tolerance of the optimum, test accuracy and peak memory.
 *
 * A peer that stops by its own rule is first run from loose to tight settings until its objective, recomputed from its weights,
 * is within the tolerance of our dual value, which bounds the optimum from below; that setting is then timed. Contenders take
 * turns, in reversed order every other turn; turn r has seed r. A process of ours fits once more when it is done, which is timed,
 * too: what the first fit takes longer is mostly the engine's compilers.
 */
import { findSetting } from "../contenders/findSetting.mjs";
import { contenders } from "../contenders/index.mjs";
import { describeWorkload } from "../lib/describeWorkload.mjs";
import { inFreshProcess } from "../lib/inFreshProcess.mjs";
import { describeMissing, probePeers, runPeer } from "../lib/peers.mjs";
import { common as usual, lossById, losses } from "../losses.mjs";
import { workloads } from "../workloads/catalogue.mjs";

const ids = losses.map(({ id }) => id);
/**
 * Which losses on which workloads, which of them with liblinear and L-BFGS too, and how many of their settings are tried
 * (every one, every sixth); where all but ours run once; and seconds: for the fit that bounds the optimum, for a peer, the least
 * and the most for the baseline.
 */
const fullPlan = {
  everyRung: 1,
  losses: Object.fromEntries(Object.keys(workloads).map((name) => [name, ids])),
  // On wide liblinear had found no setting after five minutes; L-BFGS takes 35 s for 5 steps, and minutes to find that these are enough.
  native: ["letter", "caltech", "indoor", "aloi"],
  // A pass over wide would take it a minute.
  plain: ["letter", "caltech", "indoor", "aloi"],
  once: ["aloi"], // the others take up to minutes for a fit there: one run of theirs has to do
  ...{ referenceSeconds: 40, peerSeconds: 240, baselineSeconds: [10, 90] },
};
const quickPlan = {
  everyRung: 6,
  losses: {
    letter: ["hinge", "smooth-hinge", "smooth-top5", "softmax", "top5-entropy"],
    caltech: ["smooth-hinge", "softmax"],
  },
  native: ["letter"],
  plain: ["letter", "caltech"],
  once: [],
  ...{ referenceSeconds: 3, peerSeconds: 20, baselineSeconds: [2, 3] },
};

/**
 * @param {string[]} [names] of the workloads to compare on, and
 * @param {string[]} [chosen] the losses to compare; what `previous`, figures of an earlier run, says of others is kept
 */
export async function compare({ quick, repeats, log, save, names, ids: chosen, previous }) {
  const plan = { repeats, ...(quick ? quickPlan : fullPlan) };
  names ??= Object.keys(plan.losses);
  const peers = await probePeers(["liblinear", "lbfgs"]);
  describeMissing(peers).forEach(log);

  const result = { repeats: plan.repeats, settings: usual, peers, workloads: {}, cells: [] };
  for (const [name, compared] of Object.entries(plan.losses)) {
    const workload = workloads[name];
    const now = names.includes(name) ? compared.filter((id) => chosen?.includes(id) ?? true) : [];
    if (now.length > 0) {
      log(`${name}: data`);
      result.workloads[name] = await describeWorkload(workload);
    } else if (previous?.workloads[name]) {
      result.workloads[name] = previous.workloads[name];
    }
    for (const id of compared) {
      if (now.includes(id)) {
        const cell = await compareCell({ name, workload, loss: lossById(id), plan, peers, log });
        result.cells.push(cell);
        await save(result);
      } else {
        const kept = previous?.cells.filter((cell) => cell.workload === name && cell.loss === id) ?? [];
        result.cells.push(...kept.map((cell) => ({ ...cell, keptFrom: cell.keptFrom ?? previous.machine })));
      }
    }
  }
  return result;
}

/**
 * `plan` as above; the baseline, which knows dense rows only, takes part on the workloads that `plan.plain` lists. `common`: the settings
 * that all share.
 */
export async function compareCell({ name, workload, loss, plan, peers, log, common = usual }) {
  const { C, tolerance } = common;
  const job = { kind: "train", workload, loss };
  const progress = (text) => log(`${name}, ${loss.name}: ${text}`);
  const native = (plan.native.includes(name) ? ["liblinear", "lbfgs"] : []).filter(
    (who) => peers[who] && !peers[who].missing && contenders[who].solves(loss),
  );
  let dualObjective = -Infinity;
  const entries = { ours: { settings: common, runs: [] } };
  if (plan.plain?.includes(name) && contenders.baseline.solves(loss)) entries.baseline = { settings: common, runs: [] };

  if (native.length > 0) {
    progress("the optimum");
    const settings = { ...common, tolerance: tolerance / 10, maxSeconds: plan.referenceSeconds, maxEpochs: 1e6 };
    ({ dualObjective } = await inFreshProcess({ ...job, contender: "ours", settings }));
  }
  for (const who of native) {
    progress(`a setting for ${contenders[who].name}`);
    const ladder = contenders[who].ladder.filter((_, i) => i % plan.everyRung === 0);
    const found = await findSetting(ladder, dualObjective / (1 - tolerance), (rung) =>
      runPeer({ ...job, contender: who, settings: { C, ...rung }, want: { score: true } }, plan.peerSeconds, log),
    );
    entries[who] = { ...found, settings: { C, ...found.settings }, runs: [] };
  }

  for (let turn = 0; turn < plan.repeats; turn++) {
    const order = Object.keys(entries);
    if (turn % 2 === 1) order.reverse(); // ours goes first in the first turn: the baseline's budget follows from it
    for (const who of order) {
      const entry = entries[who];
      if (entry.note || entry.tooSlow || (turn > 0 && who !== "ours" && plan.once.includes(name))) continue;
      progress(`turn ${turn + 1} of ${plan.repeats}, ${contenders[who].name}`);
      const settings = { ...entry.settings };
      let limit = 2 * plan.peerSeconds;
      if (who === "ours" || who === "baseline") settings.seed = turn;
      if (who === "baseline") {
        // Twelve times ours: enough to say "ten times as long".
        const [least, most] = plan.baselineSeconds;
        settings.maxSeconds = Math.min(Math.max(12 * entries.ours.runs.at(-1).seconds, least), most);
        limit = 3 * settings.maxSeconds + 60;
      }
      const request = { ...job, contender: who, settings, want: { score: turn === 0, warm: who === "ours" } };
      const run = await (native.includes(who) ? runPeer(request, limit, log) : inFreshProcess(request, limit));
      const { primal, accuracy, ...figures } = run;
      if (run.status === "failed") entry.note = "failed";
      else entry.runs.push(figures);
      if (accuracy) Object.assign(entry, { accuracy, primal });
      if (run.status === "over-budget" || run.status === "max-seconds") entry.tooSlow = true;
      dualObjective = Math.max(dualObjective, run.dualObjective ?? -Infinity);
    }
  }
  checkAgreement(`${name}, ${loss.name}`, entries, dualObjective);
  return { workload: name, loss: loss.id, dualObjective, entries };
}

/** The optimum lies between every D and every P: certificates that contradict each other would make the times worthless. */
function checkAgreement(where, entries, dualObjective) {
  const primals = Object.values(entries).flatMap(({ runs, primal }) => [
    primal,
    ...runs.map((run) => run.primalObjective),
  ]);
  const atMost = Math.min(...primals.filter((value) => value !== undefined));
  if (dualObjective > atMost * (1 + 1e-6)) {
    throw new Error(`bench: on ${where} a dual value exceeds a primal one: ${dualObjective} > ${atMost}`);
  }
}
