import { readFile, writeFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { openBytes } from "../../src/cli/openData.ts";
import { fit, load } from "../../src/index.ts";
import { pack, unpack } from "../helpers/saved.ts";
import { useFolder } from "./runCli.ts";

const folder = useFolder();
const { run, write } = folder;

/** Two classes told apart by x alone; the columns in the order that is asked for. */
const table = (order: readonly string[], labels: readonly unknown[] = [0, 1]): string => {
  const rows = Array.from({ length: 12 }, (_, i) => ({ x: i % 2, y: (i * 7) % 5, class: labels[i % 2] }));
  return [order.join(","), ...rows.map((row) => order.map((name) => row[name as "x"]).join(","))].join("\n") + "\n";
};
const train = "train data.csv --model m --label class --C 100 --quiet";
/** The same from the rows alone. */
async function trainWithoutNames(): Promise<void> {
  const [, ...rows] = (await readFile(folder.path("data.csv"), "utf8")).trim().split("\n");
  await write("rows.csv", rows.join("\n"));
  const { code } = await run("train rows.csv --model m --no-header --label 3 --C 100 --quiet");
  expect(code).toBe(0);
}
/** Of predictions: the first guesses. */
const guesses = (text: string): string[] => text.trim().split("\n").slice(1).map((line) => line.split(",")[0]); // prettier-ignore

describe("which column is the label", () => {
  test("a model knows what its label was called", async () => {
    await write("data.csv", table(["x", "y", "class"]));
    expect((await run(train)).code).toBe(0);
    await write("other.csv", table(["class", "x", "y"]));
    await write("missing.csv", table(["x", "class"]));
    await write(
      "more.csv",
      table(["x", "y", "class"])
        .replace(/$/gm, ",1")
        .replace(/^(.*),1/, "$1,z"),
    );
    for (const command of ["predict", "evaluate"]) {
      const told = await run(`${command} data.csv --model m --label class`);
      expect(told).toMatchObject({ code: 0, stderr: "" });
      expect(await run(`${command} data.csv --model m`)).toEqual(told);
      expect(await run(`${command} other.csv --model m`)).toEqual(told);
      for (const label of ["", " --label class"]) {
        expect(await run(`${command} missing.csv --model m${label}`)).toMatchObject({
          code: 1,
          stderr: 'topk-sdca: missing.csv line 1: 1 feature column, but the model has 2; column "y" is missing\n',
        });
      }
      expect(await run(`${command} more.csv --model m`)).toMatchObject({
        code: 1,
        stderr: 'topk-sdca: more.csv line 1: 3 feature columns, but the model has 2; column "z" is none of them\n',
      });
    }
    expect((await run(`train data.csv --label class --model again --validation other.csv --quiet`)).code).toBe(0);
  });

  test("of another name they say what they take for it", async () => {
    await write("data.csv", table(["x", "y", "class"]));
    expect((await run(train)).code).toBe(0);
    await write("data.csv", table(["x", "y", "class"]).replace("class", "kind"));
    const note = 'data.csv: label: column "kind", the only one that is no feature of the model\n';
    for (const command of ["predict", "evaluate"]) {
      const { code, stdout, stderr } = await run(`${command} data.csv --model m`);
      expect([code, stderr]).toEqual([0, note]);
      expect((await run(`${command} data.csv --model m --label kind`)).stdout).toBe(stdout);
    }
  });

  test("a label without a name is known by nothing but that all others are features", async () => {
    await write("data.csv", table(["class", "x", "y"]).replace("class", ""));
    expect((await run("train data.csv --model m --label 1 --quiet")).code).toBe(0);
    expect((await readFile(folder.path("m"))).toString("utf8")).not.toContain("labelName");
    const note = "data.csv: label: column 1, the only one that is no feature of the model\n";
    expect(await run("evaluate data.csv --model m")).toMatchObject({ code: 0, stderr: note });
  });

  test("without names that is the first", async () => {
    await write("data.csv", table(["x", "y", "class"]));
    await trainWithoutNames();
    const note = 'data.csv: label: column "x", the first (--label names another)\n';
    expect(await run("predict data.csv --model m --out p")).toMatchObject({ code: 0, stderr: note });
    expect(await run("evaluate data.csv --model m")).toMatchObject({ code: 0, stderr: note });
    const told = await run("predict data.csv --model m --label class --k 1");
    expect(told).toMatchObject({ code: 0, stderr: "" });
    expect(guesses(told.stdout)).toEqual(Array.from({ length: 12 }, (_, i) => String(i % 2)));
    expect(await run("evaluate data.csv --model m --label class")).toMatchObject({ code: 0, stderr: "" });
  });

  test("predict passes over no column that looks measured", async () => {
    await write("data.csv", table(["x", "y", "class"]));
    await trainWithoutNames();
    await write("new.csv", "x,y,class\n0.5,1,0\n");
    expect(await run("predict new.csv --model m")).toMatchObject({
      code: 1,
      stderr:
        'new.csv: label: column "x", the first (--label names another)\n' +
        'topk-sdca: new.csv line 2, column "x": 0.5 looks measured, not like a label; give --label COLUMN (the last is "class")\n',
    });
  });

  test("a label that is not there is said not to be", async () => {
    await write("data.csv", table(["x", "y", "class"]));
    await run(train);
    await write("new.csv", table(["x", "y"]));
    expect(await run("predict new.csv --model m --label clas --out p")).toMatchObject({
      code: 0,
      stderr: "new.csv: there is no such column as --label says: all of them are taken for features\n",
    });
    expect(await run("predict new.csv --model m --out p")).toMatchObject({ code: 0, stderr: "" });
  });

  test("Label, with blanks around it, is called label, unless there is one or it is a feature of the model", async () => {
    for (const name of ["Label", " label", '" LABEL "']) {
      await write("data.csv", table(["x", "y", "class"]).replace("class", name));
      expect((await run("train data.csv --model m --C 100")).stderr).toBe("data.csv: 12 rows, 2 features, 2 classes\n");
    }
    await write("data.csv", table(["x", "y", "class"]).replace("x,", "Label,").replace("class", "label"));
    expect((await run("train data.csv --model m --C 100")).stderr).toBe("data.csv: 12 rows, 2 features, 2 classes\n");
    await write("data.csv", table(["x", "y", "class"]).replace("x,", "label,"));
    await run(train);
    const told = await run("predict data.csv --model m --label class");
    expect(told).toMatchObject({ code: 0, stderr: "" });
    expect(await run("predict data.csv --model m")).toEqual(told);
    await write("new.csv", table(["x", "y"]).replace("x,", "label,"));
    expect(await run("predict new.csv --model m")).toEqual(told);
  });

  test("two columns named label are one too many", async () => {
    await write("data.csv", "x,label,label\n1,0,0\n2,1,1\n");
    expect((await run("train data.csv --model m")).stderr).toBe(
      'topk-sdca: data.csv line 1: columns 2 and 3 are both named "label"; give --label a number\n',
    );
    expect((await run("train data.csv --model m --label 3")).code).toBe(0);
  });
});

describe("what the data are", () => {
  test("held-out columns of the same names in another order are refused, others are not compared", async () => {
    await write("data.csv", table(["x", "y", "class"]));
    await write("other.csv", table(["y", "x", "class"]));
    expect(await run(`${train} --validation other.csv`)).toMatchObject({
      code: 1,
      stderr:
        'topk-sdca: other.csv: the columns stand in another order than in data.csv: column "y" where that has column "x"\n',
    });
    await write("other.csv", table(["x", "y", "class"]).replace("x,y", "u,v"));
    expect((await run(`${train} --validation other.csv`)).code).toBe(0);
  });

  test("the names go into the model: in another order they are refused, others told of", async () => {
    await write("data.csv", table(["x", "y", "class"]));
    await run(train);
    await write("other.csv", table(["y", "class", "x"]));
    await write("renamed.csv", table(["x", "y", "class"]).replace("x,y", "u,y"));
    await write("rows.csv", table(["x", "y", "class"]).replace(/.*\n/, ""));
    // As many columns as features: the one of another name is no label either.
    await write("alone.csv", table(["x", "y"]).replace("x,y", "u,y"));
    expect(await run("predict alone.csv --model m --out p")).toMatchObject({
      code: 0,
      stderr:
        'alone.csv: the columns have other names than in the model, and are taken in their order: column "u" for column "x"\n',
    });
    for (const command of ["predict", "evaluate"]) {
      expect(await run(`${command} other.csv --model m --label class`)).toEqual({
        code: 1,
        stdout: "",
        stderr:
          'topk-sdca: other.csv: the columns stand in another order than in the model: column "y" where that has column "x"\n',
      });
      expect(await run(`${command} renamed.csv --model m --label class`)).toMatchObject({
        code: 0,
        stderr:
          'renamed.csv: the columns have other names than in the model, and are taken in their order: column "u" for column "x"\n',
      });
      expect(await run(`${command} rows.csv --model m --label 3 --no-header`)).toMatchObject({ code: 0, stderr: "" });
    }
  });

  test("a model with names is one for the library, which saves it without them", async () => {
    await write("data.csv", table(["x", "y", "class"]).replace(",y,", ',"the ""ÿ""",'));
    await run(train);
    const bytes = await readFile(folder.path("m"));
    const names = JSON.stringify({ featureNames: ["x", 'the "ÿ"'], labelName: "class" }).slice(1, -1);
    expect(bytes.toString("utf8")).toContain(names);
    expect(bytes[6]).toBe(1); // the version stays that of the model: an older reader takes it, too
    const model = load(bytes);
    await writeFile(folder.path("again"), model.toBytes());
    await writeFile(folder.path("again.json"), JSON.stringify(model));
    await write("new.csv", 'x,"the ""ÿ"""\n1,0\n0,4\n');
    const { stdout } = await run("predict new.csv --model m");
    for (const file of ["again", "again.json"]) {
      expect(await run(`predict new.csv --model ${file}`)).toEqual({ code: 0, stdout, stderr: "" });
      await write("swapped.csv", '"the ""ÿ""",x\n1,0\n');
      expect((await run(`predict swapped.csv --model ${file}`)).code).toBe(0);
    }
    expect((await run("predict swapped.csv --model m")).code).toBe(1);
  });

  test("where there are commas, tabs and semicolons are part of names", async () => {
    await write("data.txt", table(["class", "x", "y"]).replace("x", "length; in\tmm"));
    expect((await run("train data.txt --model m --C 100")).stderr).toContain("12 rows, 2 features, 2 classes");
    await write("new.txt", table(["y", "class"]));
    expect((await run("predict new.txt --model m")).stderr).toContain('column "length; in\\tmm" is missing');
  });

  test("compressed data are known by their first two bytes, also where these come one by one", async () => {
    async function* oneByOne(bytes: Uint8Array): AsyncGenerator<Buffer> {
      for (const byte of bytes) yield Promise.resolve(Buffer.of(byte));
    }
    for (const text of ["label,x\na,1\n", "\x1f", ""]) {
      const plain = Buffer.from(text);
      for (const bytes of [plain, gzipSync(plain)]) {
        expect((await buffer(await openBytes("-", oneByOne(bytes)))).toString()).toBe(text);
      }
    }
  });

  test("names that are not as many as the features are none", async () => {
    await write("data.csv", table(["x", "y", "class"]));
    await run(train);
    const { version, header, body } = unpack(new Uint8Array(await readFile(folder.path("m"))));
    await writeFile(folder.path("m"), pack({ version, header: { ...header, featureNames: ["y"] }, body }));
    await write("new.csv", table(["y", "x"]));
    expect(await run("predict new.csv --model m --out p")).toMatchObject({ code: 0, stderr: "" });
  });

  test("a column without a name, first of all, may be an index", async () => {
    await write("data.csv", ",a,label\n0,1,x\n1,2,y\n");
    const { code, stderr } = await run("train data.csv --model m");
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining("; column 1 has no name and counts as a feature; is it an index?"),
    ]);
  });

  test("a file of features alone is not evaluated", async () => {
    await write("data.csv", "label,a,b\nx,0,1\ny,1,0\n");
    await run("train data.csv --model m");
    await write("features.csv", "a,b\n0,1\n");
    const { code, stderr } = await run("evaluate features.csv --model m");
    const complaint = "topk-sdca: features.csv line 1: there is no label column, all 2 are features of the model\n";
    expect([code, stderr]).toEqual([1, complaint]);
  });

  test("a first row that lacks a value is no header", async () => {
    await write("data.csv", "5.1,,1.4,1\n4.1,3,1,0\n3,2,1,1\n");
    const { code, stderr } = await run("train data.csv --model m --label 4");
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("data.csv line 1 looks like data, not like column names"),
    ]);
  });

  test("tabs and semicolons are found where a name has a # in it", async () => {
    for (const mark of ["\t", ";"]) {
      await write("data.txt", table(["x", "y", "class"]).replace("y", "item #").replaceAll(",", mark));
      const { code, stderr } = await run("train data.txt --model m --label class");
      expect([code, stderr]).toEqual([0, "data.txt: 12 rows, 2 features, 2 classes\n"]);
    }
  });

  test("LIBSVM: +1 is 1; an empty line among rows without labels may be a row", async () => {
    await write("data.svm", "+1 1:1\n\n1 1:2\n-1 2:1\n-1 2:2\n");
    expect((await run("train data.svm --model m")).stderr).toBe("data.svm: 4 rows, 2 features, 2 classes\n");
    expect(load(await readFile(folder.path("m"))).classes).toEqual([-1, 1]);
    await write("new.svm", "1:1\n\n2:1\n");
    expect((await run("predict new.svm --model m")).stderr).toBe(
      "topk-sdca: new.svm line 2: an empty line, which among rows without labels may be a row; write one of zeros as 1:0\n",
    );
    await write("new.svm", "1:1\n# none\n2:1\n\n");
    expect(guesses((await run("predict new.svm --model m --k 1")).stdout)).toEqual(["1", "-1"]);
  });

  test("LIBSVM: names are labels as they stand, a # within them, too", async () => {
    await write("data.svm", "C# 1:1 # a comment\n+one 2:1\t# another\n#C 1:1\nC# 1:2\n+one 2:2\n");
    expect((await run("train data.svm --model m")).stderr).toBe("data.svm: 4 rows, 2 features, 2 classes\n");
    expect(load(await readFile(folder.path("m"))).classes).toEqual(["+one", "C#"]);
  });

  test("LIBSVM: a label is whole although the bytes of the file come in pieces", async () => {
    const long = "\u20ac".repeat(30_000); // three bytes each, of which no power of 2 is a multiple
    await write("data.svm", `${long} 1:1\nb 2:1\n`);
    expect((await run("train data.svm --model m")).code).toBe(0);
    expect(load(await readFile(folder.path("m"))).classes).toEqual(["b", long]);
  });

  test("LIBSVM is known by its first row, wherever pieces of it end, behind a byte order mark and comments, too", async () => {
    for (const mark of ["", "\ufeff"]) {
      const pieces = [`${mark}# a comment\n`, "# another\na 1:1\n", "b 2:1\n"];
      expect((await run("train - --model m", ...pieces)).stderr).toBe(
        "standard input: 2 rows, 2 features, 2 classes\n",
      );
    }
  });

  test("CSV: blanks and tabs around a number are none of it", async () => {
    await write("data.csv", table(["class", "x", "y"]));
    await run(train);
    const plain = await readFile(folder.path("m"));
    await write("data.csv", table(["class", "x", "y"]).replace(/(?<=\d),(\d),(\d)/g, ", $1\t, \t $2 "));
    expect((await run(train)).code).toBe(0);
    const [one, other] = [plain, await readFile(folder.path("m"))].map((bytes) => load(bytes).weights);
    expect(other).toEqual(one);
  });

  test("CSV of one feature: an empty line is a missing value", async () => {
    await write("data.csv", "x,class\n0,0\n1,1\n");
    await run(train);
    await write("new.csv", "x\n1\n\n0\n");
    expect((await run("predict new.csv --model m")).stderr).toBe(
      "topk-sdca: new.csv line 3 is empty: the value is missing; fill it in, say by the mean of its column\n",
    );
  });

  test("a spreadsheet, UTF-16 and a model of label sets are refused as what they are", async () => {
    await write("data.csv", Buffer.from(table(["x", "y", "class"]), "utf16le"));
    expect((await run("train data.csv --model m")).stderr).toBe(
      "topk-sdca: data.csv: not text; if it is UTF-16, iconv -f UTF-16 -t utf-8 converts it\n",
    );
    await write("data.csv", "PK\x03\x04 and so on");
    expect((await run("train data.csv --model m")).stderr).toContain("data.csv: a zip archive, as spreadsheets are");
    const model = await fit([[1], [2]], [["a"], ["a", "b"]], { loss: "multilabel-hinge" });
    await writeFile(folder.path("sets"), model.toBytes());
    await write("data.csv", "x\n1\n");
    expect((await run("predict data.csv --model sets")).stderr).toContain("sets: a model of label sets");
  });
});

test("the summary has the accuracy for as many guesses as were trained for", async () => {
  const classes = Array.from({ length: 24 }, (_, i) => `${i % 8},${i % 8},${i % 3}\n`).join("");
  await write("data.csv", `label,x,y\n${classes}`);
  const { stdout } = await run("train data.csv --model m --loss topk-hinge --k 2 --validation data.csv");
  expect(stdout).toMatch(/training +top-1 .* %, top-2 .* %, top-3 .* %, top-5 .* %\n/);
  expect(stdout).toMatch(/validation +top-1 .* %, top-2 /);
  const { training } = JSON.parse((await run("train data.csv --model m --loss hinge --json")).stdout);
  expect(Object.keys(training.topKAccuracy)).toEqual(["1", "3", "5"]);
});

test("after = a value may begin as an option does, and Infinity is a number", async () => {
  await write("data.csv", table(["x", "y", "class"]).replace("class", "--class"));
  expect((await run("train data.csv --model m --label --class")).stderr).toBe(
    "topk-sdca: --label needs a value: --label COLUMN\n",
  );
  expect(await run("train data.csv --model m --label=--class --max-seconds Infinity --quiet")).toMatchObject({
    code: 0,
    stderr: "",
  });
});

test("the longest name that a file may have will do", async () => {
  await write("data.csv", table(["x", "y", "class"]));
  const name = "m".repeat(255);
  expect((await run(train.replace("--model m", `--model ${name}`))).code).toBe(0);
  expect(await folder.list()).toContain(name);
  expect((await run(train.replace("--model m", "--model new/"))).stderr).toBe(
    "topk-sdca: new/: is a folder, not a file\n",
  );
});

test("a hint is in flags in the JSON, too", async () => {
  await write("data.csv", table(["x", "y", "class"]));
  const { code, stdout } = await run(`${train} --tolerance 0 --max-epochs 1 --json`);
  expect(code).toBe(2);
  expect(JSON.parse(stdout).hint).toMatch(
    /use a smaller --C; or go on from here with --initial and more --max-epochs, /,
  );
});

test("help with a command is that of the command", async () => {
  expect((await run("help train")).stdout).toBe((await run("train --help")).stdout);
  expect((await run("help")).stdout).toContain("topk-sdca COMMAND --help");
  expect((await run("--help --model m.tks train")).stdout).toBe((await run("train --help")).stdout);
});
