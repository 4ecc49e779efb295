// Dependencies point one way: no file of src/ or assembly/, and no folder of them, is reached from what it imports.
import { readFile, readdir } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** What imports what, as pairs of paths below `folder`. */
async function importsBelow(folder: string): Promise<[from: string, to: string][]> {
  const files = (await readdir(join(root, folder), { recursive: true })).filter((file) => file.endsWith(".ts"));
  const texts = await Promise.all(files.map((file) => readFile(join(root, folder, file), "utf8")));
  return files.flatMap((from, i) =>
    Array.from(texts[i].matchAll(/(?: from |\bimport\()"(\.[^"]+)"/g), ([, name]): [string, string] => [
      from,
      normalize(join(dirname(from), name)).replace(/(\.ts)?$/, ".ts"), // AssemblyScript leaves it out
    ]),
  );
}

/** The folder of a path, or the file itself where it has none. */
const roomOf = (path: string): string => path.split("/")[0];

/** A way that comes back to where it began, if there is one. */
function findCycle(pairs: readonly (readonly [string, string])[]): string[] | undefined {
  const next = new Map<string, Set<string>>();
  for (const [from, to] of pairs) next.set(from, (next.get(from) ?? new Set()).add(to));
  const done = new Set<string>();
  const visit = (at: string, way: readonly string[]): string[] | undefined => {
    if (way.includes(at)) return [...way.slice(way.indexOf(at)), at];
    if (done.has(at)) return undefined;
    for (const to of next.get(at) ?? []) {
      const cycle = visit(to, [...way, at]);
      if (cycle) return cycle;
    }
    done.add(at);
    return undefined;
  };
  for (const at of next.keys()) {
    const cycle = visit(at, []);
    if (cycle) return cycle;
  }
  return undefined;
}

/** The order of docs/design.md, highest first: nothing imports from a layer above its own. Files and folders that it does not name are free. */
const layers: Readonly<Record<string, readonly (readonly string[])[]>> = {
  src: [
    ["index.ts", "worker.ts"],
    ["core.ts"],
    ["select"],
    ["fit.ts"],
    ["fit"],
    ["model.ts"],
    ["solver", "model"],
    ["certificate.ts", "settings.ts", "gram.ts"],
    ["wasm", "labels.ts", "features.ts"],
    ["losses.ts", "arrays"],
    ["constraints.ts"],
    ["errors.ts"],
  ],
  assembly: [["index.ts", "structures.ts"], ["solver"], ["data"], ["loss"], ["prox"], ["select", "math"], ["linalg"]],
};

test("cycles are found", () => {
  expect(findCycle([["a", "b"], ["b", "c"], ["a", "c"]])).toBeUndefined(); // prettier-ignore
  expect(findCycle([["a", "b"], ["b", "c"], ["c", "b"]])).toEqual(["b", "c", "b"]); // prettier-ignore
});

describe.each(["src", "assembly"])("%s", (folder) => {
  test("no file is reached from what it imports", async () => {
    const pairs = await importsBelow(folder);
    expect(pairs.length).toBeGreaterThan(50);
    expect(findCycle(pairs)).toBeUndefined();
  });

  test("nor is a folder", async () => {
    const pairs = (await importsBelow(folder)).map(([from, to]): [string, string] => [roomOf(from), roomOf(to)]);
    expect(findCycle(pairs.filter(([from, to]) => from !== to))).toBeUndefined();
  });

  test("imports go down the layers, in the order that docs/design.md gives", async () => {
    const layerOf = (path: string): number => layers[folder].findIndex((rooms) => rooms.includes(roomOf(path)));
    const pairs = await importsBelow(folder);
    const upwards = pairs.filter(([from, to]) => layerOf(to) >= 0 && layerOf(from) > layerOf(to));
    expect(upwards).toEqual([]);
    const words = (await readFile(join(root, "docs/design.md"), "utf8")).match(/`(index|solver)[^`]* -> [^`]*`/g)!;
    const order = words[folder === "src" ? 0 : 1].slice(1, -1).split(" -> ");
    const named = layers[folder].map((rooms) => rooms.map((room) => room.replace(/\.ts$/, "")));
    const documented = order.map((names) => names.split(", ").map((name) => name.replace(/\/$/, "")));
    expect(documented).toEqual(folder === "src" ? named : named.slice(1)); // that of the kernels begins below its index
  });
});
