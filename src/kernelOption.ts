import { check, integer, nonnegative, oneOf, positive, type Constraint } from "./constraints.ts";
import { list, meant, refuse } from "./errors.ts";

/** The kernels by name with their options. */
const table: Record<string, readonly string[]> = {
  linear: [],
  rbf: ["gamma"],
  poly: ["degree", "gamma", "coef0"],
};
const names = Object.keys(table);
const options: Record<string, Constraint> = {
  gamma: positive,
  degree: integer(1, 100),
  coef0: nonnegative,
};

/** A kernel in numbers: k(x, z) by `name`, with what does not belong to it 0. Of "precomputed" the values are given. */
export interface KernelFunction {
  readonly name: "linear" | "rbf" | "poly" | "precomputed";
  readonly gamma: number;
  readonly degree: number;
  readonly coef0: number;
}

/** A kernel as asked for. `gamma` undefined: 1 / (columns * variance of the features), scikit-learn's "scale". */
export type KernelSetting = Omit<KernelFunction, "gamma"> & { readonly gamma: number | undefined };

/** Checks the option `kernel`: an object with a name and what belongs to it. */
export function resolveKernel(caller: string, given: unknown): KernelSetting | undefined {
  if (given === undefined) return undefined;
  const record = given as Record<string, unknown>;
  const { name } = record;
  const known: Constraint = {
    ...oneOf(names),
    hint: (v) => (v === "precomputed" ? "; give { gram, rows } as features, and no kernel" : ""),
  };
  check(caller, "kernel", name, known, "name");
  const own = table[name as string];
  const values: Record<string, number | undefined> = { gamma: undefined, degree: 0, coef0: 0 };
  const foreign = Object.keys(record).find((option) => option !== "name" && !Object.hasOwn(options, option));
  if (foreign !== undefined) {
    const hint = meant(foreign, Object.keys(options), true);
    refuse(TypeError, caller, "kernel", `has the unknown option "${foreign}"${hint}`);
  }
  for (const option of Object.keys(options)) {
    const value = record[option]; // own or inherited, as of other options
    if (value === undefined) continue;
    if (!own.includes(option)) {
      const owners = names.filter((other) => table[other].includes(option));
      refuse(TypeError, caller, "kernel", `"${name as string}" has no "${option}"; it goes with ${list(owners)}`);
    }
    check(caller, "kernel", value, options[option], option);
    values[option] = value as number;
  }
  const missing = { linear: undefined, rbf: "gamma", poly: "degree" }[name as string];
  if (missing && !values[missing]) {
    const formula =
      missing === "gamma"
        ? "exp(-gamma ||x - z||^2); 1/(columns x their variance) is where to begin"
        : "(gamma <x, z> + coef0)^degree";
    refuse(TypeError, caller, "kernel", `"${name as string}" needs "${missing}": it is ${formula}`);
  }
  if (name === "linear") values.gamma = 0;
  return { name, ...values } as unknown as KernelSetting;
}
