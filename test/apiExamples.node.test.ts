// The examples in the documentation of the API, src/, do what they say. Needs `npm run build` first.
import { execFile } from "node:child_process";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { installPacked } from "../scripts/lib/pack.mjs";
import { losses, metrics, prox } from "../src/index.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

interface Example {
  /** File and line. */
  place: string;
  entry: string;
  code: string;
}

/** What an entry point exports that its examples use without importing it. */
const inScope: Record<string, string> = {
  "topk-sdca": "fit, init, load, losses, metrics, prox, select",
  "topk-sdca/predict": "load",
  "topk-sdca/worker": "connect",
};

async function readExamples(file: string): Promise<Example[]> {
  const text = await readFile(file, "utf8");
  const path = relative(root, file);
  const entry = /predict\.ts$/.test(path) ? "/predict" : /worker\//.test(path) ? "/worker" : "";
  return [...text.matchAll(/^ *\* @example\n((?: *\*(?: .*)?\n)+?)(?= *\*(?:\/| @))/gm)].map(({ 1: lines, index }) => {
    const code = lines.replace(/^ *\* ?/gm, "");
    return { place: `${path}:${text.slice(0, index).split("\n").length}`, entry: `topk-sdca${entry}`, code };
  });
}

const files = (await readdir(join(root, "src"), { recursive: true })).filter((name) => name.endsWith(".ts"));
const examples = (await Promise.all(files.map((name) => readExamples(join(root, "src", name))))).flat();
const serving = examples.find(({ code }) => code.includes("serve("))!;
const programs = examples.filter((example) => example !== serving);

/** One value of an example and the comment behind it. */
interface Said {
  place: string;
  expression: string;
  comment: string;
}
const said: Said[] = programs.flatMap(({ place, code }) =>
  [...code.matchAll(/^(.*); \/\/ (.*)$/gm)].map(([, expression, comment]) => ({ place, expression, comment })),
);

/** The values, in the order of `said`, of examples run by someone who has installed the package. */
let values: unknown[];
let user: Awaited<ReturnType<typeof installPacked>>;
beforeAll(async () => {
  user = await installPacked();
  const write = (name: string, code: string): Promise<void> => writeFile(join(user.folder, name), code);
  await write("package.json", '{ "type": "module" }');
  await write(
    "worker.js",
    `import { parentPort } from "node:worker_threads";\nglobalThis.self = parentPort;\n${serving.code}`,
  );
  // What a browser has: its workers, and a server with a saved model.
  await write(
    "browser.js",
    `import { Worker } from "node:worker_threads";
    import { fit } from "topk-sdca";
    globalThis.Worker = Worker;
    const model = await fit([[0, 1], [1, 0], [1, 1]], ["a", "b", "b"]);
    globalThis.fetch = async () => new Response(model.toBytes());`,
  );
  for (const [entry, names] of Object.entries(inScope)) {
    const parts = programs.filter((example) => example.entry === entry);
    const bodies = parts.map(({ code }) => `{\n${code.replace(/^(.*); \/\/ .*$/gm, "tell($1);")}\n}`);
    await write(
      `${entry.replace("/", "-")}.js`,
      `import "./browser.js";\nimport { ${names} } from "${entry}";
      ${entry === "topk-sdca" ? "await init();" : ""}
      export const told = [];
      const plain = (key, v) => (ArrayBuffer.isView(v) ? Array.from(v) : v);
      const tell = (v) => told.push(JSON.parse(JSON.stringify(v, plain)));
      ${bodies.join("\n")}`,
    );
  }
  const names = Object.keys(inScope).map((entry) => entry.replace("/", "-"));
  await write(
    "main.js",
    `const all = [];
    for (const name of ${JSON.stringify(names)}) all.push((await import("./" + name + ".js")).told);
    console.log(JSON.stringify(all));
    process.exit();`,
  );
  const { stdout } = await promisify(execFile)(process.execPath, ["main.js"], { cwd: user.folder });
  const told = JSON.parse(stdout) as unknown[][];
  values = said.map(({ place }) => {
    const { entry } = programs.find((example) => example.place === place)!;
    return told[Object.keys(inScope).indexOf(entry)].shift();
  });
  expect(told.flat()).toEqual([]);
});
afterAll(() => user?.remove());

/** What a comment says of a value; a number of few digits stands for all that are rounded to it. */
function expectSaid(value: unknown, comment: unknown, what: string): void {
  if (typeof comment === "number") {
    const digits = String(comment).split(".")[1]?.length ?? 0;
    expect(Math.abs((value as number) - comment), what).toBeLessThanOrEqual(0.5 * 10 ** -digits + 1e-12);
  } else if (Object(comment) === comment) {
    expect(Object.keys(value as object), what).toEqual(Object.keys(comment as object));
    for (const [key, part] of Object.entries(comment as object)) {
      expectSaid((value as Record<string, unknown>)[key], part, `${what}, ${key}`);
    }
  } else expect(value, what).toBe(comment);
}

test.each(said.map((one, i) => ({ ...one, i })))("$place: $expression", ({ i, expression, comment }) => {
  expectSaid(values[i], new Function(`return (${comment});`)(), expression);
});

test("every function has one", () => {
  const code = examples.map((example) => example.code).join("\n");
  const functions = [...inScope["topk-sdca"].split(", "), "serve", "connect"].filter(
    (name) => !["losses", "metrics", "prox"].includes(name),
  );
  const methods = Object.entries({ losses, metrics, prox }).flatMap(([name, all]) =>
    Object.keys(all).map((method) => `${name}.${method}`),
  );
  for (const name of [...functions, ...methods]) expect(code).toContain(`${name}(`);
});
