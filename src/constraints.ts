import { describe, list, meant, nearest, refuse } from "./errors.ts";
import { kindOf } from "./platform/kindOf.ts";

/** What a value must be: in words, and as a check of its kind and of its value. */
export interface Constraint {
  readonly must: string;
  readonly kind: (value: unknown) => boolean;
  readonly allows?: (value: never) => boolean;
  /** Added to the message about a value that is refused. */
  readonly hint?: (value: unknown) => string;
}

/** Throws unless `value` meets the constraint. `place` says where in the argument it stands. */
export function check(caller: string, name: string, value: unknown, constraint: Constraint, place = ""): void {
  const { must, kind, allows, hint } = constraint;
  const rightKind = kind(value);
  if (rightKind && (!allows || allows(value as never))) return;
  const what = `${place && place + " "}must be ${must}, got ${describe(value)}${hint ? hint(value) : ""}`;
  refuse(rightKind ? RangeError : TypeError, caller, name, what);
}

export const isNumber = (value: unknown): boolean => typeof value === "number";
export const isFloats = (value: unknown): value is Float32Array | Float64Array =>
  /^Float(32|64)Array$/.test(kindOf(value));
/** How `name`, an array of other numbers, becomes one of those, as the end of a message. */
export function conversion(value: unknown, name: string): string {
  const kind = kindOf(value);
  if (!ArrayBuffer.isView(value) || kind === "DataView") return "";
  if (kind === "Uint16Array") return "; if that holds the bits of float16 numbers, decode them first";
  return `; Float32Array.from(${name}${kind.startsWith("Big") ? ", Number" : ""}) makes one`;
}

/** Of 32 bits. */
export const isIntegers = (value: unknown): value is Int32Array | Uint32Array =>
  /^(Int|Uint)32Array$/.test(kindOf(value));
/** Where a few bytes hold small ones. */
export const isIndices = (value: unknown): boolean => isIntegers(value) || kindOf(value) === "Uint8Array";

/**
 * An object of names and values: no array, and nothing that holds its own in another way, as a Map, a Date or a Promise
 * does.
 */
export const isRecord = (value: unknown): value is object => /^(Object|Module)$/.test(kindOf(value));

export const aNumber: Constraint = { must: "a number", kind: isNumber };
export const floats: Constraint = {
  must: "a Float32Array or Float64Array",
  kind: isFloats,
  hint: (v) =>
    Array.isArray(v)
      ? `; Float32Array.from(${Array.isArray(v[0]) ? "array.flat()" : "array"}) makes one`
      : conversion(v, "array"),
};
export const aFunction: Constraint = { must: "a function", kind: (v) => typeof v === "function" };
export const abortSignal: Constraint = {
  must: "an AbortSignal",
  kind: (v) => typeof v === "object" && v !== null && "aborted" in v && "removeEventListener" in v,
};
export const boolean: Constraint = { must: "true or false", kind: (v) => typeof v === "boolean" };

/** A number in an interval. Brackets as in mathematics: "[" and "]" include the end. */
export function number(open: "(" | "[", lo: number, hi: number, close: ")" | "]"): Constraint {
  const name = (v: number): string => String(v).replace("Infinity", "∞");
  return {
    must: `a number in ${open}${name(lo)}, ${name(hi)}${close}`,
    kind: isNumber,
    allows: (v: number) => (open === "(" ? v > lo : v >= lo) && (close === ")" ? v < hi : v <= hi),
  };
}

export const positive = number("(", 0, Infinity, ")");
export const nonnegative = number("[", 0, Infinity, ")");

export function integer(lo: number, hi: number): Constraint {
  return {
    must: hi === Infinity ? `an integer >= ${lo}` : `an integer in [${lo}, ${hi}]`,
    kind: isNumber,
    allows: (v: number) => Number.isSafeInteger(v) && v >= lo && v <= hi,
    hint: (v) => (Number.isInteger(v) && (v as number) > Number.MAX_SAFE_INTEGER ? ", more than 2^53 - 1" : ""),
  };
}

export function oneOf(values: readonly string[]): Constraint {
  return {
    must: `one of ${list(values, "or")}`,
    kind: (v) => typeof v === "string",
    allows: (v: string) => values.includes(v),
    hint: (v) => (typeof v === "string" ? meant(v, values) : ""),
  };
}

/** The options given, none being as good as {}, and those of their names that are not among `names`. */
function withForeign<options extends object>(
  caller: string,
  given: options | undefined,
  names: readonly string[],
): { options: options; foreign: string[] } {
  const options = given ?? ({} as options);
  if (given === null || !isRecord(options)) {
    refuse(TypeError, caller, "options", `must be an object, got ${describe(given)}`);
  }
  return { options, foreign: Object.keys(options).filter((name) => !names.includes(name)) };
}

/** The options of a function, as they are now, own or inherited; there are no others than `names`. */
export function readOptions<options extends object>(
  caller: string,
  given: options | undefined,
  names: readonly (keyof options & string)[],
): options {
  const { options, foreign } = withForeign(caller, given, names);
  for (const name of foreign) {
    const hint = names.length > 1 ? meant(name, names, true) : `; there is only "${names[0]}"`;
    throw new TypeError(`${caller}: unknown option "${name}"${hint}`);
  }
  return Object.fromEntries(names.map((name) => [name, options[name]])) as unknown as options;
}

/**
 * The parameters of a function of numbers: a name that is nearly one of `names`, and would be ignored in its place, is
 * refused. Others are none of its business: what is passed may be a record that holds more, its numbers and what they
 * are to give, say.
 */
export function readParameters<options extends object>(
  caller: string,
  given: options | undefined,
  names: readonly (keyof options & string)[],
): options {
  const { options, foreign } = withForeign(caller, given, names);
  const missing = names.filter((name) => options[name] === undefined);
  for (const name of foreign) {
    const like = nearest(name, missing);
    if (like) throw new TypeError(`${caller}: unknown option "${name}"; did you mean "${like}"?`);
  }
  return options;
}
