import { check, integer, nonnegative, oneOf, positive, type Constraint } from "../constraints.ts";
import { describe, intended, list, meant, refuse } from "../errors.ts";
import { lossNames, lossOptions, optionsOf, type LossOption } from "../losses.ts";
import { resolveSettings, settingNames, type Settings } from "../settings.ts";
import type { FitOptions, GridValues, SelectFitOptions, SelectGrid } from "../types.ts";

/** A cell of the grid: its values, and its place among all cells. */
export interface Cell {
  readonly place: number;
  readonly values: GridValues;
}

/** The cells that differ in C only, C ascending: a fit of them starts from the one before it where that is of use. */
export interface Path {
  /** Of every fit on the path, but for C. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly settings: Settings;
  readonly cells: readonly Cell[];
}

const entries: Record<keyof SelectGrid, Constraint> = {
  C: positive,
  k: integer(1, Infinity),
  gamma: nonnegative,
  loss: oneOf(lossNames),
};
const names = Object.keys(entries) as (keyof SelectGrid)[];
export const gridNames: readonly string[] = names;
const aList: Constraint = { must: "an array of values to try", kind: Array.isArray };

/** Checks the lists, each by itself. */
export function checkGrid(caller: string, grid: SelectGrid): void {
  for (const name of Object.keys(grid)) {
    if (names.includes(name as keyof SelectGrid)) continue;
    refuse(TypeError, caller, "grid", `has the unknown name "${name}"${meant(name, names, true)}`);
  }
  for (const name of names) {
    const argument = `grid.${name}`;
    const values: readonly unknown[] | undefined = grid[name];
    if (values === undefined && name !== "C") continue;
    check(caller, argument, values, aList);
    if (values!.length === 0) refuse(RangeError, caller, argument, "is empty; it needs at least one entry");
    for (const [p, value] of values!.entries()) {
      check(caller, argument, value, entries[name], `entry ${p}`);
      if (values!.indexOf(value) < p) refuse(RangeError, caller, argument, `entry ${p} repeats ${describe(value)}`);
    }
  }
}

/** Options of `select` that fits do not have. */
const own: readonly string[] = ["grid", "folds", "groups", "metric", "options", "workers"];

/** What `select` has a place of its own for, or does itself. */
const elsewhere: Readonly<Record<string, string>> = {
  C: '"grid.C"',
  lambda: '"grid.C", which is 1/(lambda n)',
  initial: "the fit with the C below, which a fit starts from where that is of use",
  validation: 'select\'s own "validation"',
  signal: 'select\'s own "signal"',
};

/** All combinations that make sense: each loss with the values of k and gamma that it takes. */
export function pathsOf(caller: string, grid: SelectGrid, fitOptions: SelectFitOptions | FitOptions): Path[] {
  const given = fitOptions as SelectFitOptions; // what only the other type has is refused here
  // Inherited ones, too, as `fit` reads them; of others the own ones, which are to be refused.
  const read = Object.fromEntries(settingNames.map((name) => [name, given[name as keyof SelectFitOptions]]));
  const options = { ...read, ...given };
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (own.includes(name)) {
      refuse(TypeError, caller, `options.${name}`, `is not an option of the fits; it goes beside "options"`);
    }
    if (Object.hasOwn(elsewhere, name)) {
      refuse(TypeError, caller, `options.${name}`, `is not taken; there is ${elsewhere[name]}`);
    }
    if (Object.hasOwn(grid, name) && grid[name as keyof SelectGrid]) {
      refuse(TypeError, caller, `options.${name}`, `and "grid.${name}" say the same thing; give one of them`);
    }
    if (!settingNames.includes(name)) {
      const like = intended(name, settingNames) ?? "";
      const hint = Object.hasOwn(elsewhere, like) ? `; there is ${elsewhere[like]}` : meant(name, settingNames);
      throw new TypeError(`${caller}: unknown option "options.${name}"${hint}`);
    }
  }
  const losses = grid.loss ?? [options.loss === undefined ? "softmax" : options.loss];
  const takes = (loss: string, option: LossOption): boolean =>
    lossNames.includes(loss) &&
    optionsOf(loss).includes(option) &&
    !(option === "k" && typeof options.rankWeights === "object" && optionsOf(loss).includes("rankWeights"));
  const refuseUnused = (argument: string, option: LossOption): void => {
    if (losses.some((loss) => takes(loss, option))) return;
    const owners = lossNames.filter((loss) => takes(loss, option));
    const kernelGamma = option === "gamma" && options.kernel ? "; that of a kernel is options.kernel.gamma" : "";
    refuse(
      TypeError,
      caller,
      argument,
      `does not go with the loss ${list(losses, "or")}; it goes with ${list(owners)}${kernelGamma}`,
    );
  };

  const common = Object.fromEntries(Object.entries(options).filter(([name]) => !lossOptions.some((o) => o === name)));
  for (const option of lossOptions) {
    if (option in entries && grid[option as "k"]) refuseUnused(`grid.${option}`, option);
    else if (grid.loss && options[option] !== undefined) refuseUnused(`options.${option}`, option);
  }
  const Cs = [...grid.C].sort((a, b) => a - b);
  const paths: Path[] = [];
  let place = 0;
  for (const loss of losses) {
    // Of a single loss every option is passed on, for `resolveSettings` to refuse those that are not its own.
    const passed = lossOptions.filter((option) => !grid.loss || takes(loss, option));
    const fixed = { ...common, loss, ...Object.fromEntries(passed.map((option) => [option, options[option]])) };
    for (const k of (takes(loss, "k") && grid.k) || [undefined]) {
      for (const gamma of (takes(loss, "gamma") && grid.gamma) || [undefined]) {
        const values = {
          ...(grid.loss && { loss }),
          ...(k !== undefined && { k }),
          ...(gamma !== undefined && { gamma }),
        };
        const options = { ...fixed, ...values };
        paths.push({
          options,
          settings: resolveSettings(caller, { ...options, C: Cs[Cs.length - 1] } as FitOptions),
          cells: Cs.map((C) => ({ place: place++, values: { ...values, C } })),
        });
      }
    }
  }
  return paths;
}
