/** Sparse rows, label sets and layouts as tables; pure functions of bench/results/sparse.json. */
import { summarise } from "../lib/statistics.mjs";
import { lossById } from "../losses.mjs";
import { findCell, ratioOf } from "./cells.mjs";
import { workloadTable } from "./compareTables.mjs";
import { figures, megabytes, percent, ratio } from "./format.mjs";

/** Of liblinear's processor time. */
const HINGE_GOAL = 0.5;
/** Times the hinge loss's time per epoch. */
const EPOCH_GOAL = 2;
const YARDSTICK = "one-tag";

export const sectionsTable = (sparse) => workloadTable(sparse, "sections");

/** The data, and the largest process of both programs, in words. */
export function sectionsInWords({ workloads: { sections }, cells, peers }) {
  const { n, numTest, d, m, nonzeros, nearestMean } = sections;
  const { ours, liblinear } = findCell(cells, "sections", "hinge").entries;
  const peak = (entry) => megabytes(summarise((entry?.runs ?? []).map((run) => run.peakBytes))?.median);
  const theirs = liblinear ? `, that of ${peers.liblinear.name} ${peak(liblinear)} MB` : "";
  return (
    `${n} rows for training and ${numTest} for testing, ${d} words, ${figures(nonzeros / n)} nonzeros a row, ${m} sections; ` +
    `the nearest class mean has ${percent(nearestMean[1])} % top-1 and ${percent(nearestMean[5])} % top-5. ` +
    `The whole process that trains with hinge takes ${peak(ours)} MB, the engine and the data included${theirs}.`
  );
}

/** Milliseconds per n updates: of the first pass, with loading and the first evaluation; of what follows; of all until the last. */
function msPerEpoch({ points }) {
  const [first, last] = [points[0], points.at(-1)];
  return {
    first: (1000 * first.cpuSeconds) / first.visits,
    later: (1000 * (last.cpuSeconds - first.cpuSeconds)) / (last.visits - first.visits),
    all: (1000 * last.cpuSeconds) / last.visits,
  };
}

/** Time per epoch by that of the yardstick, turn by turn. */
function epochRatio(row, { rows }, what = "all") {
  const yardstick = rows.find(({ task, loss }) => task === YARDSTICK && loss === "hinge");
  const ratios = row.runs.map((run, turn) => msPerEpoch(run)[what] / msPerEpoch(yardstick.runs[turn])[what]);
  return summarise(ratios).median;
}

/** Epochs and seconds to the tolerance. */
function fitCells(fits) {
  if (fits.some(({ status }) => status !== "solved")) return ["not solved", "-"];
  const of = (measure) => summarise(fits.map(measure)).median;
  return [of(({ epochs }) => epochs).toFixed(0), figures(of(({ cpuSeconds }) => cpuSeconds))];
}

export function tagsTable({ tags }) {
  const rows = tags.rows.map((row) => {
    const { m, made } = tags.workloads[row.task];
    const of = (measure) => summarise(row.runs.map(measure)).median;
    const show = (what) => [figures(of((run) => msPerEpoch(run)[what])), ratio(epochRatio(row, tags, what))];
    return [
      ...[lossById(row.loss).name, made, String(m)],
      ...[of(({ points }) => points.at(-1).visits).toFixed(1), of(({ points }) => points.length).toFixed(0)],
      ...[...show("first"), ...show("later"), ...show("all")],
      figures(1000 * of(({ cpuSeconds, points }) => cpuSeconds - points.at(-1).cpuSeconds)),
      ...fitCells(row.fits),
    ];
  });
  const headings = ["first epoch, ms", "by hinge", "a later one, ms", "by hinge", "all, ms per epoch", "by hinge"];
  const fits = ["fit, epochs", "fit, CPU s"];
  return [["loss", "labels", "m", "epochs", "evaluations", ...headings, "after it, ms", ...fits], ...rows];
}

/** What was to be reached. */
export function sparseGoalsTable(sparse) {
  const rows = [["goal", "at most", "reached", ""]];
  const add = (goal, most, value) =>
    rows.push([goal, `${figures(most)}x`, `${figures(value)}x`, value <= most ? "met" : "missed"]);
  const { ours, liblinear } = findCell(sparse.cells, "sections", "hinge").entries;
  const theirs = ratioOf(ours, liblinear);
  if (theirs?.median) add("hinge on sections, CPU seconds by liblinear's", HINGE_GOAL, 1 / theirs.median);
  for (const row of sparse.tags?.rows ?? []) {
    if (row.task !== "tags") continue;
    add(`${row.loss} on tags, time per epoch by hinge's`, EPOCH_GOAL, epochRatio(row, sparse.tags));
  }
  return rows;
}

/** The layout that `fit` takes by its thresholds. */
export function chosenLayout({ SPARSE_BELOW, SPARSE_BELOW_IF_LISTED, SKIP_ZEROS_BELOW }, loss, density) {
  if (density < (lossById(loss).family === "hinge" ? SPARSE_BELOW_IF_LISTED : SPARSE_BELOW)) return "sparse";
  return density < SKIP_ZEROS_BELOW ? "skipping" : "dense";
}

const all = ["dense", "skipping", "sparse"];
const share = (density) => `${figures(100 * density, 2)} %`;
const medianOf = (point, loss, what, layout) => point.milliseconds[loss][layout][what].median;

/** Those whose layouts were timed. */
export const layoutLosses = ({ layouts }) => Object.keys(layouts?.points[0]?.milliseconds ?? {});

/** Densities down: milliseconds in each layout, and how the layout that `fit` takes compares with the quickest. */
export function layoutsTable({ layouts: { points, thresholds } }, loss) {
  const rows = points.map((point) => {
    const show = (what, of = all) => of.map((layout) => figures(medianOf(point, loss, what, layout))).join(" / ");
    const best = Math.min(...all.map((layout) => medianOf(point, loss, "fit", layout)));
    const chosen = chosenLayout(thresholds, loss, point.nonzeros);
    return [
      share(point.nonzeros),
      ...[show("first", ["dense", "sparse"]), show("later", ["dense", "sparse"])],
      ...["estimate", "certificate", "fit"].map((what) => show(what)),
      `${chosen}, ${ratio(medianOf(point, loss, "fit", chosen) / best)}`,
    ];
  });
  const headings = [
    "nonzeros",
    "pass, every class",
    "later pass",
    "estimate",
    "certificate",
    "fit",
    "taken, by best fit",
  ];
  return [headings, ...rows];
}

/**
 * The share of nonzeros from which on `a` is slower than the quickest of `others`, by interpolation between the points around it,
 * in logarithms; { above } or { below } where it is beyond the points. Where it changes sides more than once, the first time.
 */
export function crossing(points, loss, what, a, others) {
  const series = points.map((point) => ({
    x: Math.log(point.nonzeros),
    y: Math.log(
      medianOf(point, loss, what, a) / Math.min(...others.map((layout) => medianOf(point, loss, what, layout))),
    ),
  }));
  const first = series.findIndex(({ y }) => y > 0);
  if (first < 0) return { above: points.at(-1).nonzeros };
  if (first === 0) return { below: points[0].nonzeros };
  const [from, to] = [series[first - 1], series[first]];
  return { at: Math.exp(from.x + ((to.x - from.x) * from.y) / (from.y - to.y)) };
}

/** Where one layout overtakes another, beside the thresholds in use. */
export function crossingsTable({ layouts: { points, thresholds } }) {
  const losses = Object.keys(points[0].milliseconds);
  const show = ({ at, above, below }) =>
    at !== undefined ? share(at) : above !== undefined ? `> ${share(above)}` : `< ${share(below)}`;
  const row = (heading, what, a, others) => [
    `${a} under dense${heading}`,
    ...losses.map((loss) => show(crossing(points, loss, what, a, others))),
  ];
  const { SPARSE_BELOW, SPARSE_BELOW_IF_LISTED, SKIP_ZEROS_BELOW } = thresholds;
  const listed = (loss) => lossById(loss).family === "hinge";
  return [
    ["quicker below", ...losses.map((loss) => lossById(loss).name)],
    row(", pass over every class", "first", "sparse", ["dense"]),
    row(", later pass", "later", "sparse", ["dense"]),
    row(" and skipping, estimate", "estimate", "sparse", ["dense", "skipping"]),
    row(" and skipping, certificate", "certificate", "sparse", ["dense", "skipping"]),
    row(" and skipping, fit", "fit", "sparse", ["dense", "skipping"]),
    ["sparse, in use", ...losses.map((loss) => share(listed(loss) ? SPARSE_BELOW_IF_LISTED : SPARSE_BELOW))],
    row(", estimate", "estimate", "skipping", ["dense"]),
    row(", certificate", "certificate", "skipping", ["dense"]),
    row(", fit", "fit", "skipping", ["dense"]),
    ["skipping, in use", ...losses.map(() => share(SKIP_ZEROS_BELOW))],
  ];
}
