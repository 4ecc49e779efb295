// The circle of Lapin, Hein, Schiele (PAMI 2018), section 6.1: three classes that overlap on [0, 7], bent into a circle.
//
// The text leaves open how often each of its five segments is drawn from. Here a position is uniform on [0, 7], so a segment has a
// probability in proportion to its length, and the class then follows the segment's column of the table.

/** The classes, by their names on the page. */
export const CLASSES = ["A", "B", "C"];

/** Ends of the five segments on [0, 7], and p(class | segment), one row per class. */
const ENDS = [1, 2, 3, 6, 7];
const TABLE = [
  [0, 1, 0.4, 0.3, 0],
  [1, 0, 0.1, 0.7, 0],
  [0, 0, 0.5, 0, 1],
];
const LENGTH = ENDS.at(-1);

/** p(class) at a position in turns, 0 <= turns < 1, in the order of CLASSES. */
export function classProbabilities(turns) {
  const segment = ENDS.findIndex((end) => turns * LENGTH < end);
  return TABLE.map((row) => row[segment]);
}

/** Points { turns, label } drawn from the distribution; `uniform` returns numbers in [0, 1). */
export function drawPoints(count, uniform) {
  return Array.from({ length: count }, () => {
    const turns = uniform();
    let rest = uniform();
    const j = classProbabilities(turns).findIndex((p) => (rest -= p) < 0);
    return { turns, label: CLASSES[j < 0 ? CLASSES.length - 1 : j] };
  });
}

/** Positions as features: the unit circle, counterclockwise from the right. */
export const toFeatures = (positions) =>
  positions.map((turns) => [Math.cos(2 * Math.PI * turns), Math.sin(2 * Math.PI * turns)]);

/** As many as make 7 equal parts whole: the middle of a part lies in one segment, so sums over them are exact but for rankings. */
const PARTS = 1400;
export const GRID = Array.from({ length: PARTS }, (_, i) => (i + 0.5) / PARTS);
const gridFeatures = toFeatures(GRID);

/** Classes from best to worst at each position of GRID; ties go to the first class. */
export function rankGrid(model) {
  const scores = model.scores(gridFeatures);
  const m = model.classes.length;
  return GRID.map((_, i) => CLASSES.map((_, j) => j).sort((a, b) => scores[i * m + b] - scores[i * m + a] || a - b));
}

/** How often the class is among the first k of `ranks`, rankings on GRID, for points of the distribution. */
export function accuracy(ranks, k) {
  const hits = GRID.map((turns, i) => {
    const p = classProbabilities(turns);
    return ranks[i].slice(0, k).reduce((sum, j) => sum + p[j], 0);
  });
  return hits.reduce((sum, hit) => sum + hit, 0) / PARTS;
}

/** The best accuracy that any rule has: the k likeliest classes of each segment. 4/5 for k = 1, 69/70 for k = 2. */
export function bestAccuracy(k) {
  const ranks = GRID.map((turns) => {
    const p = classProbabilities(turns);
    return CLASSES.map((_, j) => j).sort((a, b) => p[b] - p[a]);
  });
  return accuracy(ranks, k);
}

/** The best top-1 accuracy of a linear classifier through the centre; computed by enumeration of all of them, not here. */
export const BEST_LINEAR_TOP1 = 9 / 14;
