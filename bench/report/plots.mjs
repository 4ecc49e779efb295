/** The plots: pure functions from figures to the text of an SVG file. */
import * as Plot from "@observablehq/plot";
import { upperPower } from "../lib/statistics.mjs";
import { common as usual, lossById } from "../losses.mjs";
import { powerOfTen as power } from "./format.mjs";
import { describeFixed, growthLines } from "./growthTables.mjs";
import { toleranceOf } from "./legends.mjs";
import { microPoints } from "./microTables.mjs";
import { colours, drawFigure } from "./svg.mjs";

const WIDTH = 900;
/** Powers of ten, and where they are few numbers in between. */
const decades = (from, to) => {
  const factors = to / from < 40 ? [1, 2, 5] : to / from < 300 ? [1, 3] : [1];
  const list = [];
  for (let e = Math.floor(Math.log10(from)); e <= Math.log10(to); e++) {
    for (const factor of factors) list.push(Number((factor * 10 ** e).toPrecision(12)));
  }
  return list.filter((tick) => tick >= from * (1 - 1e-9) && tick <= to * (1 + 1e-9));
};
const plain = (v) => String(Number(v.toPrecision(6)));
const extent = (values) => [Math.min(...values), Math.max(...values)];

/** A logarithmic axis. */
const logAxis = (domain, label, tickFormat = plain) => ({
  ...{ type: "log", domain, label, ticks: decades(...domain), tickFormat, labelAnchor: "center", labelArrow: "none" },
});

const common = { marginLeft: 58, marginRight: 14, marginTop: 8, marginBottom: 42 };
const gridOf = (x, y) => [
  Plot.gridX({ ticks: x.ticks, strokeOpacity: 0.14 }),
  Plot.gridY({ ticks: y.ticks, strokeOpacity: 0.14 }),
  Plot.frame({ strokeOpacity: 0.35 }),
];

const whoHas = {
  ours: { label: "topk-sdca (duality gap)", colour: colours.blue },
  baseline: { label: "plain SDCA (duality gap)", colour: colours.orange },
  liblinear: { label: "liblinear (above optimum)", colour: colours.green, dots: true },
  lbfgs: { label: "L-BFGS (above optimum)", colour: colours.violet, dots: true },
};

/** Of independent runs, those that no quicker one betters: what a program can be told to do with so much time. */
export function bestByTime(points) {
  const sorted = [...points].sort((a, b) => a.seconds - b.seconds || a.gap - b.gap);
  let best = Infinity;
  return sorted.filter(({ gap }) => gap < best && ((best = gap), true));
}

/** Gap against seconds: losses across, workloads down. */
export function convergencePlot({ panels: measured, settings }) {
  // Reading of files taken off, a very short run of a native program may have taken no time at all.
  const panels = measured.map(({ curves, ...panel }) => ({
    ...panel,
    curves: Object.fromEntries(
      Object.entries(curves).map(([who, points]) => [who, points.filter(({ seconds }) => seconds > 0)]),
    ),
  }));
  const floor = settings.tolerance;
  const present = Object.keys(whoHas).filter((who) => panels.some(({ curves }) => curves[who]?.length > 0));
  const seconds = panels.flatMap(({ curves }) => Object.values(curves).flat()).map((point) => point.seconds);
  const y = logAxis([floor, 1], "relative gap", power);
  const names = [...new Set(panels.map(({ workload }) => workload))];
  const rows = names.map((name) => {
    const inRow = panels.filter(({ workload }) => workload === name);
    const [, to] = extent(inRow.flatMap(({ curves }) => Object.values(curves).flat()).map((point) => point.seconds));
    const [from] = extent(seconds);
    const x = logAxis([from * 0.9, to * 1.1], "seconds");
    return inRow.map(({ loss, curves }) => ({
      ...{ ...common, heading: `${name}, ${lossById(loss).name}`, width: WIDTH / inRow.length, height: 230, x, y },
      marks: [
        ...gridOf(x, y),
        Plot.ruleY([usual.tolerance], { stroke: "currentColor", strokeDasharray: "4 3", strokeOpacity: 0.6 }),
        ...present.flatMap((who) => {
          const points = (curves[who] ?? []).map((point) => ({
            ...point,
            gap: Math.min(Math.max(point.gap, floor), 1),
          }));
          const { colour, dots } = whoHas[who];
          const line = { x: "seconds", y: "gap", stroke: colour };
          if (!dots) return [Plot.line(points, { ...line, strokeWidth: 2 })];
          return [
            Plot.line(bestByTime(points), { ...line, strokeWidth: 1, strokeDasharray: "2 3" }),
            Plot.dot(points, { x: "seconds", y: "gap", fill: colour, r: 3.2 }),
          ];
        }),
      ],
    }));
  });
  return drawFigure({
    title: "Relative gap against seconds (dashed: the default tolerance)",
    legend: present.map((who) => whoHas[who]),
    rows,
    width: WIDTH,
  });
}

const solverHas = {
  sdca: { label: "coordinate ascent", colour: colours.blue },
  standard: { label: "Frank-Wolfe, standard", colour: colours.orange },
  away: { label: "away", colour: colours.green, dash: "6 4" }, // as good as "standard" for long, which shows through
  pairwise: { label: "pairwise", colour: colours.violet },
};

/** Gap of each solver: gamma across, against epochs above and against seconds below. */
export function frankWolfePlot({ panels, settings }) {
  const floor = settings.tolerance / 2;
  const y = logAxis([floor, 1], "relative gap", power);
  const rows = ["epoch", "seconds"].map((measure) => {
    const all = panels.flatMap(({ curves }) => Object.values(curves).flat()).map((point) => point[measure]);
    const [from, to] = extent(all.filter((v) => v > 0));
    const x = logAxis([from * 0.9, to * 1.1], measure === "epoch" ? "epochs" : "seconds");
    return panels.map(({ gamma, curves }) => ({
      ...{
        ...common,
        heading: measure === "epoch" ? `gamma ${gamma}` : undefined,
        width: WIDTH / panels.length,
        height: 230,
        x,
        y,
      },
      marks: [
        ...gridOf(x, y),
        ...Object.entries(solverHas).map(([who, { colour: stroke, dash: strokeDasharray }]) => {
          const points = curves[who]
            .filter((point) => point[measure] > 0)
            .map((point) => ({ ...point, gap: Math.min(Math.max(point.gap, floor), 1) }));
          return Plot.line(points, { x: measure, y: "gap", stroke, strokeWidth: 2, strokeDasharray });
        }),
      ],
    }));
  });
  const title = "Relative gap of Frank-Wolfe and of coordinate ascent";
  return drawFigure({ title, legend: Object.values(solverHas), rows, width: WIDTH });
}

const lossColours = { "smooth-hinge": colours.blue, softmax: colours.orange };

/** Seconds above, memory below; n, d and m across. The lines are powers fitted to the upper halves, where there are points enough. */
export function growthPlot(growth) {
  const lines = growthLines(growth).map((line) =>
    line.measure === "bytes" ? { ...line, points: line.points.map(({ x, y }) => ({ x, y: y / 1e6 })) } : line,
  );
  const axes = Object.keys(growth.axes);
  const rows = [
    ["seconds", "seconds"],
    ["bytes", "MB beyond the data"],
  ].map(([measure, label]) => {
    const values = lines.filter((line) => line.measure === measure).flatMap(({ points }) => points.map(({ y }) => y));
    const [low, high] = extent(values);
    const y = logAxis([low * 0.7, high * 1.4], label);
    return axes.map((axis) => {
      const own = lines.filter((line) => line.axis === axis && line.measure === measure);
      const [from, to] = extent(own[0].points.map((point) => point.x));
      const x = logAxis([from * 0.85, to * 1.18], axis);
      return {
        ...{
          ...common,
          heading: measure === "seconds" ? describeFixed(growth, axis) : undefined,
          width: WIDTH / axes.length,
          height: 230,
          x,
          y,
        },
        marks: [
          ...gridOf(x, y),
          ...own.flatMap(({ loss, points }, i) => {
            const stroke = lossColours[loss];
            const dots = Plot.dot(points, { x: "x", y: "y", fill: stroke, r: 3.2 });
            const fitted = upperPower(points);
            if (!fitted) return [dots];
            const { exponent, scale } = fitted;
            const ends = [fitted.from, to].map((v) => ({ x: v, y: scale * v ** exponent }));
            const text = `${axis}^${exponent.toFixed(2)}`;
            return [
              Plot.line(ends, { x: "x", y: "y", stroke, strokeWidth: 1, strokeDasharray: "3 3", clip: true }),
              dots,
              Plot.text([text], { frameAnchor: "top-left", dx: 8, dy: 10 + 16 * i, fill: stroke, textAnchor: "start" }),
            ];
          }),
        ],
      };
    });
  });
  const losses = Object.keys(lossColours).map((id) => ({
    label: lossById(id).name,
    colour: lossColours[id],
    dots: true,
  }));
  return drawFigure({
    title: `A fit to a relative gap of ${toleranceOf(growth)}: growth, and its power over the upper half of the sizes`,
    legend: losses,
    rows,
    width: WIDTH,
  });
}

const wayHas = {
  kernel: { label: "kernel", colour: colours.blue },
  prox: { label: "through prox, copying included", colour: colours.green },
  baseline: { label: "plain JavaScript", colour: colours.orange },
};
const corner = { frameAnchor: "top-left", dx: 8, dy: 12, textAnchor: "start" };
const drawn = ["knapsack, sum = 1", "top-k simplex, k = 5", "softmax step, alpha = 1", "V(t) = W(exp t)"];

/** Microseconds per vector against the dimension, for some of the maps. */
export function microPlot(micro) {
  const all = microPoints(micro).filter(({ name }) => drawn.includes(name));
  const x = logAxis(extent(all.map(({ n }) => n)), "dimension", power);
  const [low, high] = extent(all.map(({ microseconds }) => microseconds));
  const y = logAxis([low * 0.7, high * 1.4], "microseconds per vector", power);
  const panels = drawn.map((name) => ({
    ...{ ...common, heading: name, width: WIDTH / drawn.length, height: 230, x, y },
    marks: [
      ...gridOf(x, y),
      ...Object.entries(wayHas).map(([way, { colour }]) =>
        Plot.lineY(
          all.filter((point) => point.name === name && point.way === way),
          { x: "n", y: "microseconds", stroke: colour, strokeWidth: 2, marker: "dot" },
        ),
      ),
      ...(all.some((point) => point.name === name && point.way === "baseline")
        ? []
        : [Plot.text(["the baseline has none"], { ...corner, fill: wayHas.baseline.colour })]),
    ],
  }));
  return drawFigure({
    ...{ title: "Proximal maps against the dimension", legend: Object.values(wayHas), rows: [panels], width: WIDTH },
  });
}
