/**
 * Sparse rows and label sets:
 *
 *   sections   Debian packages by section against liblinear, measured as in the comparison
 *   tags       time per epoch of the losses of label sets by that of the hinge loss, one tag of each package as its class: the
 *              same rows, as many classes. A fixed number of epochs; an epoch is n example updates, as `HistoryRecord.visits`.
 *              And fits to the tolerance
 *   layouts    steps, evaluations and fits with features dense, dense skipping zeros and sparse, against the share of nonzeros
 */
import { readThresholds } from "../layouts/bundle.mjs";
import { describeWorkload } from "../lib/describeWorkload.mjs";
import { inFreshProcess } from "../lib/inFreshProcess.mjs";
import { describeMissing, probePeers } from "../lib/peers.mjs";
import { common, lossById, setLosses } from "../losses.mjs";
import { packagesWorkload } from "../workloads/packages.mjs";
import { compareCell } from "./compare.mjs";

const fullPlan = {
  ...{ every: 1, everyRung: 1, referenceSeconds: 60, peerSeconds: 120, maxEpochs: 10 },
  densities: [0.01, 0.03, 0.1, 0.25, 0.5, 0.75],
  size: { n: 2000, d: 2048, m: 100 },
};
const quickPlan = {
  ...{ every: 20, everyRung: 3, referenceSeconds: 2, peerSeconds: 10, maxEpochs: 5 },
  densities: [0.01, 0.1],
  size: { n: 200, d: 256, m: 20 },
};

export async function sparse({ quick, repeats, log, save }) {
  const plan = { repeats, native: ["sections"], once: [], ...(quick ? quickPlan : fullPlan) };
  const peers = await probePeers(["liblinear"]);
  describeMissing(peers).forEach(log);
  const result = { repeats, settings: common, peers, workloads: {}, cells: [] };

  const workload = packagesWorkload("sections", plan.every);
  log("sections: data");
  result.workloads.sections = { ...(await describeWorkload(workload)), nonzeros: workload.nonzeros };
  for (const loss of ["hinge", "ova-hinge", "softmax", "top5"].map(lossById)) {
    result.cells.push(await compareCell({ name: "sections", workload, loss, plan, peers, log }));
    await save(result);
  }
  result.tags = await measureTags(plan, log);
  await save(result);
  result.layouts = { ...plan.size, thresholds: await readThresholds(), points: [] };
  for (const density of plan.densities) {
    log(`layouts: ${100 * density} % nonzeros`);
    const point = await inFreshProcess({ kind: "layouts", ...plan.size, density, repeats });
    result.layouts.points.push({ density, ...point });
    await save(result);
  }
  return result;
}

/** What is timed: the yardstick first, the same rows with fewer classes, the label sets. */
const compared = [
  { task: "one-tag", losses: ["hinge", "softmax"] },
  { task: "tagged-sections", losses: ["hinge"] },
  { task: "tags", losses: setLosses.map(({ id }) => id) },
];

async function measureTags({ every, maxEpochs, repeats }, log) {
  const rows = [];
  const workloads = {};
  for (const { task, losses } of compared) {
    workloads[task] = packagesWorkload(task, every);
    await inFreshProcess({ kind: "prepare", workload: workloads[task] });
    for (const loss of losses) rows.push({ task, loss, runs: [], fits: [] });
  }
  for (let seed = 0; seed < repeats; seed++) {
    for (const { task, loss, runs, fits } of rows) {
      log(`tags: turn ${seed + 1} of ${repeats}, ${task}, ${loss}`);
      const workload = workloads[task];
      const classes = Array.from({ length: workload.m }, (_, j) => j); // also those that were not drawn
      const settings = { ...common, classes, seed };
      const job = { workload, loss: lossById(loss) };
      runs.push(await inFreshProcess({ kind: "epochs", ...job, settings: { ...settings, tolerance: 0, maxEpochs } }));
      fits.push(await inFreshProcess({ kind: "train", contender: "ours", ...job, settings }));
    }
  }
  const facts = Object.entries(workloads).map(([task, { numTrain: n, d, m, nonzeros, made }]) => [
    task,
    { n, d, m, nonzeros, made },
  ]);
  return { maxEpochs, workloads: Object.fromEntries(facts), rows };
}
