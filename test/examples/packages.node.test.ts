// examples/packages as its README says to run it, on the small part. Needs `npm run build` first.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parsePackages, sectionsOf, splitByDescription } from "../../examples/packages/packages.js";

const example = new URL("../../examples/packages/", import.meta.url);
const main = fileURLToPath(new URL("main.mjs", example));

describe("the packages of the repository", async () => {
  const compressed = await readFile(new URL("packages.tsv.gz", example));
  const table = gunzipSync(compressed).toString();
  const packages = parsePackages(table);

  test("are a small file with every section, and whole lines", () => {
    expect(compressed.length).toBeLessThan(1.5e6);
    expect(sectionsOf(packages)).toHaveLength(58);
    expect(packages.every(({ name, section, description }) => name && section && description)).toBe(true);
    expect(table.split("\n").every((line) => line === "" || line.split("\t").length === 4)).toBe(true);
  });

  test("are as many as README and the demo say", async () => {
    const tagged = packages.filter(({ tags }) => tags.length > 0).length;
    const readme = await readFile(new URL("README.md", example), "utf8");
    expect(readme).toContain(`\n${packages.length} of 51058 packages. Every package with tags stays (${tagged}),`);
    const page = await readFile(new URL("../../demo/which-section.html", example), "utf8");
    expect(page).toContain(`${packages.length}`.replace(/(?=...$)/, " "));
  });

  test("are split by description: a fifth is held out, and nothing of it is trained on", () => {
    const [train, heldOut] = splitByDescription(packages);
    const trained = new Set(train.map(({ description }) => description));
    expect(heldOut.some(({ description }) => trained.has(description))).toBe(false);
    expect(heldOut.length / packages.length).toBeCloseTo(0.2, 2);
    expect(new Set(packages.map(({ description }) => description)).size).toBeLessThan(packages.length);
  });
});

describe("npm run example:packages -- --quick", () => {
  let folder: string;
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, [main, "--quick", "--models", folder, ...args]).then(
      (done) => ({ ...done, code: 0 }),
      ({ code, stdout, stderr }) => ({ code, stdout, stderr }) as { code: number; stdout: string; stderr: string },
    );
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "topk-sdca-packages-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const command = (): string => `npm run example:packages -- --quick --models ${JSON.stringify(folder)}`;

  test("asked before it is trained, says so", async () => {
    const { code, stderr } = await run("a text editor");
    expect(code).toBe(1);
    expect(stderr.endsWith(`train first: ${command()}\n`)).toBe(true);
  });

  test("trains every loss to its certificate and prints how good it is", async () => {
    const { code, stdout, stderr } = await run();
    expect(stdout).toContain(`Ask the models: ${command()} "a text editor for programmers"`);
    expect(stderr).toMatch(/^softmax: epoch \d+, relative gap \S+, \S+ s, solved$/m);
    expect(code, stderr.slice(-500)).toBe(0);

    const sections = readTable(stdout, "top-1 %");
    expect(sections.map(({ loss }) => loss)).toEqual([
      "hinge",
      "top-3 hinge",
      "top-5 hinge",
      "softmax",
      "softmax, no names",
    ]);
    for (const row of sections) {
      expect(Number(row["top-1 %"])).toBeGreaterThan(50);
      expect(Number(row["top-3 %"])).toBeGreaterThan(Number(row["top-1 %"]));
      expect(Number(row["top-5 %"])).toBeGreaterThan(Number(row["top-3 %"]));
    }

    const tags = readTable(stdout, "mAP %");
    expect(tags.map(({ loss }) => loss)).toEqual([
      "multilabel hinge",
      "multilabel softmax",
      "one-vs-all hinge",
      "one-vs-all hinge, at 0",
      "one-vs-all logistic",
      "one-vs-all logistic, at 0",
      "one-vs-all hinge, balanced",
      "one-vs-all hinge, balanced, at 0",
      "one-vs-all logistic, balanced",
      "one-vs-all logistic, balanced, at 0",
      "one-vs-all logistic, no names",
    ]);
    for (const row of tags) {
      expect(Number(row["micro F1 %"])).toBeGreaterThan(40);
      expect(Number(row["rank loss %"])).toBeLessThan(15);
      if (row.loss.endsWith("at 0")) expect(Number(row.threshold)).toBe(0);
    }
    for (const row of [...sections, ...tags]) {
      expect(row.status).toBe("solved");
      expect(Number(row["relative gap"])).toBeLessThanOrEqual(1e-3);
    }
  });

  test("then answers a description from the saved models", async () => {
    const { code, stdout, stderr } = await run("Perl", "module to parse dates");
    expect(code, stderr).toBe(0);
    expect(stderr).toBe("");
    const sections = readTable(stdout, "probability");
    expect(sections).toHaveLength(5);
    expect(sections[0].section).toBe("perl");
    const scores = sections.map(({ score }) => Number(score));
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(readTable(stdout, "tag").map(({ tag }) => tag)).toContain("devel::lang:perl");
  });

  test.each([
    ["a description without a known word", ["qwrtz"], 1, "no word of this description is known"],
    ["an unknown option", ["--fast"], 2, "--fast"],
  ])("refuses %s", async (_, args, exitCode, message) => {
    const { code, stdout, stderr } = await run(...args);
    expect(code).toBe(exitCode);
    expect(stdout).toBe("");
    expect(stderr).toContain(message);
  });
});

/** The rows of the printed table that has a column of this name, by column. */
function readTable(text: string, column: string): Record<string, string>[] {
  const cells = (line: string): string[] => line.trim().split(/ {2,}/);
  const lines = text.split("\n");
  const first = lines.findIndex((line) => cells(line).includes(column));
  const names = cells(lines[first]);
  const rows = lines.slice(first + 2); // under the rule
  return rows
    .slice(0, rows.indexOf(""))
    .map((line) => Object.fromEntries(cells(line).map((cell, j) => [names[j], cell])));
}
