/** How long fits keep a page from doing anything else, as a table; pure functions of bench/results/longTasks.json. */
import { figures } from "./format.mjs";

const names = { letter: "letter", clouds: "20000 x 512, 100 classes", manyClasses: "60000 x 64, 300 classes" };

export function tasksTable({ figures: measured, longMilliseconds }) {
  const rows = Object.entries(measured).flatMap(([workload, cases]) =>
    Object.entries(cases).map(([name, { seconds, tasks, long, longInCpu, reported, longest }]) => [
      ...[names[workload] ?? workload, name, figures(seconds), String(tasks), String(long), String(longInCpu)],
      ...[String(reported.length), long > 0 ? figures(longest.milliseconds) : "-"],
    ]),
  );
  const long = [`of ${longMilliseconds} ms and more`, "of so much CPU time", "of 50 ms and more"];
  return [["data", "fit", "seconds", "tasks", ...long, "longest, ms"], ...rows];
}

/** The longest of all, in a sentence; where none took a frame there is no figure of it. */
export function longestTaskInWords({ figures: measured, longMilliseconds, command }) {
  const long = Object.values(measured)
    .flatMap((cases) => Object.values(cases))
    .filter((one) => one.long > 0)
    .map(({ longest }) => longest);
  const most = (what) => Math.round(Math.max(...long.map((task) => task[what])));
  const took =
    long.length > 0
      ? `took ${most("milliseconds")} ms by the clock, the longest by processor time ${most("cpuMilliseconds")} ms`
      : `took less than ${longMilliseconds} ms`;
  return `The longest task of the fits that \`${command}\` traces in Chromium ${took}.`;
}

export const tasksInWords = ({ browser, longMilliseconds }) =>
  `One run of each, on the main thread of Chromium ${browser}. Tasks of ${longMilliseconds} ms and more, a frame, are counted by the clock ` +
  "and by processor time: on a machine with other work a task may have waited. Those of 50 ms and more are what browsers report as long; " +
  "a longest one is given where it took a frame.";
