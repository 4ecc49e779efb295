// Tables and plots come from stored figures alone: test/fixtures/bench holds small ones, made up.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { readAll, resultsFolder } from "../../bench/lib/files.mjs";
import { ratioOf, runsInWords, timesOf } from "../../bench/report/cells.mjs";
import { passesTable, workloadNotes, workloadTable } from "../../bench/report/compareTables.mjs";
import { figures, ratio } from "../../bench/report/format.mjs";
import { goalsInWords, goalsTable, ratioGoalsTable, runsTable, scaling } from "../../bench/report/goals.mjs";
import { measured } from "../../bench/report/legends.mjs";
import { renderReport } from "../../bench/report/pages.mjs";
import { chosenLayout, crossing, sparseGoalsTable } from "../../bench/report/sparseTables.mjs";
import { longestTaskInWords } from "../../bench/report/taskTables.mjs";
import { replaceBlock } from "../../scripts/lib/readme.mjs";
import { markdownTable } from "../../scripts/lib/report.mjs";
import { storedPage } from "../../scripts/papers/stored.mjs";

const fixtures = fileURLToPath(new URL("../fixtures/bench", import.meta.url));
const root = new URL("../../", import.meta.url);

let stored: any;
let report: ReturnType<typeof renderReport>;
beforeAll(async () => {
  stored = await readAll(fixtures);
  report = renderReport(stored);
});

const block = (name: string): string => report.blocks.find((one) => one.name === name)!.text;

describe("numbers", () => {
  test("keep three digits, whatever their size", () => {
    expect([0, 0.01234, 0.5, 1.234, 12.34, 123.4, 1234].map((v) => figures(v))).toEqual([
      ...["0", "0.0123", "0.500", "1.23", "12.3", "123", "1234"],
    ]);
  });

  test("as ratios keep fewer", () => {
    expect([0.25, 0.999, 1.26, 9.96, 12.3].map(ratio)).toEqual(["0.25x", "1.0x", "1.3x", "10x", "12x"]);
  });

  test("stand flush right also behind a sign of comparison", () => {
    expect(markdownTable([["s"], ["> 7.5"], ["12"]]).split("\n")).toEqual([
      ...["|     s |", "| ----: |", "| > 7.5 |", "|    12 |"],
    ]);
  });
});

describe("a cell", () => {
  test("of a peer that ran once is compared with our median, not with the turn that happened to be the same", () => {
    const runs = (...times: number[]): object[] =>
      times.map((cpuSeconds) => ({ status: "solved", seconds: cpuSeconds, cpuSeconds }));
    expect(ratioOf({ runs: runs(1, 3, 2) }, { runs: runs(8) })).toEqual({ median: 4, min: 4, max: 4 });
  });

  test("is compared turn by turn, in CPU seconds", () => {
    const { ours, baseline } = stored.compare.cells[0].entries;
    expect(ratioOf(ours, baseline)).toEqual({ median: expect.closeTo(9), min: 8, max: expect.closeTo(11) });
  });

  test("says how far a contender came that did not finish, and why one took no part", () => {
    const { ours, baseline, liblinear } = stored.compare.cells[2].entries;
    expect(timesOf(baseline)).toEqual({ atLeast: 12 });
    expect(ratioOf(ours, baseline)).toEqual({ atLeast: 12 });
    expect(timesOf(liblinear)).toEqual({ note: "not within the limit of time" });
    expect(timesOf(undefined)).toEqual({ note: "-" });
  });
});

test("cells that a later run has kept are told from its own", () => {
  const { compare } = stored;
  const [first, ...others] = compare.cells;
  const kept = { ...first, keptFrom: { ...compare.machine, cpu: "Another", date: "2000-01-01" } };
  const text = measured({ ...compare, cells: [kept, ...others] });
  expect(text).toMatch(/ Kept from a run on Another, .*2000-01-01: hinge on letter\.$/);
  expect(measured(compare)).not.toContain("Kept");
});

test("the longest task is named, or that none took a frame", () => {
  const cases = (long: number, milliseconds = 0, cpuMilliseconds = 0): object => ({
    ...{ long, longest: { milliseconds, cpuMilliseconds } },
  });
  const words = (figures: object): string =>
    longestTaskInWords({ figures, longMilliseconds: 16, command: "npm run it" } as any);
  expect(words({ letter: { a: cases(0), b: cases(1, 17.2, 16.1) }, clouds: { a: cases(2, 31.8, 18) } })).toBe(
    "The longest task of the fits that `npm run it` traces in Chromium took 32 ms by the clock, the longest by processor time 18 ms.",
  );
  expect(words({ letter: { a: cases(0) } })).toContain("took less than 16 ms");
});

describe("how many runs there were", () => {
  const runs = (count: number, status = "solved"): object => ({
    runs: Array.from({ length: count }, () => ({ status })),
  });
  const peers = { liblinear: { name: "liblinear" } };
  const words = (...cells: object[]): string =>
    runsInWords(cells.map((entries) => ({ entries })) as any, peers as any, " (min - max)");

  test("is said once where all have as many, and by name where not", () => {
    expect(words({ ours: runs(3), baseline: runs(3) })).toBe("median of 3 runs (min - max)");
    expect(words({ ours: runs(1), liblinear: runs(1) })).toBe("one run");
    expect(words({ ours: runs(3), baseline: runs(1), liblinear: runs(1) })).toBe(
      "median of 3 runs (min - max) of ours, one run of plain SDCA in JavaScript and liblinear",
    );
  });

  test("leaves those out that were stopped", () => {
    expect(words({ ours: runs(2), baseline: runs(1, "max-seconds") })).toBe("median of 2 runs (min - max)");
    expect(words({ ours: runs(2) }, { ours: runs(3) })).toBe("median of 2 to 3 runs (min - max)");
  });
});

describe("figures that older files do not have", () => {
  const withMore = (): any => {
    const compare = structuredClone(stored.compare);
    const [cell] = compare.cells;
    for (const run of cell.entries.ours.runs) run.warm = { seconds: 0.25, cpuSeconds: 0.25 };
    const ratio = { median: 4.5, min: 4, max: 5 };
    cell.passes = { ours: { median: 2, min: 1, max: 3 }, baseline: { median: 9, min: 8, max: 10 }, ratio };
    return compare;
  };

  test("a second fit and steps alone are shown where they were measured", () => {
    expect(workloadTable(stored.compare, "letter")[0]).not.toContain("second fit, s");
    expect(passesTable(stored.compare)).toBeUndefined();
    const [headings, first] = workloadTable(withMore(), "letter");
    expect(first[headings.indexOf("second fit, s")]).toBe("0.250");
    expect(passesTable(withMore())?.[1]).toEqual([
      "letter",
      "hinge",
      "2.00 (1.00 - 3.00)",
      "9.00 (8.00 - 10.0)",
      "4.5x (4.0x - 5.0x)",
    ]);
    const { blocks } = renderReport({ passes: { ...withMore(), machine: stored.compare.machine, repeats: 3 } } as any);
    expect(blocks.map(({ name }) => name)).toEqual(["bench-passes"]);
  });

  test("top-k entropy is called softmax where both have the same objective", () => {
    const cell = (loss: string, primalObjective: number): object => ({
      ...{ workload: "letter", loss },
      entries: { ours: { runs: [{ status: "solved", primalObjective }] } },
    });
    const notes = (P: number): string =>
      workloadNotes({ cells: [cell("softmax", 100), cell("top5-entropy", P)], peers: {} } as any, "letter");
    expect(notes(100.0001)).toContain("One run. Top-5 entropy is softmax here");
    expect(notes(100.01)).toBe("One run.");
  });
});

describe("goals", () => {
  test("are scaled by the yardstick of their family, by the mean where it was not run", () => {
    const factor = scaling(stored.compare, "hinge");
    expect(factor("letter")).toBeCloseTo(0.2 / 0.22);
    expect(factor("wide")).toBeCloseTo(0.2 / 0.22);
    expect(scaling(stored.compare, "entropy")("letter")).toBeUndefined();
  });

  test("are met or missed", () => {
    const rows = goalsTable(stored.compare);
    expect(rows.map((row: string[]) => row.at(-1))).toEqual(["", "missed", "missed", "missed"]);
    expect(ratioGoalsTable(stored.compare).at(-1)).toEqual(["hinge", "indoor", "10x", "> 12x", "met"]);
  });

  test("of several runs: how much of each was used, and how many are met", () => {
    const other = structuredClone(stored.compare);
    other.machine.date = "2020-02-29";
    other.cells = other.cells.filter(({ workload }: any) => workload === "letter");
    for (const run of other.cells[0].entries.ours.runs) run.cpuSeconds /= 100;
    const [head, hinge] = runsTable([stored.compare, other]);
    expect(head).toEqual(["loss", "letter", "caltech", "indoor", "aloi", "wide"]);
    const [here, there] = hinge[1].split(", ").map(Number);
    expect(here).toBeGreaterThan(1);
    expect(Math.abs(there - here / 100)).toBeLessThanOrEqual(0.005);
    expect(hinge[2]).toBe("-, -");
    expect(hinge[3]).toMatch(/^\d+\.\d\d, -$/);
    const words = goalsInWords(stored.compare, { "in the rain": other, "in the sun": stored.compare });
    expect(words).toMatch(
      /: above, with 0 of 3 met; on 2020-02-29, in the rain, with 1 of 2; on .*, in the sun, with 0 of 3\./,
    );
  });
});

describe("sparse rows and label sets", () => {
  test("goals: liblinear's time turn by turn, and time per epoch by that of the yardstick", () => {
    expect(sparseGoalsTable(stored.sparse).slice(1)).toEqual([
      ["hinge on sections, CPU seconds by liblinear's", "0.500x", "0.250x", "met"],
      ["multilabel-hinge on tags, time per epoch by hinge's", "2.00x", "1.50x", "met"],
      ["ova-logistic on tags, time per epoch by hinge's", "2.00x", "2.50x", "missed"],
    ]);
  });

  test("the layout that fit takes", () => {
    const { thresholds } = stored.sparse.layouts;
    expect([0.05, 0.2, 0.6].map((x) => chosenLayout(thresholds, "hinge", x))).toEqual(["sparse", "skipping", "dense"]);
    expect(chosenLayout(thresholds, "softmax", 0.2)).toBe("sparse");
  });

  test("where layouts cross: between two points, or beyond all of them", () => {
    const { points } = stored.sparse.layouts;
    // Sparse costs 40 x, dense 10, skipping 2 + 16 x: they meet at a quarter and at a twelfth.
    const { at } = crossing(points, "hinge", "first", "sparse", ["dense"]);
    expect(at).toBeGreaterThan(0.2);
    expect(at).toBeLessThan(0.27);
    expect(crossing(points, "hinge", "fit", "sparse", ["dense", "skipping"]).at).toBeCloseTo(1 / 12, 2);
    expect(crossing(points.slice(0, 2), "hinge", "first", "sparse", ["dense"])).toEqual({ above: 0.1 });
    expect(crossing(points.slice(3), "hinge", "first", "sparse", ["dense"])).toEqual({ below: 0.75 });
  });
});

describe("the report", () => {
  test("shows ratios, what was cut short, and where we lose", () => {
    expect(block("bench-table")).toMatch(/\| hinge +\| 0\.50 s, 9\.0x +\| 1\.0 s, > 12x +\|/);
    expect(block("bench-table")).toContain("Where we lose: hinge on letter (liblinear, 0.50x).");
    expect(block("bench-table")).toContain("set as goals before the work began, 0 of 3 are reached;");
    expect(block("bench-table")).toContain(
      "With other C (docs/benchmarks.md) we lose: hinge on letter, C = 1 (liblinear, 0.50x).",
    );
    expect(block("bench-costs")).toMatch(
      /\| hinge +\| +1 \| .* liblinear \| .* 0\.50x \|\n\| letter +\| softmax +\| +10 \| .* - +\|/,
    );
    // Turn by turn twice, once and twice the time.
    expect(block("bench-intercept")).toMatch(/\| caltech +\| hinge \| +11 \| +17 \| +0\.300 \| 0\.400 \| +2\.0x \|/);
    expect(block("bench-held-out")).toMatch(
      /\| caltech +\| hinge +\| +820 \| +4 \| +0\.300 \| 0\.400 \| +1\.5x \| +20\.0 \| +90\.0 \| +5\.0x \|/,
    );
    expect(block("bench-held-out")).toMatch(/\| caltech +\| hinge, rbf \|.* +1\.5x \| +500 \| +- \| +- \|/);
    expect(block("bench-compare")).toContain("not within the limit of time");
    expect(block("bench-kernels")).toMatch(
      /\| libsvm \| 1\.00 \(0\.500 - 2\.00\) +\| +1\.00 \| 0\.50x \| +10 \| +9\.0e-4 \|/,
    );
    expect(block("bench-kernels")).toMatch(/\| libsvm \| not within the tolerance at its tightest setting \| +- \|/);
    expect(block("bench-packages")).toMatch(/small, 1000 x 50, 10 classes \| libsvm-js +\| +> 60\.0 /);
    expect(block("bench-sparse")).toMatch(/\| hinge +\| liblinear +\| +2\.20 \(1\.76 - 2\.64\) \| +2\.00 \| +4\.0x \|/);
    expect(block("bench-sparse")).toMatch(
      /\| multilabel-hinge \| tags of Debian packages +\| +30 \| +5\.5 \|.* 31 +\| +0\.310 \|\n/,
    );
    expect(block("bench-sparse")).toMatch(/\| ova-logistic .* not solved +\| +- \|\n/);
    expect(block("bench-sparse")).toMatch(/10\.0 \/ 3\.60 \/ 4\.00 +\| skipping, 1\.0x/);
    expect(block("bench-growth")).toMatch(/n = 1000 \.\.\. 100000, d = 64, m = 50 \| softmax +\| +1\.00 /);
    expect(block("bench-micro")).toContain("Kernels slower than plain JavaScript: V(t) = W(exp t), n = 1e3 (0.50x)");
    expect(block("bench-micro")).toMatch(
      /Public functions slower than plain JavaScript: V\(t\) = W\(exp t\), n = 1e3 \(0\.25x\)/,
    );
    expect(block("bench-micro")).toMatch(
      /\| V\(t\) = W\(exp t\) +\| +1e3 \| +6 µs \| +10\.0 µs \| missed \| +20\.0 µs \|/,
    );
    expect(block("bench-packages")).toContain("Median of 3 runs (min - max).");
    for (const { name, text } of report.blocks) {
      expect(text, name).toContain("A processor, 2 cores");
      expect(text, name).not.toMatch(/NaN|undefined|Infinity/);
    }
  });

  test("draws the same plots every time, small, sound and with colours of their own", () => {
    expect(JSON.stringify(renderReport(stored)) === JSON.stringify(report)).toBe(true);
    expect(report.files.map(({ path }) => path).sort()).toEqual([
      ...[
        "docs/figures/convergence.svg",
        "docs/figures/frank-wolfe.svg",
        "docs/figures/growth.svg",
        "docs/figures/micro.svg",
      ],
    ]);
    for (const { path, text } of report.files) {
      expect(text.length, path).toBeLessThan(60_000);
      expect(text, path).toMatch(/^<svg xmlns/);
      expect(text, path).toContain("prefers-color-scheme: dark");
      expect(text, path).not.toMatch(/NaN|undefined|Infinity/);
    }
  });

  test("leaves out what has not been measured", () => {
    expect(renderReport({ micro: stored.micro } as any).blocks.map(({ name }) => name)).toEqual(["bench-micro"]);
  });

  test("has markers in the pages for every block", async () => {
    for (const { page, name, text } of report.blocks) {
      expect(replaceBlock(await readFile(new URL(page, root), "utf8"), name, text, page)).toContain(text);
    }
  });
});

describe("pages and figures hold what bench/results says; if not, `npm run bench:report`:", async () => {
  const { blocks, files } = renderReport((await readAll(resultsFolder)) as any);

  test.each(blocks)("$page, $name", async ({ page, name, text }) => {
    const written = await readFile(new URL(page, root), "utf8");
    expect(replaceBlock(written, name, text, page) === written).toBe(true);
  });

  test.each(files)("$path", async ({ path, text }) => {
    expect((await readFile(new URL(path, root), "utf8")) === text).toBe(true);
  });

  test("docs/papers.md", async () => {
    expect((await readFile(new URL("docs/papers.md", root), "utf8")) === (await storedPage())).toBe(true);
  });

  test("none is missing", async () => {
    const pages = await Promise.all(
      ["README.md", "docs/benchmarks.md"].map((page) => readFile(new URL(page, root), "utf8")),
    );
    const marked = [...pages.join("\n").matchAll(/<!-- (bench-[a-z-]+):begin -->/g)].map(([, name]) => name);
    expect(blocks.map(({ name }) => name).sort()).toEqual(marked.sort());
    expect(files).toHaveLength(4);
  });
});
