/** Kernels and proximal maps as a table; pure functions of bench/results/micro.json. */
import { figures, ratio } from "./format.mjs";

const ways = ["prox", "kernel", "baseline"];

/** Maps down, dimensions across: microseconds of the kernel / through prox / in plain JavaScript. */
export function microTable({ rows }) {
  const dimensions = [...new Set(rows.map(({ n }) => n))];
  const names = [...new Set(rows.map(({ name }) => name))];
  const show = (row) =>
    row ? ["kernel", "prox", "baseline"].map((way) => (row[way] ? figures(row[way].median) : "-")).join(" / ") : "";
  return [
    ["map", ...dimensions.map((n) => n.toExponential(0).replace("e+", "e"))],
    ...names.map((name) => [
      name,
      ...dimensions.map((n) => show(rows.find((row) => row.name === name && row.n === n))),
    ]),
  ];
}

/** In words: the maps whose kernel is slower than plain JavaScript. */
export function microLosses({ rows }) {
  const lost = rows
    .filter(({ kernel, baseline }) => baseline && baseline.median < kernel.median)
    .map(({ name, n, kernel, baseline }) => `${name}, n = ${n} (${ratio(baseline.median / kernel.median)})`);
  return lost.length > 0 ? `Kernels slower than plain JavaScript: ${lost.join("; ")}.` : "";
}

/** [{ name, n, way, microseconds }] for the plot. */
export const microPoints = ({ rows }) =>
  rows.flatMap(({ name, n, ...row }) =>
    ways.filter((way) => row[way]).map((way) => ({ name, n, way, microseconds: row[way].median })),
  );
