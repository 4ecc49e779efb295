/** How seconds and memory grow, as points, fitted exponents and a table; pure functions of bench/results/growth.json. */
import { fitPower, median, upperPower } from "../lib/statistics.mjs";
import { lossById } from "../losses.mjs";
import { figures } from "./format.mjs";

const measures = {
  seconds: (point, runs) => median(runs.map((run) => run.seconds)),
  // A page more or less than the process that only loads is no measurement.
  bytes: (point, runs) => Math.max(median(runs.map((run) => run.peakBytes)) - point.loadedBytes, 4096),
};

/** [{ axis, loss, measure, points: [{ x, y, inputBytes }] }], one for each line of the plot. */
export function growthLines({ axes }) {
  return Object.entries(axes).flatMap(([axis, { points }]) =>
    Object.keys(points[0].fits).flatMap((loss) =>
      Object.entries(measures).map(([measure, of]) => ({
        ...{ axis, loss, measure },
        points: points.map((point) => ({
          x: point[axis],
          y: of(point, point.fits[loss]),
          inputBytes: point.inputBytes,
        })),
      })),
    ),
  );
}

/** "n = 1000 ... 100000, d = 64, m = 50" */
function describeAxis({ axes }, axis) {
  const { fixed, points } = axes[axis];
  const others = Object.entries(fixed).map(([name, value]) => `${name} = ${value}`);
  return `${axis} = ${points[0][axis]} ... ${points.at(-1)[axis]}, ${others.join(", ")}`;
}

/** The same without the range, which an axis shows. */
export const describeFixed = ({ axes }, axis) =>
  Object.entries(axes[axis].fixed)
    .map(([name, value]) => `${name} = ${value}`)
    .join(", ");

export function growthTable(growth) {
  const lines = growthLines(growth);
  const rows = lines
    .filter(({ measure }) => measure === "seconds")
    .map(({ axis, loss, points }) => {
      const memory = lines.find((line) => line.axis === axis && line.loss === loss && line.measure === "bytes").points;
      const largest = memory.at(-1);
      return [
        describeAxis(growth, axis),
        lossById(loss).name,
        fitPower(points).exponent.toFixed(2),
        upperPower(points)?.exponent.toFixed(2) ?? "-",
        figures(points.at(-1).y),
        fitPower(memory).exponent.toFixed(2),
        figures(largest.y / 1e6),
        figures(largest.y / largest.inputBytes, 2),
      ];
    });
  const ofTime = ["time grows as", "upper half", "s at the end"];
  return [["along", "loss", ...ofTime, "memory as", "MB at the end", "per byte of input"], ...rows];
}
