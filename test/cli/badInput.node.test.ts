import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { InputError, refusing } from "../../src/cli/errors.ts";
import kernelFixture from "../fixtures/model-v2.json" with { type: "json" };
import { useFolder } from "./runCli.ts";

const folder = useFolder();

/** Runs a command on a file; expects exactly this complaint, and no new file. */
async function expectRefusal(
  file: string,
  content: string | Uint8Array,
  args: string,
  complaint: string,
): Promise<void> {
  await folder.write(file, content);
  const before = await folder.list();
  const { code, stdout, stderr } = await folder.run(args);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr.split("\n").at(-2)).toBe(`topk-sdca: ${complaint}`);
  expect(await folder.list()).toEqual(before);
}

test("a process says what a command here says, and nothing else", async () => {
  await folder.write("data.csv", "label,a\nx,1\ny,?\n");
  const here = await folder.run("train data.csv --model m");
  expect(here).toEqual({
    code: 1,
    stdout: "",
    stderr: 'topk-sdca: data.csv line 3, column "a": "?" is not a number\n',
  });
  expect(await folder.runProcess("train data.csv --model m")).toEqual(here);
});

describe("CSV", () => {
  const header = 'label,x-box,"y, high"\n';
  test.each([
    [
      "a missing value",
      `${header}a,1,2\nb,,3\n`,
      'line 3, column "x-box": the value is missing; fill it in, say by the mean of its column',
    ],
    [
      "a blank value",
      `${header}a,1,2\nb,1, \n`,
      'line 3, column "y, high": the value is missing; fill it in, say by the mean of its column',
    ],
    ["a text", `${header}a,1,2\nb,3,abc\n`, 'line 3, column "y, high": "abc" is not a number'],
    ["a hexadecimal number", `${header}a,0x10,2\n`, 'line 2, column "x-box": "0x10" is not a number'],
    [
      "a word for what is missing",
      `${header}a,1,NaN\n`,
      'line 2, column "y, high": "NaN" is not a number; if it is missing, fill it in, say by the mean of its column',
    ],
    ["infinity", `${header}a,Infinity,2\n`, 'line 2, column "x-box": "Infinity" is not a number'],
    [
      "a column of text",
      `${header}a,red,2\n`,
      'line 2, column "x-box": "red" is not a number; a column of text is to be left out, or made columns of 0 and 1, one for each value',
    ],
    ["a number too large", `${header}a,1e999,2\n`, 'line 2, column "x-box": "1e999" is too large for a number'],
    [
      "a number too large for float32",
      `${header}a,1,2\nb,1e39,3\n`,
      'line 3, column "x-box" is 1e+39, which overflows float32; use --precision float64, or other units',
    ],
    ["too few cells", `${header}a,1\n`, "line 2: 2 cells, but the first line has 3"],
    ["too many cells", `${header}a,1,2\nb,1,2,3\n`, "line 3: 4 cells, but the first line has 3"],
    ["a missing label", `${header}a,1,2\n,1,2\n`, 'line 3, column "label": the label is missing'],
    ["an empty file", "", ": the file is empty"],
    ["a file of empty lines", "\n\r\n\n", ": the file is empty"],
    ["a header alone", header, ": there are no rows below the header"],
    [
      "a label alone",
      "label\na\nb\n",
      "line 1: there is no column beside the label, with commas between columns; for rows of index:value give --format libsvm",
    ],
    ["one class", `${header}a,1,2\na,1,2\n`, 'a classifier needs at least 2 classes, the label column has only "a"'],
    ["an open quote", `${header}a,1,2\n"b,1,2\nc,3,4\n`, 'line 3: a quote (") that opens in this row is never closed'],
    ["a quote inside", `${header}a"b",1,2\n`, 'line 2: there is a quote (") within a cell that is not quoted'],
    [
      "text after a quote",
      `${header}"a"b,1,2\n`,
      'line 2: there is text after a closing quote ("); a quote within quotes is written ""',
    ],
    [
      "a line after quoted line ends",
      `${header}"a\r\nb\nc",1,2\n\n\nd,x,2\n`,
      'line 7, column "x-box": "x" is not a number',
    ],
    [
      "data that count up in place of names",
      "a,0,1\nb,3,4\n",
      "line 1 looks like data, not like column names; give --no-header, or --header if these are names",
    ],
    [
      "data in place of names",
      "a,1.5,2\nb,3,4\n",
      "line 1 looks like data, not like column names; give --no-header, or --header if these are names",
    ],
    [
      "data in place of names, the label last",
      "5.1,3.5,setosa\n6,2.2,virginica\n",
      "line 1 looks like data, not like column names; give --no-header --label 3, or --header if these are names",
    ],
  ])("%s", (_, content, complaint) => {
    const separator = complaint.startsWith(":") ? "" : " ";
    const located = complaint.startsWith("a classifier") ? complaint : `data.csv${separator}${complaint}`;
    return expectRefusal("data.csv", content, "train data.csv --model m", located);
  });

  test("columns without names are numbered", async () => {
    await expectRefusal(
      "data.csv",
      "a,1,x\n",
      "train data.csv --model m --no-header",
      'data.csv line 1, column 3: "x" is not a number; if this is the label, give --label 3',
    );
    await expectRefusal(
      "data.csv",
      "l,,b\na,x,1\n",
      "train data.csv --model m",
      'data.csv line 2, column 2: "x" is not a number; if this is the label, give --label 2',
    );
  });

  test("a label column that nobody has named is the first, unless it holds what no label is", async () => {
    const rows = "x,y,kind of flower\n2,1,a\n1.5,2,b\n";
    const what = "looks measured, not like a label; give --label COLUMN (the last is";
    for (const [content, args, complaint] of [
      [
        rows,
        "",
        '2, column "kind of flower": "a" is not a number; if this is the label, give --label "kind of flower"',
      ],
      [rows.replace("a\n", "1\n").replace("b", "2"), "", `3, column "x": 1.5 ${what} "kind of flower")`],
      ["-0.5,1,0\n2,2,1\n", " --no-header", `1, column 1: -0.5 ${what} 3)`],
    ]) {
      await expectRefusal("data.csv", content, `train data.csv --model m${args}`, `data.csv line ${complaint}`);
    }
    await folder.write("data.csv", "x,y\n1.5,0\n2.5,1\n");
    expect((await folder.run("train data.csv --model m --label x")).code).toBe(0);
    expect((await folder.run("train data.csv --model m --label 1")).code).toBe(0);
  });

  test.each([
    ["data.csv --label lable", 'data.csv line 1: no column "lable" among 3 (--label); did you mean "label"?'],
    ["data.csv --label nope", 'data.csv line 1: no column "nope" among 3 (--label)'],
    ["data.csv --label 4", 'data.csv line 1: no column "4" among 3 (--label); columns count from 1'],
    ["data.csv --label 0", 'data.csv line 1: no column "0" among 3 (--label); columns count from 1'],
    ["data.csv --label x", 'data.csv line 1: columns 2 and 3 are both named "x"; give --label a number'],
    [
      "data.csv --no-header --label x",
      'data.csv line 1: no column "x" among 3 (--label); without a header it is a number',
    ],
    [
      "data.csv --format libsvm",
      'data.csv line 1: "label,x,x" are several labels; this command takes one for each row',
    ],
  ])("train %s", (args, complaint) =>
    expectRefusal("data.csv", "label,x,x\na,1,2\nb,2,3\n", `train ${args} --model m`, complaint),
  );

  test("column names that are numbers, as some programs give them, are taken", async () => {
    for (const names of ["0,1", "1,2"]) {
      await folder.write("data.csv", `label,${names}\na,1,2\nb,3,4\n`);
      expect((await folder.run("train data.csv --model m")).code).toBe(0);
    }
    const many = [...Array(8).keys()];
    await folder.write("data.csv", `,${many.join()}\na,${many.join()}\nb,${many.join()}\n`);
    expect((await folder.run("train data.csv --model m")).code).toBe(0);
    await folder.write("data.csv", "label,400,410\na,1,2\nb,3,4\n");
    expect((await folder.run("train data.csv --model m --header")).code).toBe(0);
  });
});

test.each([
  ["train data.csv --model m", 'label,a\n"x\n~",1\nx\xe9,1\nx\xe8,2\n', 4],
  ["train data.csv --model m --format libsvm", "1 1:2\n1 1:3 # caf\xe9\n2 1:4\n", 2],
  ["train data.csv --model m --header", "label,a\nx,1\ny,2\n1,caf\xe9", 4],
])("a file that is not UTF-8: %s", async (args, text, line) => {
  const complaint = `data.csv line ${line}: not UTF-8; iconv -f ENCODING -t utf-8 converts it`;
  await expectRefusal("data.csv", Buffer.from(text.replace("~", "\xc3\xa9"), "latin1"), args, complaint);
});

test.each([1, 2])(
  "the line that is not UTF-8 behind %d that come in pieces, which end within a character",
  async (count) => {
    // Pieces of a file are of 64 kB.
    const long = `${"\u20ac".repeat(60_000)},1\n${count > 1 ? `${"\u20ac".repeat(20_000)},2\n` : ""}`;
    const content = Buffer.concat([Buffer.from(`label,ab\n${long}`), Buffer.from("x\xe9,1\n", "latin1")]);
    const complaint = `data.csv line ${count + 2}: not UTF-8; iconv -f ENCODING -t utf-8 converts it`;
    await expectRefusal("data.csv", content, "train data.csv --model m", complaint);
  },
);

test("what the library refuses is said in flags, any other error is one of ours", () => {
  const flags = new Map([["gamma", "--gamma"]]);
  const throwing = (error: Error) => () => {
    throw error;
  };
  const refused = throwing(new RangeError('fit: "gamma" must be small'));
  expect(() => refusing(refused, flags)).toThrow(new InputError("--gamma must be small"));
  for (const message of ["gamma is not defined", 'select: "gamma" must be small']) {
    const broken = new TypeError(message);
    expect(() => refusing(throwing(broken), flags)).toThrow(broken);
    expect(() => refusing(throwing(broken), flags)).not.toThrow(InputError);
  }
});

test("UTF-8 of every length, however the bytes come in pieces", async () => {
  const rows = Array.from({ length: 40_000 }, (_, i) => `${["\u00e9", "\u20ac", "\u{1f600}", "e"][i % 4]},${i % 4}`);
  await folder.write("data.csv", `label,a\n${rows.join("\n")}\n`);
  const { code, stderr } = await folder.run("train data.csv --model m --tolerance 1");
  expect([code, stderr]).toEqual([0, expect.not.stringContaining("UTF-8")]);
});

test.each([
  ["index 0", "1 1:2\n2 0:1\n", " line 2: index 0; indices begin at 1"],
  ["an index twice", "1 1:2\n2 2:1 2:1\n", " line 2: index 2 after 2; indices must increase"],
  ["a smaller index", "1 1:2\n\n2 5:1 3:1\n", " line 3: index 3 after 5; indices must increase"],
  ["a text", "1 1:2\n2 3:abc\n", ' line 2, index 3: "abc" is not a number'],
  [
    "a missing value",
    "1 1:2\n2 3:\n",
    " line 2, index 3: the value is missing; fill it in, say by the mean of its column",
  ],
  ["no pair", "1 1:2\n2 qid:3\n", ' line 2: "qid:3" is not index:value'],
  ["a missing label", "1 1:2\n1:3\n", " line 2: the label is missing"],
  ["several labels", "1 1:2\n1,2 1:3\n", ' line 2: "1,2" are several labels; this command takes one for each row'],
  ["an empty file", "# nothing\n", ": the file is empty"],
])("LIBSVM: %s", (_, content, complaint) =>
  expectRefusal("data.svm", content, "train data.svm --model m", `data.svm${complaint}`),
);

describe("files", () => {
  const data = "label,a,b\nx,1,2\ny,2,1\n";
  test.each([
    ["train nope.csv --model m", "nope.csv: no such file or folder"],
    ["train . --model m", ".: is a folder, not a file"],
    ["train broken.gz --model m", "broken.gz: the gzip data are damaged or not whole (unexpected end of file)"],
    ["train data.csv --model m --validation nope", "nope: no such file or folder"],
    [
      "train data.csv --model m --validation wide.csv",
      'wide.csv line 1: 3 feature columns, but data.csv has 2; column "c" is none of them',
    ],
    [
      "train data.csv --model m --validation other.csv",
      'other.csv line 2: the label "z" is not among the classes of data.csv',
    ],
    ["train data.csv --model m --initial nope", "nope: no such file or folder"],
    ["train data.csv --model m --initial known", "--initial has no dual variables; train it with --duals"],
    [
      "train data.csv --model m --loss truncated-topk-entropy --k 1 --duals",
      '--duals: the loss "truncated-topk-entropy" has no dual variables; --initial takes a model of it as it is',
    ],
    [
      "train data.csv --model m --loss softmax --gamma 1",
      '--gamma does not belong to the loss "softmax"; it goes with "hinge", "topk-hinge", "weighted-topk-hinge" and "ova-hinge"',
    ],
    [
      "train more.csv --model m --initial duals",
      "--initial was fitted on 2 rows but the data has 3; dual variables belong to rows",
    ],
    ["train data.csv --model m --initial data.csv", "data.csv: not a topk-sdca model (first bytes 6c 61 62 65)"],
    ["train - --model m --validation -", "standard input can be only one of the files"],
    ["evaluate data.csv --model nope", "nope: no such file or folder"],
    ["evaluate - --model -", "standard input can be only one of the files"],
    ["predict - --model -", "standard input can be only one of the files"],
    ["evaluate data.csv --model data.csv", "data.csv: not a topk-sdca model (first bytes 6c 61 62 65)"],
    [
      "evaluate wide.csv --model known",
      'wide.csv line 1: 3 feature columns, but the model has 2; column "c" is none of them',
    ],
    ["evaluate other.csv --model known", 'other.csv line 2: the label "z" is not among the classes of the model'],
    ["evaluate wide.svm --model known", "wide.svm line 1: index 3, but the model has 2 features"],
    [
      "predict wide.csv --model known",
      'wide.csv line 1: 3 feature columns, but the model has 2; column "c" is none of them',
    ],
    [
      "predict bare.csv --model known",
      'bare.csv line 1: 4 feature columns, but the model has 2; column "c" is none of them',
    ],
    [
      "predict narrow.csv --model known",
      'narrow.csv line 1: 1 feature column, but the model has 2; column "b" is missing',
    ],
    [
      "predict data.csv --model rings",
      "rings: a model with a kernel, which is for the library; the command line has none",
    ],
    ["predict data.csv --model known --out no/such", "no/such: no such file or folder"],
  ])("%s", async (args, complaint) => {
    await folder.write("data.csv", data);
    await folder.run("train data.csv --model known");
    await folder.run("train data.csv --model duals --duals");
    await folder.write("more.csv", `${data}y,3,1\n`);
    await folder.write("broken.gz", gzipSync(data).subarray(0, 25));
    await folder.write("other.csv", data.replace("x,", "z,"));
    await folder.write("wide.svm", "x 3:1\n");
    await folder.write("bare.csv", "a,b,c,d\n1,2,3,4\n");
    await folder.write("narrow.csv", "a\n1\n");
    await folder.write("rings", Buffer.from(kernelFixture.bytes, "base64"));
    await expectRefusal("wide.csv", "label,a,b,c\nx,1,2,3\n", args, complaint);
  });
});

test.each([
  ["tarin", "unknown command tarin; did you mean train?"],
  ["--hlep", "unknown option --hlep; did you mean --help?"],
  ["help tarin", "unknown command tarin; did you mean train?"],
  ["train", "train needs a data file: topk-sdca train DATA --model FILE [options]"],
  ["train d", "train needs --model FILE"],
  ["train d e --model m", 'train takes one data file, got "d" and "e"'],
  ["train d --model m --lamda 1", "unknown option --lamda; did you mean --lambda?"],
  ["train d --model m -C 1", "unknown option -C; did you mean --C?"],
  ["train d --model m --bogus 1", "unknown option --bogus; see topk-sdca train --help"],
  ["train d --model m --kernel rbf", "unknown option --kernel; kernels are for the JavaScript package"],
  ["bogus", "unknown command bogus; see topk-sdca --help"],
  ["evaluate d --model m --jsno", "unknown option --jsno; did you mean --json?"],
  ["train d --model m --C", "--C needs a value: --C NUMBER"],
  ["train d --model m --label --quiet", "--label needs a value: --label COLUMN"],
  ["train d --model m --quiet=yes", '--quiet takes no value, got "yes"'],
  ["train d --model m --C 1 --C 2", "--C is given twice"],
  ["train d --model m --header --no-header", "--header and --no-header contradict each other"],
  ["train d --model m --format cvs", '--format must be csv or libsvm, got "cvs"'],
  ["train d --model m --class-weight heavy", '--class-weight must be balanced, got "heavy"'],
  ["train d --model m --C -1", "--C must be a number in (0, ∞), got -1"],
  ["train d --model m --C one", '--C must be a number in (0, ∞), got "one"'],
  ["train d --model m --C 1 --lambda 1", "--C and --lambda say the same thing, C = 1/(lambda n); give one of them"],
  ["train d --model m --max-epochs 1.5", "--max-epochs must be an integer >= 0, got 1.5"],
  ["train d --model m --seed -1", "--seed must be an integer in [0, 4294967295], got -1"],
  [
    "train d --model m --scaling max",
    '--scaling must be one of "none", "standard", "minmax" or "unit-rows", got "max"; did you mean "minmax"?',
  ],
  [
    "train d --model m --k 2",
    '--k does not belong to the loss "softmax"; it goes with "topk-hinge", "weighted-topk-hinge", "topk-entropy" and "truncated-topk-entropy"',
  ],
  [
    "train d --model m --loss topk-hinge",
    '--k must be given with the loss "topk-hinge": the number of guesses that count',
  ],
  [
    "train d --model m --rank-weights linear",
    '--rank-weights does not belong to the loss "softmax"; it goes with "weighted-topk-hinge"',
  ],
  [
    "train d --model m --loss weighted-topk-hinge --rank-weights steep",
    '--rank-weights must be "flat", "linear", "exp" or numbers with commas between them, got "steep"',
  ],
  [
    "train d --model m --loss weighted-topk-hinge --rank-weights 1,half",
    '--rank-weights entry 1 must be a number in [0, ∞), got "half"',
  ],
  [
    "train d --model m --loss weighted-topk-hinge --rank-weights 0.5,1",
    "--rank-weights must not increase, but entry 1 is 1 after 0.5",
  ],
  ["train data.csv --model m --loss topk-hinge --k 2", "--k must be an integer in [1, 1] (classes − 1), got 2"],
  [
    "train data.svm --model m --no-header",
    "--no-header goes with CSV, but data.svm is read as LIBSVM text, whose rows begin with the label",
  ],
  ["evaluate data.csv --model known --k 3", "--k must be an integer in [1, 2], got 3"],
  ["evaluate data.csv --model known --k 1,x", '--k must be an integer in [1, 2], got "x"'],
  ["predict data.csv --model known --k 3", "--k must be an integer in [1, 2], got 3"],
])("%s", async (args, complaint) => {
  await folder.write("data.csv", "label,a\nx,1\ny,2\n");
  if (args.includes("known")) await folder.run("train data.csv --model known");
  await expectRefusal("data.svm", "1 1:1\n2 1:2\n", args, complaint);
});
