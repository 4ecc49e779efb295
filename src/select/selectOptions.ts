import {
  abortSignal,
  aFunction,
  check,
  integer,
  isNumber,
  isRecord,
  readOptions,
  type Constraint,
} from "../constraints.ts";
import { describe, refuse } from "../errors.ts";
import { checkLabel, LABELS_AT_ONCE, sequence } from "../labels.ts";
import type { Steps } from "../pace/steps.ts";
import { settingNames } from "../settings.ts";
import type { Label, Remote, SelectOptions } from "../types.ts";
import { checkGrid, gridNames } from "./grid.ts";

const anObject = (must: string): Constraint => ({ must, kind: isRecord });

const isRemote = (value: unknown): boolean => typeof (value as Remote | null | undefined)?.fit === "function";

/** The one table of options of `select`; what they mean is said in types.ts. */
const table: Record<keyof SelectOptions, Constraint> = {
  grid: anObject("an object such as { C: [0.1, 1, 10] }"),
  folds: integer(2, Infinity),
  groups: sequence,
  validation: anObject("{ features, labels }"),
  metric: { must: "a string", kind: (v) => typeof v === "string" },
  options: anObject("an object"),
  onProgress: aFunction,
  signal: abortSignal,
  workers: {
    must: 'an integer >= 1, or an array of what `connect` of "topk-sdca/worker" returns',
    kind: (v) => isNumber(v) || (Array.isArray(v) && v.every(isRemote)),
    allows: (v: number | unknown[]) => (typeof v === "object" ? v.length > 0 : Number.isSafeInteger(v) && v >= 1),
    hint: (v) =>
      Array.isArray(v) ? (v.length > 0 ? ` with ${describe(v.find((r) => !isRemote(r)))}` : " of none") : "",
  },
};
const names = Object.keys(table) as (keyof SelectOptions)[];

/**
 * Where the signal has aborted throws its reason, as its own method does, which older engines and other classes lack.
 */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw signal.reason ?? new DOMException("select: aborted", "AbortError");
}

/** Throws what `prepare` has thrown. What fits are given stands in "options", and so refusals call it. */
export function throwNaming(error: unknown): never {
  const refusal = error instanceof TypeError || error instanceof RangeError ? error : undefined;
  const [start, name] = /^select: "(\w+)/.exec(refusal?.message ?? "") ?? [];
  if (!refusal || !start || name === "C" || Object.hasOwn(table, name) || !settingNames.includes(name)) throw error;
  const Kind = refusal instanceof TypeError ? TypeError : RangeError;
  throw new Kind(`select: "options.${name}${refusal.message.slice(start.length)}`);
}

/** Checks the options of `select` one by one, and which of them go together. */
export function readSelectOptions(caller: string, given: unknown): SelectOptions {
  if (!isRecord(given)) {
    refuse(
      TypeError,
      caller,
      "options",
      `must be an object such as { grid: { C: [0.1, 1, 10] } }, got ${describe(given)}`,
    );
  }
  for (const name of Object.keys(given)) {
    if (names.includes(name as keyof SelectOptions)) continue;
    const place = gridNames.includes(name) ? "grid" : settingNames.includes(name) ? "options" : undefined;
    if (place) refuse(TypeError, caller, name, `goes into "${place}", as ${place}.${name}`);
  }
  const o = readOptions(caller, given as SelectOptions, names);
  for (const name of names) if (o[name] !== undefined || name === "grid") check(caller, name, o[name], table[name]);
  for (const name of ["folds", "groups"] as const) {
    if (o.validation === undefined || o[name] === undefined) continue;
    refuse(TypeError, caller, name, 'does not go with "validation", which says what is held out');
  }
  checkGrid(caller, o.grid);
  return o;
}

/** The group of each row in [0, number of groups), and how many there are. */
export function* readGroups(
  caller: string,
  groups: ArrayLike<unknown>,
  rows: number,
): Steps<[groups: Uint32Array, count: number]> {
  if (groups.length !== rows) {
    refuse(RangeError, caller, "groups", `has length ${groups.length} but "features" has ${rows} rows`);
  }
  const index = new Map<Label, number>();
  const found = new Uint32Array(rows);
  for (let i = 0; i < rows; i++) {
    if (i % LABELS_AT_ONCE === 0) yield;
    const label = groups[i];
    checkLabel(caller, "groups", label, i);
    found[i] = index.get(label) ?? index.size;
    index.set(label, found[i]);
  }
  return [found, index.size];
}

/** Where nothing is said; fewer where there is less to deal out. */
const FOLDS = 5;

/** How many folds there are to be: no more than there is to deal out, rows or groups. */
export function checkFolds(caller: string, given: number | undefined, most: number, what: "rows" | "groups"): number {
  if (most < 2)
    refuse(RangeError, caller, what === "rows" ? "features" : what, `has one of the ${what} only; folds need two`);
  const folds = given ?? Math.min(FOLDS, most);
  check(caller, "folds", folds, integer(2, most), `for ${most} ${what}`);
  return folds;
}
