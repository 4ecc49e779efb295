/** Kernels and proximal maps as a table; pure functions of bench/results/micro.json. */
import { figures, powerOfTen, ratio } from "./format.mjs";

const ways = ["kernel", "prox", "baseline"];

/** Maps down, dimensions across: microseconds of the kernel / through prox / in plain JavaScript. */
export function microTable({ rows }) {
  const dimensions = [...new Set(rows.map(({ n }) => n))];
  const names = [...new Set(rows.map(({ name }) => name))];
  const show = (row) => (row ? ways.map((way) => (row[way] ? figures(row[way].median) : "-")).join(" / ") : "");
  return [
    ["map", ...dimensions.map(powerOfTen)],
    ...names.map((name) => [
      name,
      ...dimensions.map((n) => show(rows.find((row) => row.name === name && row.n === n))),
    ]),
  ];
}

/** Microseconds of a kernel that were set as goals before the work began, at 1e3 and 1e6 entries. */
const goals = [
  [/^knapsack/, [3, 3000]],
  [/^top-k simplex, k = (1|5|10)(,|$)/, [4, 4000]],
  [/^bipartite simplex/, [2.97, 2893]],
  [/^entropic simplex$/, [4, 4000]],
  [/^softmax step/, [15, 15000]],
  [/^V\(t\)/, [6, 6000]],
];
const goalDimensions = [1e3, 1e6];
/** At 1e6, the top-k simplex with many guesses by the one with ten. */
const MANY = { name: "top-k simplex, k = 1000", by: "top-k simplex, k = 10", most: 3 };

/**
 * Of each map with a goal: goal, what the kernel reached and whether that is met, as measured, the machine being another; and what
 * the public function takes, which has no goal.
 */
export function microGoalsTable({ rows }) {
  const verdict = (value, goal) => (value <= goal ? "met" : "missed");
  const table = [["map", "entries", "goal", "kernel", "", "public function"]];
  for (const { name, n, kernel, prox } of rows) {
    const goal = goals.find(([pattern]) => pattern.test(name))?.[1][goalDimensions.indexOf(n)];
    if (!goal || !kernel) continue;
    const reached = kernel.median;
    const outside = prox ? `${figures(prox.median)} µs` : "-";
    table.push([name, powerOfTen(n), `${goal} µs`, `${figures(reached)} µs`, verdict(reached, goal), outside]);
  }
  const [many, few] = [MANY.name, MANY.by].map((name) => rows.find((row) => row.name === name && row.n === 1e6));
  if (many?.kernel && few?.kernel) {
    const times = many.kernel.median / few.kernel.median;
    const outside = many.prox && few.prox ? ratio(many.prox.median / few.prox.median) : "-";
    const label = `${MANY.name}, by k = 10`;
    table.push([label, "1e6", ratio(MANY.most), ratio(times), verdict(times, MANY.most), outside]);
  }
  return table;
}

/** In words: the maps whose kernel, and those whose public function is slower than plain JavaScript. */
export function microLosses({ rows }) {
  const lost = (way) =>
    rows
      .filter((row) => row.baseline && row[way] && row.baseline.median < row[way].median)
      .map((row) => `${row.name}, n = ${powerOfTen(row.n)} (${ratio(row.baseline.median / row[way].median)})`);
  const say = (heading, list) =>
    list.length > 0 ? `${heading} slower than plain JavaScript: ${list.join("; ")}.` : "";
  const [kernels, outside] = [say("Kernels", lost("kernel")), say("Public functions", lost("prox"))];
  return [kernels, outside].filter((text) => text).join(" ");
}

/** [{ name, n, way, microseconds }] for the plot. */
export const microPoints = ({ rows }) =>
  rows.flatMap(({ name, n, ...row }) =>
    ways.filter((way) => row[way]).map((way) => ({ name, n, way, microseconds: row[way].median })),
  );
