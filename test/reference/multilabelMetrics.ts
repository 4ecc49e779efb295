/**
 * Multilabel metrics straight from their definitions (Lapin, Hein, Schiele, PAMI 2018, section 3.1), as exact fractions, so
 * that two cuts are equally good only if they are. Sets of indices, loops over all pairs, nothing sorted cleverly.
 */

type Rows = readonly (readonly number[])[];

/** Numerator and denominator, in lowest terms. */
export type Fraction = readonly [bigint, bigint];

function fraction(a: bigint, b: bigint): Fraction {
  let [x, y] = [a < 0n ? -a : a, b];
  while (y) [x, y] = [y, x % y];
  return x ? [a / x, b / x] : [0n, 1n];
}

/** a / b; 0/0 is 0. */
const ratio = (a: number, b: number): Fraction => (b === 0 ? [0n, 1n] : fraction(BigInt(a), BigInt(b)));
const plus = ([a, b]: Fraction, [c, d]: Fraction): Fraction => fraction(a * d + c * b, b * d);
const times = ([a, b]: Fraction, [c, d]: Fraction): Fraction => fraction(a * c, b * d);
const mean = (terms: readonly Fraction[]): Fraction =>
  times(
    terms.reduce(plus, [0n, 1n]),
    ratio(Math.min(terms.length, 1), terms.length), // 0/0 is 0
  );
const isAbove = ([a, b]: Fraction, [c, d]: Fraction): boolean => a * d > c * b;
export const toNumber = ([a, b]: Fraction): number => Number(a) / Number(b);

const indices = (m: number): number[] => Array.from({ length: m }, (_, j) => j);
const distinctFalling = (scores: readonly number[]): number[] =>
  [...new Set(scores.map((s) => s + 0))].sort((s, t) => (s < t ? 1 : -1));

/** Over rows with pairs: the share of pairs of a relevant and an irrelevant class where the relevant one is not ahead. */
export function rankLoss(scores: Rows, sets: Rows): Fraction {
  const shares: Fraction[] = [];
  scores.forEach((row, i) => {
    const others = indices(row.length).filter((j) => !sets[i].includes(j));
    const pairs = sets[i].flatMap((y) => others.map((j) => [y, j]));
    if (pairs.length > 0) shares.push(ratio(pairs.filter(([y, j]) => row[y] <= row[j]).length, pairs.length));
  });
  return mean(shares);
}

const best = (row: readonly number[], k: number): number[] =>
  indices(row.length)
    .sort((a, b) => (row[a] > row[b] ? -1 : row[a] < row[b] ? 1 : a - b))
    .slice(0, k);
const common = (a: readonly number[], b: readonly number[]): number => a.filter((j) => b.includes(j)).length;

export const precisionAtK = (scores: Rows, sets: Rows, k: number): Fraction =>
  mean(scores.map((row, i) => ratio(common(best(row, k), sets[i]), k)));

export function recallAtK(scores: Rows, sets: Rows, k: number): Fraction {
  const labelled = indices(scores.length).filter((i) => sets[i].length > 0);
  return mean(labelled.map((i) => ratio(common(best(scores[i], k), sets[i]), sets[i].length)));
}

/** Over the classes that occur: the sum over distinct scores, falling, of precision times the growth of recall. */
export function meanAveragePrecision(scores: Rows, sets: Rows): Fraction {
  const rows = indices(scores.length);
  const classes = indices(scores[0].length).filter((j) => sets.some((set) => set.includes(j)));
  return mean(
    classes.map((j) => {
      const positives = rows.filter((i) => sets[i].includes(j));
      let total: Fraction = [0n, 1n];
      let before = 0;
      for (const t of distinctFalling(rows.map((i) => scores[i][j]))) {
        const found = rows.filter((i) => scores[i][j] >= t);
        const hits = common(found, positives);
        total = plus(total, times(ratio(hits - before, positives.length), ratio(hits, found.length)));
        before = hits;
      }
      return total;
    }),
  );
}

/** h = { j : f_j >= threshold } of each row. */
export const predict = (scores: Rows, threshold: number): number[][] =>
  scores.map((row) => indices(row.length).filter((j) => row[j] >= threshold));

/** F1 of averages of TP, FP and FN, from their cells (row, class). */
function f1(cells: readonly [boolean, boolean][]): Fraction {
  const count = (p: boolean, y: boolean): number => cells.filter((c) => c[0] === p && c[1] === y).length;
  const hits = 2 * count(true, true);
  return ratio(hits, hits + count(true, false) + count(false, true));
}

/** The metrics of a prediction, by the names that `chooseThreshold` has for them. */
export const partition: Record<string, (h: Rows, sets: Rows, m: number) => Fraction> = {
  "f1-micro": (h, sets, m) => f1(h.flatMap((_, i) => indices(m).map((j) => cell(h, sets, i, j)))),
  "f1-macro": (h, sets, m) => mean(indices(m).map((j) => f1(h.map((_, i) => cell(h, sets, i, j))))),
  "f1-instance": (h, sets, m) => mean(h.map((_, i) => f1(indices(m).map((j) => cell(h, sets, i, j))))),
  jaccard: (h, sets) => mean(h.map((p, i) => ratio(common(p, sets[i]), new Set([...p, ...sets[i]]).size))),
  subset: (h, sets) =>
    mean(h.map((p, i) => ratio(+(p.length === sets[i].length && common(p, sets[i]) === p.length), 1))),
  hamming: (h, sets, m) =>
    mean(h.map((p, i) => ratio(indices(m).filter((j) => p.includes(j) !== sets[i].includes(j)).length, m))),
};
const cell = (h: Rows, sets: Rows, i: number, j: number): [boolean, boolean] => [h[i].includes(j), sets[i].includes(j)];

/** The best cut, of equally good ones the highest: predicted is what is at least `above`, the next score is `below`. */
export function bestCut(scores: Rows, sets: Rows, metric: string): { above: number; below: number; value: Fraction } {
  const falling = [Infinity, ...distinctFalling(scores.flat()), -Infinity];
  const m = scores[0].length;
  const sign = metric === "hamming" ? -1n : 1n;
  let choice: { above: number; below: number; value: Fraction } | undefined;
  for (let c = 0; c + 1 < falling.length; c++) {
    const value = partition[metric](predict(scores, falling[c]), sets, m);
    if (choice && !isAbove([sign * value[0], value[1]], [sign * choice.value[0], choice.value[1]])) continue;
    choice = { above: falling[c], below: falling[c + 1], value };
  }
  return choice!;
}
