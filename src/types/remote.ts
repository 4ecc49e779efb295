import type { Features, Label, Labels, LabelSets } from "./data.ts";
import type { Prediction } from "./evaluation.ts";
import type { Model } from "./model.ts";
import type { FitOptions } from "./options.ts";

/** Options of a remote `fit`: those of `fit`, and how its features get there. */
export type RemoteOptions<prediction extends Prediction = Prediction> = FitOptions<prediction> & {
  /**
   * Hand the typed arrays of `features` (`data`, `indices`, `indptr`, `gram`) over to the worker instead of copying
   * them: nothing is copied, and the arrays here, with all others over the same buffers, are empty afterwards. What is
   * refused without a look at the values of features is refused before, which for a million labels takes a tenth of a
   * second here. Default false. What lies in a SharedArrayBuffer is shared with the worker either way; leave it as it
   * is while the fit runs.
   */
  transfer?: boolean | undefined;
};

/** What `connect` of "topk-sdca/worker" returns: fits that run in the worker. */
export interface Remote {
  /**
   * The `fit` of "topk-sdca", with the same checks, messages and results. Data are copied, or handed over, at once, so
   * what happens to them here afterwards changes nothing. Several fits are worked on one after the other, in the order
   * of the calls; `maxSeconds` and the times of a certificate count from when a fit's turn has come.
   *
   * `onProgress` runs here; what it throws, or its promise rejects with, rejects the fit and stops the work, which goes
   * on while a promise is open: the model is there when all of them have ended. An abort reaches the worker within one
   * slice of work, so a record or two may still come; one that has not had its turn is then returned, in its turn, as
   * `fit` does with a signal that was aborted before. "never" for `yieldEvery` means 50 milliseconds: the worker has to
   * hear of aborts.
   *
   * @throws as `fit`; TypeError naming what cannot be copied to a worker; Error once the worker has failed or been
   * terminated.
   */
  fit(features: Features, labels: Labels, options?: RemoteOptions<Label>): Promise<Model<Label>>;
  /** Trains on label sets. */
  fit(features: Features, labels: LabelSets, options?: RemoteOptions<Label[]>): Promise<Model<Label[]>>;
  /** Where only the data tell. */
  fit(features: Features, labels: Labels | LabelSets, options?: RemoteOptions): Promise<Model>;
  /** Ends the worker and rejects every open fit. A MessagePort is closed. */
  terminate(): void;
}
