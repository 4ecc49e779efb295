import { here, selectOn } from "./core.ts";
import type { StartWorkers } from "./select/selection.ts";
import type { Features, Label, Labels, LabelSets, Selection, SelectOptions } from "./types.ts";

/**
 * Chooses C, and where asked k, gamma and the loss, by how well models do on rows that they were not trained on, and
 * fits the best on all rows. Rows are split into folds; for each fold, every cell of the grid is fitted on the other
 * folds and scored on this one, and the mean of its scores is what a cell is worth. Cells with equal scores: the
 * smaller C wins, then the one earlier in the table.
 *
 * Folds are stratified, by `seed`: of each class, every fold has the same number of rows, or one more; label sets are
 * dealt out by their rarest label; groups stay together, and folds are as even as they allow. Every fit knows the
 * classes of all rows.
 *
 * For each fold, loss, k and gamma, C goes from small to large, and each fit starts from the one before it if that took
 * more than three epochs; to take over less is no quicker. So a path costs little more than its last fits, which are
 * the hard ones. Fits of a loss that is not convex start as `fit` does.
 *
 * Models of label sets are scored at the threshold that `fit` gives them, of the rows that they were trained on. With
 * `validation` it is the best for these rows, as in `fit`, and the model is that of the best cell: it was fitted on all
 * rows.
 *
 * @param features n rows of d finite numbers, or { gram, rows }.
 * @param labels n labels, or n arrays of labels.
 * @param o the grid, and how to go through it.
 * @throws TypeError or RangeError naming argument, place and value, before any training, and what `fit` throws later;
 * the reason of `signal` once it is aborted; whatever `onProgress` throws.
 * @example
 * const features = [[0, 1], [0, 2], [1, 0], [2, 0]];
 * const { model, best } = await select(features, ["a", "a", "b", "b"], { grid: { C: [0.1, 1, 10] }, folds: 2 });
 * best.C; // 0.1
 */
export function select(features: Features, labels: Labels, o: SelectOptions): Promise<Selection<Label>>;
export function select(features: Features, labels: LabelSets, o: SelectOptions): Promise<Selection<Label[]>>;
export function select(features: Features, labels: Labels | LabelSets, o: SelectOptions): Promise<Selection>;
export function select(features: Features, labels: Labels | LabelSets, o: SelectOptions): Promise<Selection> {
  return selectOn(startWorkers, features, labels, o);
}

/** What starts workers is a file of its own, loaded when there are some to start. Where it was left out none is. */
const startWorkers: StartWorkers = (count, signal) =>
  import("./startWorkers.ts").then(
    ({ startWorkers }) => startWorkers(count, here, signal),
    () => [],
  );
