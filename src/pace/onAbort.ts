/** Of signals that are listened to: who is to hear of the abort, and the listener. */
const listeners = new WeakMap<AbortSignal, { readonly hearers: Set<() => void>; readonly tell: () => void }>();

/**
 * Calls `hear` when the signal aborts; what is returned calls it off. All share one listener: a program may have many
 * fits on one signal, and Node warns of more than ten listeners, which might have been forgotten.
 */
export function onAbort(signal: AbortSignal, hear: () => void): () => void {
  let listener = listeners.get(signal);
  if (!listener) {
    const hearers = new Set<() => void>();
    listener = { hearers, tell: () => [...hearers].forEach((hearer) => hearer()) };
    listeners.set(signal, listener);
    signal.addEventListener("abort", listener.tell);
  }
  const { hearers, tell } = listener;
  const own = (): void => hear(); // the same function may have been given before
  hearers.add(own);
  return () => {
    if (!hearers.delete(own) || hearers.size > 0) return;
    listeners.delete(signal);
    signal.removeEventListener("abort", tell);
  };
}
