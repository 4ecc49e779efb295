/**
 * How seconds and memory grow with n, d and m, each over two decades, the other two fixed: fits to the usual tolerance on clouds
 * that are about as hard at every size. Memory is the peak of the process less that of one that only loads the data.
 */
import { inFreshProcess } from "../lib/inFreshProcess.mjs";
import { common, lossById } from "../losses.mjs";
import { clouds } from "../workloads/catalogue.mjs";

const axes = {
  n: { fixed: { d: 64, m: 50 }, from: 1000, to: 100000 },
  d: { fixed: { n: 4000, m: 50 }, from: 32, to: 3200 },
  m: { fixed: { n: 10000, d: 64 }, from: 10, to: 1000 },
};
const compared = ["smooth-hinge", "softmax"];

export async function growth({ quick, repeats, log }) {
  const plan = quick ? { steps: 2, share: 0.1 } : { steps: 8, share: 1 };
  const result = { repeats, settings: common, axes: {} };
  for (const [axis, { fixed, from, to }] of Object.entries(axes)) {
    const points = [];
    for (const value of geometric(from, to * plan.share, plan.steps)) {
      log(`growth: ${axis} = ${value}`);
      points.push(await measure({ ...fixed, [axis]: value }, repeats));
    }
    result.axes[axis] = { fixed, points };
  }
  return result;
}

async function measure(size, repeats) {
  const workload = clouds(size);
  await inFreshProcess({ kind: "prepare", workload });
  const loaded = await inFreshProcess({ kind: "load", workload });
  const fits = Object.fromEntries(compared.map((id) => [id, []]));
  for (let seed = 0; seed < repeats; seed++) {
    for (const id of compared) {
      const settings = { ...common, seed };
      const run = await inFreshProcess({ kind: "train", contender: "ours", workload, loss: lossById(id), settings });
      const { status, seconds, cpuSeconds, epochs, peakBytes } = run;
      fits[id].push({ status, seconds, cpuSeconds, epochs, peakBytes });
    }
  }
  return { ...size, inputBytes: loaded.inputBytes, loadedBytes: loaded.peakBytes, fits };
}

/** Steps + 1 integers from `from` to `to`, evenly spaced in the logarithm. */
function geometric(from, to, steps) {
  return Array.from({ length: steps + 1 }, (_, i) => Math.round(from * (to / from) ** (i / steps)));
}
