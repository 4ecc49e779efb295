import fc from "fast-check";

/** Scores of a few rows and classes, a label set for each row, and a threshold. */
export interface LabelledScores {
  scores: number[][];
  sets: number[][];
  threshold: number;
}

const kinds = [
  fc.integer({ min: -2, max: 2 }), // many ties
  fc.double({ min: -1, max: 1, noNaN: true }),
  fc.constantFrom(-Number.MAX_VALUE, -1e200, -5e-324, -0, 0, 5e-324, 1e-323, 1e200, Number.MAX_VALUE),
  fc.integer({ min: -3, max: 3 }).map((step) => 1e8 * (1 + step * Number.EPSILON)), // neighbouring doubles
];

/** One kind of score for all rows; sets in any order, empty and full ones among them; one row and one class as well. */
export function labelledScores(): fc.Arbitrary<LabelledScores> {
  return fc
    .record({
      rows: fc.integer({ min: 1, max: 8 }),
      cols: fc.integer({ min: 1, max: 6 }),
      score: fc.constantFrom(...kinds),
    })
    .chain(({ rows, cols, score }) => {
      const classes = Array.from({ length: cols }, (_, j) => j);
      const set = fc.oneof(
        { weight: 6, arbitrary: fc.shuffledSubarray(classes) },
        { weight: 1, arbitrary: fc.constantFrom<number[]>([], classes) },
      );
      return fc.record({
        scores: fc.array(fc.array(score, { minLength: cols, maxLength: cols }), { minLength: rows, maxLength: rows }),
        sets: fc.array(set, { minLength: rows, maxLength: rows }),
        threshold: score,
      });
    });
}
