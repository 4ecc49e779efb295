/**
 * Frank-Wolfe in its three directions and coordinate ascent on the weighted top-k hinge loss, smoothed more and more: the relative
 * duality gap at every evaluation, against epochs and seconds, as in the figures of Hirohashi and Kato (2020), section 7.
 */
import { inFreshProcess } from "../lib/inFreshProcess.mjs";
import { common } from "../losses.mjs";
import { workloads } from "../workloads/catalogue.mjs";
import { thin } from "./convergence.mjs";

const gammas = [0, 1e-3, 1e-2, 1e-1];
const solvers = {
  sdca: {},
  standard: { solver: "frank-wolfe", direction: "standard" },
  away: { solver: "frank-wolfe", direction: "away" },
  pairwise: { solver: "frank-wolfe", direction: "pairwise" },
};
const LOSS = { loss: "weighted-topk-hinge", rankWeights: "linear", k: 5 };

export async function frankWolfe({ quick, log }) {
  const settings = { ...common, C: 1e-3, tolerance: 1e-4, maxEpochs: 100_000, maxSeconds: quick ? 1 : 5 };
  const workload = workloads.letter;
  await inFreshProcess({ kind: "prepare", workload });
  const panels = [];
  for (const gamma of gammas) {
    const curves = {};
    for (const [who, options] of Object.entries(solvers)) {
      log(`frank-wolfe: gamma ${gamma}, ${who}`);
      const loss = { id: "weighted", options: { ...LOSS, gamma, ...options } };
      const { history } = await inFreshProcess({
        ...{ kind: "train", contender: "ours", workload, loss, settings, want: { history: true } },
      });
      curves[who] = thin(history).map(({ seconds, epoch, relativeGap }) => ({ seconds, epoch, gap: relativeGap }));
    }
    panels.push({ gamma, curves });
  }
  return { settings, workload: "letter", loss: LOSS, panels };
}
