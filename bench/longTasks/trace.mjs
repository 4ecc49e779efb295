/** The tasks of a page's main thread out of a Chromium trace, and which functions the long ones were in. */

export const categories = [
  "disabled-by-default-devtools.timeline",
  "blink.user_timing",
  "disabled-by-default-v8.cpu_profiler",
];

/**
 * What the main thread did between the marks "begin" and "end": the number of tasks, and those of at least `atLeast` milliseconds by
 * the clock, ordered by processor time, which on a busy machine is the smaller figure. `inside`: milliseconds in which each
 * function was running or waiting for what it had called, where they are a tenth of the task.
 */
export function readTasks(trace, atLeast) {
  const { traceEvents } = JSON.parse(trace);
  const mark = (name) => traceEvents.find((event) => event.cat === "blink.user_timing" && event.name === name);
  const [begin, end] = [mark("begin"), mark("end")];
  const tasks = traceEvents.filter(
    ({ name, pid, tid, ts, dur }) =>
      name === "RunTask" && pid === begin.pid && tid === begin.tid && ts + dur > begin.ts && ts < end.ts,
  );
  const samples = readSamples(traceEvents, begin);
  const long = tasks
    .filter(({ dur }) => dur >= 1000 * atLeast)
    .map(({ ts, dur, tdur }) => ({
      milliseconds: dur / 1000,
      cpuMilliseconds: tdur / 1000,
      inside: functionsBetween(samples, ts, ts + dur),
    }));
  return { count: tasks.length, long: long.sort((a, b) => b.cpuMilliseconds - a.cpuMilliseconds) };
}

/** Samples { ts, names } of the thread of an event; a worker has a profile of its own. */
function readSamples(events, { pid, tid }) {
  const profile = events.find((event) => event.name === "Profile" && event.pid === pid && event.tid === tid);
  const chunks = events.filter(
    (event) => event.name === "ProfileChunk" && event.pid === pid && event.id === profile.id,
  );
  const nodes = new Map();
  const samples = [];
  let ts = profile.args.data.startTime;
  for (const { args } of chunks.sort((a, b) => a.ts - b.ts)) {
    const { cpuProfile = {}, timeDeltas = [] } = args.data;
    for (const node of cpuProfile.nodes ?? []) nodes.set(node.id, node);
    (cpuProfile.samples ?? []).forEach((id, s) => {
      ts += timeDeltas[s];
      samples.push({ ts, names: pathTo(nodes, id) });
    });
  }
  return samples;
}

function pathTo(nodes, id) {
  const names = new Set();
  for (let node = nodes.get(id); node; node = nodes.get(node.parent)) names.add(node.callFrame.functionName);
  return names;
}

/** Without names, or of names that say nothing: those in WebAssembly were called by a function that has one. */
const NAMELESS = /^$|^\((root|program|idle)\)$|^wasm-function|^js-to-wasm/;

function functionsBetween(samples, from, to) {
  const inside = {};
  let last = from;
  for (const { ts, names } of samples) {
    if (ts <= from || ts > to) continue;
    for (const name of names) if (!NAMELESS.test(name)) inside[name] = (inside[name] ?? 0) + (ts - last) / 1000;
    last = ts;
  }
  const entries = Object.entries(inside).filter(([, milliseconds]) => milliseconds > (to - from) / 10_000);
  return Object.fromEntries(entries.sort((a, b) => b[1] - a[1]));
}
