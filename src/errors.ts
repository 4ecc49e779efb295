import { kindOf } from "./platform/kindOf.ts";

/**
 * How the library words what is wrong: `<function>: "<argument>" must be <what>, got <value>`.
 * A TypeError for the wrong kind of thing, a RangeError for the wrong value.
 */

/** Throws what `what` says of an argument. */
export function refuse(
  Kind: typeof TypeError | typeof RangeError,
  caller: string,
  argument: string,
  what: string,
): never {
  throw new Kind(`${caller}: "${argument}" ${what}`);
}

/** Refuses what is no longer what it was when its shape was checked: handed to a worker, or shortened. */
export const refuseChanged = (caller: string, argument: string): never =>
  refuse(RangeError, caller, argument, "changed while they were read");

/**
 * Says what an argument must be, a number or else. `place` says where in the argument the value stands, `hint` what
 * would help.
 */
export function mustBe(caller: string, argument: string, must: string, value: unknown, place = "", hint = ""): never {
  const Kind = typeof value === "number" ? RangeError : TypeError;
  refuse(Kind, caller, argument, `${place && place + " "}must be ${must}, got ${describe(value)}${hint}`);
}

/** A value as a person would write it in a message: short, quoted if a string, named if it has no short form. */
export function describe(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 40 ? value.slice(0, 37) + "..." : value);
  if (typeof value === "bigint") return `${value}n`;
  if (Object(value) !== value) return Object.is(value, -0) ? "-0" : String(value);
  const name = (value as object).constructor?.name || "Object";
  const article = /^[AEIO]/.test(name) ? "an" : "a"; // Uint8Array and its like begin with a consonant
  const waits = kindOf(value) === "Promise" ? ", which has to be awaited" : "";
  return `${article} ${/^(Array|Function|Object)$/.test(name) ? name.toLowerCase() : name}${waits}`;
}

/** `"a"`, `"a" and "b"`, `"a", "b" and "c"`. */
export function list(names: readonly string[], conjunction = "and"): string {
  const quoted = names.map((name) => `"${name}"`);
  return quoted.join(", ").replace(/, ([^,]*)$/, ` ${conjunction} $1`);
}

/** Levenshtein distance: insertions, deletions and replacements that turn a into b. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length];
}

/** How many letters a and b begin with alike. */
function commonStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

/**
 * The known name most like what was given, in any case: few changes apart for its length, fewer by the letters that
 * both begin with, as "topk" and "topk-hinge", or a part of it, as "epochs" of "maxEpochs". None if none is.
 */
export function nearest(given: string, known: readonly string[]): string | undefined {
  const wanted = given.toLowerCase();
  let best: string | undefined;
  let least = Infinity;
  for (const name of known) {
    const own = name.toLowerCase();
    const d = distance(wanted, own) - commonStart(wanted, own);
    const near = 4 * d <= own.length || (wanted.length > 2 && own.includes(wanted));
    if (near && d < least) {
      least = d;
      best = name;
    }
  }
  return best;
}

/**
 * What others, scikit-learn first of all, call by names that are not like ours; in small letters, without what is
 * between them.
 */
const otherNames: Record<string, string> = {
  maxiter: "maxEpochs",
  iterations: "maxEpochs",
  timeout: "maxSeconds",
  randomstate: "seed",
  fitintercept: "intercept",
  bias: "intercept",
  alpha: "lambda",
  warmstart: "initial",
  normalize: "scaling",
  standardize: "scaling",
  multiclass: "loss",
  reg: "lambda",
  regularization: "lambda",
  l2: "lambda",
  weightdecay: "lambda",
  weight: "sampleWeight",
  weights: "sampleWeight",
  topk: "k",
  abortsignal: "signal",
  dtype: "precision",
  verbose: "onProgress",
  callback: "onProgress",
  onepochend: "onProgress",
  paramgrid: "grid",
  cv: "folds",
  scoring: "metric",
  njobs: "workers",
  logistic: "softmax",
  logisticregression: "softmax",
  logloss: "softmax",
  crossentropy: "softmax",
  categoricalcrossentropy: "softmax",
  multinomial: "softmax",
  crammersinger: "hinge",
  svm: "hinge",
  svc: "hinge",
  squaredhinge: "hinge",
  ovr: "ova-logistic",
  onevsrest: "ova-logistic",
};

/** What has no name here, or is no option, and what there is instead. */
const otherWays = new Map(
  Object.entries({
    penalty: 'the penalty is 1/2 ||W||^2, and "C" or "lambda" weighs it',
    probability: "model.probabilities gives them, of the losses that have any",
    threshold: "model.withThreshold sets it",
    njobs: "a fit takes one thread, and select takes workers",
    workers: "a fit takes one thread, and select takes workers",
    learningrate: "steps are exact and take none",
    score: "of what select gives as `best` it is no option: const { score, ...options } = best",
  }),
);

/** A name in small letters, without what is between them. */
const plain = (name: string): string => name.toLowerCase().replace(/[^a-z\d]/g, "");

/** The known name that was meant by another, if that can be told. */
export function intended(given: string, known: readonly string[]): string | undefined {
  const theirs = otherNames[plain(given)];
  return known.includes(theirs) ? theirs : nearest(given, known);
}

/**
 * The end of a message about an unknown name: what was meant, if that can be told, or else, with `lists`, all that is
 * known.
 */
export function meant(given: string, known: readonly string[], lists = false): string {
  const like = intended(given, known);
  if (like) return `; did you mean ${JSON.stringify(like)}?`;
  return lists ? `; ${otherWays.get(plain(given)) ?? `there are ${list(known)}`}` : "";
}

/** Bytes in the unit a person would use. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), 5);
  return `${(bytes / 1024 ** power).toFixed(1)} ${" KMGTP"[power]}iB`;
}
