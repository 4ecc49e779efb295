import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { STRUCTURE_BYTES } from "../../src/wasm/kernels.ts";

/**
 * The structures of the kernels are filled by one call each, of up to 43 numbers: whoever calls, what is declared and what takes them have to
 * agree on their order, and the room for a structure has to be as large as it is.
 */

const read = (path: string): Promise<string> => readFile(new URL(`../../${path}`, import.meta.url), "utf8");
const [descriptions, declared] = await Promise.all(["assembly/structures.ts", "src/wasm/kernels.ts"].map(read));

/** Between the parentheses that follow `start`. */
function listAfter(text: string, start: string): string[] {
  const from = text.indexOf(start) + start.length;
  expect(from, start).toBeGreaterThanOrEqual(start.length);
  const items = text.slice(from, text.indexOf(")", from)).split(",");
  return items.map((item) => item.trim()).filter((item) => item !== "");
}
const nameOf = (item: string): string => /^\w+/.exec(item)![0];
const lastNameOf = (item: string): string => /\w+$/.exec(item)![0];

interface Structure {
  readonly name: keyof typeof STRUCTURE_BYTES;
  readonly source: string;
  readonly describe: string;
  readonly parameter: string;
  readonly caller: string;
  /** Arguments that have another name than the field. */
  readonly renamed?: Record<string, string>;
  /** Fields that no call fills: zero at first. */
  readonly own?: readonly string[];
}

const structures: Structure[] = [
  {
    ...{ name: "Loss", source: "assembly/loss/parameters.ts", describe: "describeLoss", parameter: "loss" },
    ...{ caller: "src/wasm/loss.ts", renamed: { kind: "family", set: "domain" } },
  },
  {
    ...{ name: "Problem", source: "assembly/data/problem.ts", describe: "describeProblem", parameter: "problem" },
    ...{ caller: "src/wasm/problem.ts", own: ["keepsRests", "deflated", "tooMany", "share", "doubt", "kernel"] },
  },
  {
    ...{
      name: "KernelMatrix",
      source: "assembly/data/kernelMatrix.ts",
      describe: "describeKernel",
      parameter: "kernel",
    },
    ...{ caller: "src/wasm/kernelMatrix.ts", own: ["clock", "steps", "moved"] },
  },
  {
    ...{ name: "Atoms", source: "assembly/solver/frankWolfe.ts", describe: "describeAtoms", parameter: "atoms" },
    ...{ caller: "src/wasm/atoms.ts", renamed: { kind: "direction", stepSums: "sums", atomClasses: "classes" } },
  },
];

describe.each(structures)("$name", ({ name, source, describe, parameter, caller, renamed = {}, own = [] }) => {
  const fieldsOf = async (): Promise<[name: string, type: string][]> => {
    const [, body] = new RegExp(`^export class ${name} \\{\n(.*?)^\\}`, "ms").exec(await read(source))!;
    return [...body.matchAll(/^ {2}(\w+): (\w+);/gm)].map(([, field, type]) => [field, type]);
  };

  test("has room", async () => {
    const bytesOf: Record<string, number> = { bool: 1, f64: 8 };
    let end = 0;
    for (const [, type] of await fieldsOf()) {
      const bytes = bytesOf[type] ?? 4;
      end = Math.ceil(end / bytes) * bytes + bytes;
    }
    expect(end).toBeGreaterThan(0);
    expect(end).toBeLessThanOrEqual(STRUCTURE_BYTES[name]);
  });

  test("gets its fields in the order in which they are given", async () => {
    const taken = listAfter(descriptions, `export function ${describe}(`).map(nameOf);
    expect(listAfter(declared, `${describe}(`).map(nameOf)).toEqual(taken);
    const given = listAfter(await read(caller), `kernels.${describe}(`).map(lastNameOf);
    expect(given.map((argument) => renamed[argument] ?? argument)).toEqual(taken);
  });

  test("and all of them", async () => {
    const fields = (await fieldsOf()).map(([field]) => field);
    const filled = [...descriptions.matchAll(new RegExp(`^ {2}${parameter}\\.(\\w+) = (\\w+);$`, "gm"))];
    for (const [, field, value] of filled) if (!own.includes(field)) expect(value).toBe(field);
    const names = filled.map(([, field]) => field);
    expect(fields.filter((field) => !own.includes(field) && !names.includes(field))).toEqual([]);
    expect(names.filter((field) => !fields.includes(field))).toEqual([]);
  });
});
