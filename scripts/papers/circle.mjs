// The circle of PAMI section 6.1, Table 3: 200 points to train, 200 to choose C, 200000 to test.
import { median } from "../../bench/lib/statistics.mjs";
import { uniforms } from "../lib/uniforms.mjs";
import { chooseC } from "./chooseC.mjs";
import { circle as published } from "./published.mjs";

const ks = [1, 2];
const grid = Array.from({ length: 19 }, (_, e) => 2 ** (2 * e - 18));
const CLASSES = ["1", "2", "3"];
const LENGTHS = [1, 1, 1, 3, 1];
const TABLE = [
  [0, 1, 0.4, 0.3, 0],
  [1, 0, 0.1, 0.7, 0],
  [0, 0, 0.5, 0, 1],
];

/** Readings of the sampling text: weights of (class, segment) pairs. Within a segment a position is uniform. */
const readings = {
  "positions uniform on [0, 7], the class by the segment's column": (j, s) => LENGTHS[s] * TABLE[j][s],
  "segments equally likely, the class by the segment's column": (j, s) => TABLE[j][s],
  "classes equally likely, the segment by the class's row": (j, s) => TABLE[j][s] / TABLE[j].reduce((a, b) => a + b, 0),
};

function draw(weight, count, next) {
  const pairs = TABLE.flatMap((row, j) => row.map((_, s) => ({ j, s, weight: weight(j, s) })));
  const total = pairs.reduce((sum, pair) => sum + pair.weight, 0);
  const starts = LENGTHS.map((_, s) => LENGTHS.slice(0, s).reduce((a, b) => a + b, 0));
  const data = new Float64Array(2 * count);
  const labels = [];
  for (let i = 0; i < count; i++) {
    let rest = next() * total;
    const { j, s } = pairs.find((pair) => (rest -= pair.weight) < 0) ?? pairs.at(-1);
    const angle = (2 * Math.PI * (starts[s] + LENGTHS[s] * next())) / 7;
    data.set([Math.cos(angle), Math.sin(angle)], 2 * i);
    labels.push(CLASSES[j]);
  }
  return { features: { data, rows: count, cols: 2 }, labels };
}

/** The best accuracy that any rule has: the k likeliest classes of each segment. */
function bestAccuracy(weight, k) {
  const all = TABLE.flatMap((row, j) => row.map((_, s) => weight(j, s))).reduce((a, b) => a + b, 0);
  const hits = LENGTHS.map((_, s) =>
    TABLE.map((_, j) => weight(j, s))
      .sort((a, b) => b - a)
      .slice(0, k)
      .reduce((a, b) => a + b, 0),
  );
  return (100 * hits.reduce((a, b) => a + b, 0)) / all;
}

/** Every reading, with and without intercept; medians over a few samples, since 200 points are few. */
export async function runCircle({ log, seeds, maxSeconds, wanted }) {
  const results = [];
  for (const [reading, weight] of Object.entries(readings)) {
    for (const intercept of [false, true]) {
      log(`circle: ${reading}, ${intercept ? "with" : "without"} intercept`);
      const rows = [];
      for (const [name, loss, figures] of published.filter(wanted)) {
        const runs = [];
        for (const seed of seeds) {
          const next = uniforms(seed);
          const [train, validation, test] = [200, 200, 200_000].map((count) => draw(weight, count, next));
          const options = { ...loss, intercept, classes: CLASSES, precision: "float64", tolerance: 1e-3, maxSeconds };
          runs.push(await chooseC({ options, grid, ks, train, validation, test }));
        }
        const accuracy = ks.map((_, i) => median(runs.map((run) => run.accuracy[i])));
        rows.push({ name, published: figures, accuracy, statuses: runs.flatMap(({ statuses }) => statuses) });
      }
      const best = ks.map((k) => bestAccuracy(weight, k));
      results.push({ reading, intercept, best, rows });
    }
  }
  return { ks, grid, seeds, maxSeconds, results };
}
