import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import { chmod, mkdir, readFile, readlink, stat, symlink } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { fit, load } from "../../src/index.ts";
import { lossNames } from "../../src/losses.ts";
import { cli, outcome, useFolder } from "./runCli.ts";

const folder = useFolder();
const { run, runProcess, write } = folder;

/** Three classes around three corners, in the order a, b, c, a, b, c, ... */
const corners = [
  [4, 0],
  [0, 4],
  [-4, -4],
];
const rows = Array.from({ length: 30 }, (_, i) => corners[i % 3].map((v, l) => v + Math.sin(7 * i + 3 * l)));
const letters = rows.map((_, i) => "abc"[i % 3]);
const csv = (labels: readonly unknown[] = letters, header = "label,x,y\n"): string =>
  header + rows.map((row, i) => `${[labels[i], ...row].join(",")}\n`).join("");
const libsvm = (labels: readonly unknown[] = letters): string =>
  rows.map((row, i) => `${labels[i]} ${row.map((v, l) => `${l + 1}:${v}`).join(" ")}\n`).join("");

/** The first column of a file of predictions. */
const firstLabels = (text: string): string[] =>
  text
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.split(",")[0]);

describe("train, evaluate, predict", () => {
  test("give what the library gives", async () => {
    await write("data.csv", csv());
    const trained = await runProcess(
      "train data.csv --model m --loss topk-hinge --k 2 --gamma 0.5 --C 3 --seed 7 --json --duals",
    );
    expect(trained.code).toBe(0);
    const model = await fit(rows, letters, { loss: "topk-hinge", k: 2, gamma: 0.5, C: 3, seed: 7 });
    const { epochs, relativeGap, primalObjective } = model.certificate;
    expect(JSON.parse(trained.stdout)).toMatchObject({
      ...{ loss: "topk-hinge", k: 2, gamma: 0.5, rows: 30, features: 2, classes: 3 },
      ...{ status: "solved", epochs, relativeGap, primalObjective, tolerance: 1e-3, model: "m" },
      training: model.evaluate(rows, letters),
    });
    const saved = load(await readFile(folder.path("m")));
    expect(saved.classes).toEqual(["a", "b", "c"]);
    expect(saved.weights).toEqual(model.weights);
    expect(saved.dualVariables).toEqual(model.dualVariables);

    const evaluated = await runProcess("evaluate data.csv --model m --k 1,2 --json");
    expect(evaluated).toMatchObject({ code: 0, stderr: "" });
    const { loss, ...rest } = model.evaluate(rows, letters, { k: [1, 2] });
    const found = JSON.parse(evaluated.stdout);
    expect(found).toMatchObject(rest);
    expect(Math.abs(found.loss - loss)).toBeLessThanOrEqual(4 * Number.EPSILON * loss);

    const predicted = await runProcess("predict data.csv --model m --k 2");
    const lines = model.topK(rows, 2).map((ranks) => ranks.map(({ label, score }) => `${label},${score}`).join(","));
    expect(predicted).toEqual({
      code: 0,
      stdout: `label_1,score_1,label_2,score_2\n${lines.join("\n")}\n`,
      stderr: "",
    });
  });

  test("weights of ranks by name, in a list and alone", async () => {
    await write("data.csv", csv());
    for (const [given, rankWeights] of [
      ["linear --k 2", "linear"],
      ["1,.5,1e-2", [1, 0.5, 0.01]],
      ["2", [2]],
    ] as const) {
      const { code, stdout } = await run(
        `train data.csv --model m --loss weighted-topk-hinge --rank-weights ${given} --json`,
      );
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ loss: "weighted-topk-hinge", rankWeights });
      const k = rankWeights === "linear" ? { k: 2 } : {};
      const model = await fit(rows, letters, { loss: "weighted-topk-hinge", rankWeights, ...k });
      expect(load(await readFile(folder.path("m"))).weights).toEqual(model.weights);
    }
  });

  test("say it in words", async () => {
    await write("data.csv", csv());
    const { code, stdout, stderr } = await run("train data.csv --model m --validation data.csv");
    expect(code).toBe(0);
    expect(stdout.replace(/\d+(\.\d+)?(e-\d+)?/g, "#")).toBe(
      [
        "loss          softmax",
        "data          # rows, # features, # classes",
        "status        solved",
        "epochs        #",
        "relative gap  #, tolerance #",
        "seconds       #",
        "training      top-# # %",
        "validation    top-# # % of # rows",
        "model         m",
        "",
      ].join("\n"),
    );
    expect(stdout).toContain("data          30 rows, 2 features, 3 classes\n");
    expect(stderr).toBe("data.csv: 30 rows, 2 features, 3 classes\n");
    expect((await run("evaluate data.csv --model m")).stdout).toMatch(
      /^rows {3}30\nloss {3}0\.\d+\ntop-1 {2}100\.00 %\n$/,
    );
    expect((await run("train data.csv --model m --quiet")).stderr).toBe("");
  });

  test("the same model from CSV and LIBSVM, with and without header, compressed, from standard input", async () => {
    await write("data.csv", csv());
    await write("bare.csv", csv(letters, ""));
    await write("crlf.csv", `\ufeff${csv()}`.replaceAll("\n", "\r\n"));
    await write("data.tsv", csv().replaceAll(",", "\t"));
    await write("semicolons.csv", csv().replaceAll(",", ";"));
    await write("data.svm", libsvm());
    await write("data.txt", `# corners\n\n${libsvm()}`);
    await write("data.csv.gz", gzipSync(csv()));
    await write("unnamed", gzipSync(libsvm()));
    const models: string[] = [];
    const train = async (args: string, input: string | Uint8Array = ""): Promise<void> => {
      const { code, stderr } = await run(`train ${args} --model m`, input);
      const guess = args.startsWith("bare.csv") ? "; label: column 1, the first (--label names another)" : "";
      expect([code, stderr.split(": 30 rows")[1]], args).toEqual([0, `, 2 features, 3 classes${guess}\n`]);
      models.push(Buffer.from(load(await readFile(folder.path("m"))).weights.data.buffer).toString("hex"));
    };
    await train("data.csv");
    await train("bare.csv --no-header");
    for (const name of ["crlf.csv", "data.tsv", "semicolons.csv", "data.svm", "data.txt", "data.csv.gz", "unnamed"])
      await train(name);
    await train("-", csv());
    await train("-", gzipSync(libsvm()));
    await train("- --format libsvm", libsvm());
    expect(new Set(models).size).toBe(1);
  });

  test("the label column: by name, by number, the one called label, else the first", async () => {
    const swapped = rows.map((row, i) => `${row[0]},${letters[i]},${row[1]}\n`).join("");
    await write("named.csv", `x,kind,y\n${swapped}`);
    await write("default.csv", `x,label,y\n${swapped}`);
    await write("bare.csv", swapped);
    for (const args of [
      "named.csv --label kind",
      "named.csv --label 2",
      "default.csv",
      "bare.csv --no-header --label 2",
    ]) {
      const { code } = await run(`train ${args} --model m`);
      expect(code, args).toBe(0);
      expect(load(await readFile(folder.path("m"))).classes, args).toEqual(["a", "b", "c"]);
      expect((await run(`evaluate ${args} --model m`)).stdout, args).toContain("top-1  100.00 %");
      expect(firstLabels((await run(`predict ${args} --model m`)).stdout), args).toEqual(letters);
    }
    await write("unlabelled.csv", `x,y\n${rows.map((row) => `${row.join(",")}\n`).join("")}`);
    for (const label of ["", " --label kind"]) {
      expect(firstLabels((await run(`predict unlabelled.csv --model m${label}`)).stdout)).toEqual(letters);
    }
    const unlabelled = rows.map((row) => `${row.map((v, l) => `${l + 1}:${v}`).join(" ")}\n`).join("");
    expect(firstLabels((await run("predict - --model m", unlabelled)).stdout)).toEqual(letters);
  });

  test.each(["\n", "\r", "\r\n"])("labels with commas, quotes and %j go in and come out", async (lineEnd) => {
    const names = ['say "a"', "b, c", `two${lineEnd}lines`];
    const quoted = names.map((name) => `"${name.replaceAll('"', '""')}"`);
    await write("data.csv", csv(letters.map((_, i) => quoted[i % 3])));
    expect((await run("train data.csv --model m")).code).toBe(0);
    const saved = load(await readFile(folder.path("m")));
    expect(saved.classes).toEqual([...names].sort());
    const { stdout } = await run("predict data.csv --model m --k 1");
    const lines = saved
      .topK(rows, 1)
      .map(([{ label, score }]) => `${quoted[names.indexOf(label as string)]},${score}\n`);
    expect(stdout).toBe(`label_1,score_1\n${lines.join("")}`);
  });

  test("with probabilities instead of scores, of losses that have them", async () => {
    await write("data.csv", csv());
    for (const loss of ["softmax", "ova-logistic"]) {
      expect((await run(`train data.csv --model m --quiet --loss ${loss}`)).code).toBe(0);
      const saved = load(await readFile(folder.path("m")));
      const m = saved.classes.length;
      const all = saved.probabilities(rows);
      const lines = saved.topK(rows, 2).map((ranks, i) => {
        const cells = ranks.map(({ label }) => `${label},${all[i * m + saved.classes.indexOf(label)]}`);
        return `${cells.join(",")}\n`;
      });
      const { stdout } = await run("predict data.csv --model m --k 2 --probabilities");
      expect(stdout).toBe(`label_1,probability_1,label_2,probability_2\n${lines.join("")}`);
    }
    await run("train data.csv --model m --quiet --loss hinge");
    const refused = await run("predict data.csv --model m --out guesses --probabilities");
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain('the loss "hinge" gives scores, not probabilities, as softmax does');
  });

  test("a single row is predicted, with all labels if there are fewer than 5", async () => {
    for (const count of [3, 5, 6]) {
      const names = Array.from({ length: count }, (_, j) => `c${j}`);
      await write("data.csv", `label,x\n${names.map((name, j) => `${name},${j}\n`).join("")}`);
      expect((await run("train data.csv --model m --quiet")).code).toBe(0);
      await write("one.csv", "x\n0\n");
      const [header, row, end] = (await run("predict one.csv --model m")).stdout.split("\n");
      const shown = Math.min(count, 5);
      expect(header).toBe(Array.from({ length: shown }, (_, p) => `label_${p + 1},score_${p + 1}`).join(","));
      expect(row.split(",").length).toBe(2 * shown);
      expect(row).toMatch(/^c0,/);
      expect(end).toBe("");
      expect((await run("evaluate - --model m --k 1", "label,x\nc0,0\n")).stdout).toMatch(/^rows +1\n/);
    }
  });

  test("intercepts alone are something that is learned", async () => {
    await write("data.csv", "label,x\na,0\na,0\nb,0\n");
    expect((await run("train data.csv --model m")).stdout).toContain("top-1 66.67 %");
    expect((await run("evaluate data.csv --model m")).stdout).toContain("top-1  66.67 %");
    expect((await run("train data.csv --model m --no-intercept")).stdout).toContain("all scores tie");
    expect((await run("evaluate data.csv --model m")).stdout).toContain("all scores tie");
  });

  test("labels are integers if every one is, else strings", async () => {
    const classesOf = async (labels: readonly string[]): Promise<readonly unknown[]> => {
      await write("data.csv", csv(letters.map((_, i) => labels[i % 3])));
      expect((await run("train data.csv --model m")).code).toBe(0);
      expect((await run("evaluate data.csv --model m")).stdout).toContain("top-1  100.00 %");
      return load(await readFile(folder.path("m"))).classes;
    };
    expect(await classesOf(["10", "-3", "9"])).toEqual([-3, 9, 10]);
    expect(await classesOf(["10", "-3", "09"])).toEqual(["-3", "09", "10"]);
    expect(await classesOf(["1", "2", "x"])).toEqual(["1", "2", "x"]);
    expect(await classesOf(["1", "2", "9007199254740993"])).toEqual(["1", "2", "9007199254740993"]);
  });

  test("features that LIBSVM rows leave out are 0", async () => {
    await write("data.svm", "1 1:1\n2 3:1\n1 1:2\n2 3:2 # the second\n");
    expect((await run("train data.svm --model m")).stderr).toBe("data.svm: 4 rows, 3 features, 2 classes\n");
    const { stdout } = await run("predict - --model m --k 1", "0 1:5\n0 1:1 2:9\n0 2:1 3:5\n");
    expect(firstLabels(stdout)).toEqual(["1", "1", "2"]);
  });

  test("thousands of rows pass in batches", async () => {
    await write("data.csv", csv());
    await run("train data.csv --model m");
    const many = `${csv()}${csv(letters, "").repeat(99)}`;
    const { stdout } = await run("predict - --model m --k 1", many);
    expect(firstLabels(stdout)).toEqual(Array.from({ length: 3000 }, (_, i) => "abc"[i % 3]));
    expect((await run("evaluate - --model m", many)).stdout).toMatch(/^rows {3}3000\n[^]*100\.00 %/);
  });

  test("scaling, class weights, a warm start and the other options reach fit", async () => {
    await write("data.csv", csv());
    const options = "--scaling standard --class-weight balanced --intercept-scale 2 --precision float64 --lambda 0.1";
    expect((await run(`train data.csv --model first ${options} --duals`)).code).toBe(0);
    const model = await fit(rows, letters, {
      ...{ scaling: "standard", classWeight: "balanced", interceptScale: 2, precision: "float64", lambda: 0.1 },
    });
    expect(load(await readFile(folder.path("first"))).weights).toEqual(model.weights);
    const warm = await run(`train data.csv --model second ${options} --initial first --json`);
    expect(JSON.parse(warm.stdout)).toMatchObject({ status: "solved", epochs: 0 });
    await run("train data.csv --model third --no-intercept");
    expect([...load(await readFile(folder.path("third"))).intercepts]).toEqual([0, 0, 0]);
  });

  test("a model goes through a pipe, and then the summary to standard error", async () => {
    await write("data.csv", csv());
    const child = folder.start("train data.csv --model - --quiet");
    const chunks: Buffer[] = [];
    child.stdout!.on("data", (chunk: Buffer) => chunks.push(chunk));
    let stderr = "";
    child.stderr!.on("data", (text) => (stderr += text));
    await once(child, "close");
    expect(stderr).toContain("model         standard output");
    const bytes = Buffer.concat(chunks);
    expect((await run("evaluate data.csv --model -", bytes)).stdout).toContain("100.00 %");
    const json = JSON.stringify(load(bytes)); // the JSON form is read as well
    expect((await run("evaluate data.csv --model -", json)).stdout).toContain("100.00 %");
  });
});

describe("exit codes", () => {
  test("2 and a model where the budgets did not suffice, with a hint in flags", async () => {
    await write("data.csv", csv());
    const { code, stdout } = await run("train data.csv --model m --tolerance 0 --max-epochs 2");
    expect(code).toBe(2);
    expect(stdout).toContain("status        max-epochs\n");
    expect(stdout).toMatch(
      /hint .* with --initial and more --max-epochs, from a model that was trained with --duals\n/,
    );
    expect(load(await readFile(folder.path("m"))).certificate).toMatchObject({ status: "max-epochs", epochs: 2 });
  });

  test("2 and a model to go on from, for which the truncated loss needs no dual variables", async () => {
    await write("data.csv", csv());
    const train = "train data.csv --loss truncated-topk-entropy --k 2 --tolerance 1e-9";
    const { code, stdout } = await run(`${train} --max-epochs 3 --model first`);
    expect(code).toBe(2);
    expect(stdout).toMatch(/hint .* with --initial and more --max-epochs\n/);
    const further = await run(`${train} --max-epochs 3 --initial first --model second`);
    expect([further.code, further.stderr]).toEqual([2, expect.not.stringContaining("topk-sdca:")]);
    const [first, second] = await Promise.all(["first", "second"].map((file) => readFile(folder.path(file))));
    expect(load(second).certificate.primalObjective).toBeLessThan(load(first).certificate.primalObjective);
  });

  test.each([
    ["--max-seconds 0", "allow more --max-seconds; or "],
    ["--max-epochs 0", "allow more --max-epochs; or "],
  ])(
    "2 where nothing was learned, %s: then ties are no accuracy, and the first thing to do is to go on",
    async (budget, hint) => {
      await write("data.csv", csv());
      const { code, stdout } = await run(`train data.csv --model m ${budget} --validation data.csv`);
      expect(code).toBe(2);
      expect(stdout).toContain("training      all scores tie: nothing is learned\n");
      expect(stdout).not.toMatch(/^validation|%/m);
      expect(stdout).toContain(`hint          ${hint}`);
      expect((await run("evaluate data.csv --model m")).stdout).toMatch(/^accuracy {2}all scores tie: /m);
    },
  );

  test("0 where a descent ends with a small gradient", async () => {
    await write("data.csv", csv());
    const { code, stdout } = await run("train data.csv --model m --loss truncated-topk-entropy --k 2 --tolerance 0.01");
    expect(stdout).toContain("status         stationary\n");
    expect(code).toBe(0);
  });

  test.each(lossNames.filter((name) => !name.startsWith("multilabel")))("trains with %s", async (loss) => {
    await write("data.csv", csv());
    const k = /topk/.test(loss) ? (loss.startsWith("weighted") ? " --rank-weights 1,0.5" : " --k 2") : "";
    const { code, stderr } = await run(`train data.csv --model m --quiet --max-epochs 1 --loss ${loss}${k}`);
    expect([0, 2], stderr).toContain(code);
  });

  test("a reader that goes away is no error", async () => {
    await write("data.csv", csv());
    await run("train data.csv --model m");
    const child = folder.start("predict - --model m");
    child.stdout!.once("data", () => child.stdout!.destroy());
    let stderr = "";
    child.stderr!.on("data", (text) => (stderr += text));
    child.stdin!.end(`${csv()}${csv(letters, "").repeat(2000)}`);
    const [code] = await once(child, "exit");
    expect([code, stderr]).toEqual([0, ""]);
  });

  test("a model that nobody reads is lost, which the exit code says", async () => {
    await write("data.csv", csv());
    const child = folder.start("train data.csv --model - --quiet");
    child.stdout!.destroy();
    let stderr = "";
    child.stderr!.on("data", (text) => (stderr += text));
    const [code] = await once(child, "exit");
    expect([code, stderr]).toEqual([1, "topk-sdca: standard output: nobody reads it any more\n"]);
  });

  test.skipIf(!existsSync("/dev/full"))(
    "a summary that cannot be written: the model is, and that is said",
    async () => {
      await write("data.csv", csv());
      const full = openSync("/dev/full", "w");
      const child = spawn(process.execPath, [cli, "train", "data.csv", "--model", "m", "--quiet"], {
        cwd: folder.path(""),
        stdio: ["ignore", full, "pipe"],
      });
      let stderr = "";
      child.stderr!.on("data", (text) => (stderr += text));
      const [code] = await once(child, "exit");
      closeSync(full);
      expect(stderr).toMatch(/^topk-sdca: standard output: ENOSPC.*; the file is written\n$/);
      expect([code, await folder.list()]).toEqual([1, ["data.csv", "m"]]);
    },
  );

  test("an error ends the command although standard input stays open", async () => {
    const child = folder.start("train - --model m");
    const ended = outcome(child);
    child.stdin!.write("label,a\nx,1\ny,?\n".padEnd(100_000, "z,1\n"));
    expect((await ended).stderr).toBe('topk-sdca: standard input line 3, column "a": "?" is not a number\n');
    child.stdin!.destroy();
  });
});

describe("files are written whole or not at all", () => {
  test("an error in the last row leaves no predictions, and what was there stays", async () => {
    await write("data.csv", csv());
    await run("train data.csv --model m");
    await write("bad.csv", `${csv()}${csv(letters, "").repeat(99)}a,1,oops\n`);
    await write("old.csv", "old");
    for (const out of ["new.csv", "old.csv"]) {
      const { code, stderr } = await run(`predict bad.csv --model m --out ${out}`);
      expect([code, stderr]).toEqual([1, 'topk-sdca: bad.csv line 3002, column "y": "oops" is not a number\n']);
    }
    expect(await folder.list()).toEqual(["bad.csv", "data.csv", "m", "old.csv"]);
    expect(await readFile(folder.path("old.csv"), "utf8")).toBe("old");
    await run("predict data.csv --model m --out old.csv");
    expect(await readFile(folder.path("old.csv"), "utf8")).toMatch(/^label_1,/);
    expect(await folder.list()).toEqual(["bad.csv", "data.csv", "m", "old.csv"]);
  });

  test.skipIf(process.platform === "win32")("a file that is replaced keeps its permissions", async () => {
    await write("data.csv", csv());
    await write("m", "old");
    for (const mode of [0o666, 0o600]) {
      await chmod(folder.path("m"), mode);
      await run("train data.csv --model m");
      expect((await stat(folder.path("m"))).mode & 0o777).toBe(mode);
    }
    expect(load(await readFile(folder.path("m"))).classes).toEqual(["a", "b", "c"]);
  });

  test("a symbolic link stays one, a device is written to", async () => {
    await write("data.csv", csv());
    await write("target", "old");
    await symlink("target", folder.path("link"));
    await run("train data.csv --model link");
    expect(await readlink(folder.path("link"))).toBe("target");
    expect(load(await readFile(folder.path("target"))).classes).toEqual(["a", "b", "c"]);
    await symlink("not-there-yet", folder.path("dangling"));
    expect((await run("train data.csv --model dangling")).code).toBe(0);
    expect(await readlink(folder.path("dangling"))).toBe("not-there-yet");
    expect(load(await readFile(folder.path("not-there-yet"))).classes).toEqual(["a", "b", "c"]);
    expect((await run("train data.csv --model /dev/null")).code).toBe(0);
    expect((await stat("/dev/null")).isCharacterDevice()).toBe(true);
  });

  test("nothing that is read is overwritten, whatever it is called by", async () => {
    await write("data.csv", csv());
    await run("train data.csv --model m");
    await write("held.csv", csv());
    await symlink("data.csv", folder.path("link.csv"));
    await symlink("m", folder.path("link"));
    const model = await readFile(folder.path("m"));
    for (const [args, message] of [
      ["predict data.csv --model m --out data.csv", "--out data.csv would overwrite the data"],
      ["predict link.csv --model m --out data.csv", "--out data.csv would overwrite the data"],
      ["predict data.csv --model m --out link", "--out link would overwrite the model"],
      ["train link.csv --model ./data.csv", "--model ./data.csv would overwrite the data"],
      ["train data.csv --validation link.csv --model link.csv", "--model link.csv would overwrite the data"],
      ["train data.csv --validation held.csv --model held.csv", "--model held.csv would overwrite the validation data"],
    ]) {
      expect(await run(args)).toEqual({ code: 1, stdout: "", stderr: `topk-sdca: ${message}\n` });
    }
    expect(await readFile(folder.path("data.csv"), "utf8")).toBe(csv());
    expect(await readFile(folder.path("m"))).toEqual(model);
  });

  test("rows whose scores overflow are named by their line, and nothing is written", async () => {
    await write("data.csv", csv());
    await run("train data.csv --model m --C 1000");
    await write("large.csv", `label,x,y\na,1,1\nb,1.7e308,-1.7e308\n`);
    const message = "topk-sdca: large.csv line 3: its scores must be finite, got ";
    for (const args of ["predict large.csv --model m --out guesses", "evaluate large.csv --model m"]) {
      const { code, stdout, stderr } = await run(args);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toContain(message);
    }
    expect(await folder.list()).toEqual(["data.csv", "large.csv", "m"]);
  });

  test("the format of standard input is found in the first line that says something, whenever that comes", async () => {
    const child = folder.start("train - --model m");
    const ended = outcome(child);
    child.stdin!.write("# written by hand\n");
    await new Promise((resolve) => setTimeout(resolve, 300));
    child.stdin!.end(libsvm());
    expect((await ended).code).toBe(0);
  });

  test.each([
    ["no/such/model", "topk-sdca: no/such/model: no such file or folder\n"],
    ["folder", "topk-sdca: folder: is a folder, not a file\n"],
    ["lost", "topk-sdca: lost: no such file or folder\n"],
    ["data.csv", "topk-sdca: --model data.csv would overwrite the data\n"],
  ])("--model %s is refused before training", async (model, message) => {
    await write("data.csv", csv());
    await mkdir(folder.path("folder"));
    await symlink("no/such/model", folder.path("lost"));
    expect(await run(`train data.csv --model ${model}`)).toEqual({ code: 1, stdout: "", stderr: message });
    expect(await folder.list()).toEqual(["data.csv", "folder", "lost"]);
    expect(await readFile(folder.path("data.csv"), "utf8")).toBe(csv());
  });
});

describe("help", () => {
  test.each(["train", "evaluate", "predict"])("%s --help names every option and the exit codes", async (command) => {
    const { code, stdout, stderr } = await run(`${command} data.csv --help`);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(`Usage: topk-sdca ${command} DATA --model FILE [options]\n`);
    for (const line of [
      "  --label COLUMN ",
      "  --format csv|libsvm ",
      "  0    done; train: solved, the relative gap is at most the tolerance, or stationary\n",
      "  1    wrong usage or input; no file was written, unless the message says so\n",
      "  2    train: not solved within the budgets or interrupted once; the model was written\n",
      "  130  interrupted twice, or while there was nothing to keep; no file was written\n",
    ]) {
      expect(stdout).toContain(line);
    }
  });

  test("topk-sdca alone explains itself on standard error, --help on standard output", async () => {
    const asked = await run("--help");
    expect(asked).toMatchObject({ code: 0, stderr: "" });
    expect(asked.stdout).toContain("  topk-sdca evaluate DATA --model FILE [options]\n");
    expect(await run([])).toEqual({ code: 1, stdout: "", stderr: asked.stdout });
  });

  test("--version is that of the package", async () => {
    const { version } = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8"));
    expect(await runProcess("--version")).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });
});
