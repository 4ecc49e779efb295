import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { fit, load, type CsrMatrix } from "../../src/index.ts";
import { csrOf, spread } from "../helpers/csr.ts";
import { clouds } from "../helpers/data.ts";
import { useFolder } from "./runCli.ts";

/** LIBSVM files, which stay sparse all the way, against CSV files and the library. */

const folder = useFolder();
const { run, write } = folder;

const { features: narrow, labels } = clouds(90, 4, 3, 8, 0.5);
/** The last column is not empty: it would not be in a LIBSVM file. */
const rows = spread(narrow, 60).map((row) => row.slice(0, 49));
const csv = (given: number[][]): string =>
  `label,${given[0].map((_, l) => `x${l}`).join()}\n${given.map((row, i) => `${labels[i]},${row.join()}\n`).join("")}`;
const libsvm = ({ data, indices, indptr }: CsrMatrix, ys: readonly unknown[] = labels): string =>
  ys
    .map((y, i) => {
      const pairs = [...data.subarray(indptr[i], indptr[i + 1])].map((v, p) => `${indices[indptr[i] + p] + 1}:${v}`);
      return `${[y, ...pairs].join(" ")}\n`;
    })
    .join("");

const weightsOf = async (name: string): Promise<unknown> => load(await readFile(folder.path(name))).weights;

test("the model of the rows written out, with and without scaling of the rows", async () => {
  await write("data.csv", csv(rows));
  await write("data.svm", libsvm(csrOf(rows)));
  for (const scaling of ["none", "unit-rows"]) {
    for (const file of ["data.csv", "data.svm"]) {
      expect((await run(`train ${file} --model ${file}.m --scaling ${scaling}`)).code).toBe(0);
    }
    expect(await weightsOf("data.svm.m")).toEqual(await weightsOf("data.csv.m"));
    for (const command of ["evaluate", "predict"]) {
      const fromRows = await run(`${command} data.csv --model data.svm.m`);
      expect(fromRows.code).toBe(0);
      expect(await run(`${command} data.svm --model data.csv.m`)).toEqual(fromRows);
    }
  }
});

test("a validation file may end before the last column", async () => {
  await write("data.svm", libsvm(csrOf(rows)));
  await write("held.svm", "0 1:2\n1 3:1\n");
  const { code, stderr } = await run("train data.svm --model m --validation held.svm --quiet");
  expect([code, stderr]).toEqual([0, ""]);
});

describe("--scaling", () => {
  test("standard does not centre, as the library's for sparse rows", async () => {
    await write("data.svm", libsvm(csrOf(rows)));
    expect((await run("train data.svm --model m --scaling standard")).code).toBe(0);
    expect(await weightsOf("m")).toEqual((await fit(csrOf(rows), labels, { scaling: "standard" })).weights);
  });

  test("minmax takes rows of which a tenth is there as CSV's, and refuses emptier ones", async () => {
    const halfEmpty = spread(narrow, 8);
    await write("data.csv", csv(halfEmpty));
    await write("data.svm", libsvm(csrOf(halfEmpty)));
    for (const file of ["data.csv", "data.svm"]) {
      const { code } = await run(`train ${file} --model ${file}.m --scaling minmax --validation data.svm`);
      expect(code).toBe(0);
    }
    expect(await weightsOf("data.svm.m")).toEqual(await weightsOf("data.csv.m"));
    expect((await run("evaluate data.svm --model data.svm.m")).stdout).toBe(
      (await run("evaluate data.csv --model data.csv.m")).stdout,
    );

    await write("wide.svm", libsvm(csrOf(rows)).replace("\n", " 100000:1\n"));
    expect(await run("train wide.svm --model m --scaling minmax --quiet")).toEqual({
      code: 1,
      stdout: "",
      stderr:
        "topk-sdca: --scaling minmax would fill the zeros of wide.svm, which has 361 of 9000000 values; standard and unit-rows keep them\n",
    });
    expect(await folder.list()).not.toContain("m");

    for (const [last, code] of [[5, 0], [6, 1]]) {
      await write("few.svm", `1 ${last}:1\n2\n`); // 1 of 10 values, or of 12
      expect((await run("train few.svm --model m --scaling minmax --quiet")).code).toBe(code);
    }
  }); // prettier-ignore
});

describe("a million columns", () => {
  const cols = 1_000_000;
  const count = 4000;
  /** The class is the first column; the others are far apart. */
  const text = Array.from(
    { length: count },
    (_, i) => `${i % 3} ${(i % 3) + 1}:1 ${4 + ((i * 7919) % (cols - 4))}:0.5 ${cols}:0.1\n`,
  ).join("");

  test("train, evaluate and predict in the memory of what is there", async () => {
    await write("data.svm", text);
    const trained = await run("train data.svm --model m --validation data.svm --json");
    expect(trained.code).toBe(0);
    expect(trained.stderr).toMatch(/^data\.svm: 4000 rows, 1000000 features, 3 classes\n/);
    const evaluation = { rows: count, topKAccuracy: { 1: 1 } };
    expect(JSON.parse(trained.stdout)).toMatchObject({ features: cols, training: evaluation, validation: evaluation });
    expect(JSON.parse((await run("evaluate data.svm --model m --json")).stdout)).toMatchObject(evaluation);
    const { stdout } = await run("predict - --model m --k 1", text);
    const found = stdout.trim().split("\n").slice(1);
    expect(found.map((line) => line[0])).toEqual(Array.from({ length: count }, (_, i) => String(i % 3)));
  });

  test("an index beyond the model's is refused with file and line, also after thousands of rows", async () => {
    await write("data.svm", text);
    await run("train data.svm --model m");
    await write("wide.svm", `${text}2 1:1 ${cols + 1}:1\n`);
    const before = await folder.list();
    for (const [args, whose] of [
      ["train data.svm --model new --validation wide.svm --quiet", "data.svm"],
      ["evaluate wide.svm --model m", "the model"],
      ["predict wide.svm --model m --out guesses.csv", "the model"],
    ]) {
      const stderr = `topk-sdca: wide.svm line 4001: index 1000001, but ${whose} has 1000000 features\n`;
      expect(await run(args)).toEqual({ code: 1, stdout: "", stderr });
    }
    expect(await folder.list()).toEqual(before);
  });
});

test.each([
  ["2147483648", /^topk-sdca: 2 examples x 2147483649 features x 2 classes need \d+\.\d GiB of memory .*\n$/],
  ["2147483649", "topk-sdca: data.svm line 2: index 2147483649; the largest possible is 2147483648\n"],
  ["99999999999999999999", /line 2: index 99999999999999999999; the largest possible is 2147483648\n$/],
])("index %s is refused, not wrapped around", async (index, complaint) => {
  await write("data.svm", `1 1:1\n2 ${index}:1\n`);
  const { code, stderr } = await run("train data.svm --model m --quiet");
  expect([code, stderr]).toEqual([1, typeof complaint === "string" ? complaint : expect.stringMatching(complaint)]);
});
