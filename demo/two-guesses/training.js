// Training that can be watched. A progress record of `fit` has no weights, so a watched fit is many short ones: each starts from the
// dual variables of the one before it (`initial`), and each returns a model with its certificate.

/** Passes of the next part: one each at first, later a tenth of all so far. */
const nextPasses = (passes) => Math.max(1, Math.floor(passes / 10));

/** Yields { model, passes } after each part, until one is solved, `maxPasses` are made, or `signal` stops it. */
export async function* watchedFit(trainer, features, labels, { maxPasses, signal, ...options }) {
  let model;
  for (let passes = 0; passes < maxPasses;) {
    const maxEpochs = Math.min(nextPasses(passes), maxPasses - passes);
    // A part of its own order: with one seed all would visit the points alike.
    model = await trainer.fit(features, labels, { ...options, maxEpochs, initial: model, seed: passes, signal });
    if (signal.aborted) return;
    passes += model.certificate.epochs;
    yield { model, passes };
    if (model.certificate.status === "solved") return;
  }
}
