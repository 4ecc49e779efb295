import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { load } from "../../src/index.ts";
import { outcome, useFolder, type Outcome } from "./runCli.ts";

const folder = useFolder();
const NOTICE = "interrupted: the model so far will be written; Ctrl-C again ends at once\n";

/** 20000 rows that no plane separates, so that a fit and its closing evaluation take a while. */
const data = Array.from({ length: 20_000 }, (_, i) => {
  const cells = Array.from({ length: 20 }, (_, l) => `${l + 1}:${Math.sin(i * (l + 1.5) * 0.71).toFixed(4)}`);
  return `${i % 50} ${cells.join(" ")}\n`;
}).join("");

/** Trains without end, hands the process over when the data are read, and again when it says that it was interrupted. */
function train(onRead: (child: ChildProcess) => void, onNotice?: (child: ChildProcess) => void): Promise<Outcome> {
  const child = folder.start("train - --model m --precision float32 --tolerance 0 --C 1000 --max-epochs 1000000");
  const actions = [
    { after: "20000 rows", run: onRead },
    { after: NOTICE, run: onNotice },
  ];
  let seen = "";
  child.stderr!.on("data", (text) => {
    seen += text;
    while (actions.length > 0 && seen.includes(actions[0].after)) actions.shift()!.run?.(child);
  });
  const ended = outcome(child);
  child.stdin!.end(data);
  return ended;
}

const after = (milliseconds: number, signal: NodeJS.Signals) => (child: ChildProcess) =>
  void setTimeout(() => child.kill(signal), milliseconds);

test.skipIf(process.platform === "win32").each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "one %s ends with a certified model",
  async (signal) => {
    const { code, stdout, stderr } = await train(after(700, signal));
    expect(code).toBe(2);
    expect(stderr).toContain(NOTICE);
    expect(stderr.endsWith("m: the model so far is written, with its certificate\n")).toBe(true);
    expect(stdout).toContain("status        aborted\n");
    const { certificate, classes } = load(await readFile(folder.path("m")));
    const { status, primalObjective, dualObjective, dualityGap } = certificate;
    expect([status, classes.length]).toEqual(["aborted", 50]);
    expect(dualObjective).toBeGreaterThan(0);
    expect(dualityGap).toBe(primalObjective - dualObjective!);
    expect(await folder.list()).toEqual(["m"]);
  },
);

test.skipIf(process.platform === "win32")("a second SIGINT ends at once and leaves no file", async () => {
  // Stopped in between, or the fit might have ended by then.
  const { code, stdout, stderr } = await train(after(500, "SIGINT"), (child) => {
    child.kill("SIGSTOP");
    setTimeout(() => ["SIGINT", "SIGCONT"].forEach((signal) => child.kill(signal as NodeJS.Signals)), 105);
  });
  expect([code, stdout]).toEqual([130, ""]);
  expect(stderr.endsWith(`${NOTICE}topk-sdca: interrupted; no file was written\n`)).toBe(true);
  expect(await folder.list()).toEqual([]);
});

test.skipIf(process.platform === "win32")(
  "npm passes on a Ctrl-C that has come already: two at once are one",
  async () => {
    // Of two alike that wait the system keeps one; stopped in between, it hears of both at once.
    const { code } = await train((child) => {
      setTimeout(
        () => ["SIGSTOP", "SIGINT", "SIGTERM", "SIGCONT"].forEach((signal) => child.kill(signal as NodeJS.Signals)),
        500,
      );
    });
    expect(code).toBe(2);
    expect(await folder.list()).toEqual(["m"]);
  },
);

test.skipIf(process.platform === "win32")("predictions that are interrupted leave no file", async () => {
  await folder.write("data.csv", "label,a\nx,1\ny,2\n");
  await folder.run("train data.csv --model m");
  const child = folder.start("predict - --model m --out guesses");
  const ended = outcome(child);
  child.stdin!.write(`label,a\n${"x,1\n".repeat(5000)}`);
  while ((await folder.list()).length < 3) await new Promise((resolve) => setTimeout(resolve, 20));
  child.kill("SIGINT");
  expect(await ended).toEqual({ code: 130, stdout: "", stderr: "topk-sdca: interrupted; no file was written\n" });
  expect(await folder.list()).toEqual(["data.csv", "m"]);
  child.stdin!.destroy();
});

test.skipIf(process.platform === "win32")("while the data are read there is nothing to keep", async () => {
  const child = folder.start("train - --model m");
  const ended = outcome(child);
  // More than a pipe holds: when it is gone, they are being read.
  child.stdin!.write(`label,a\n${"x,1\n".repeat(100_000)}`);
  await once(child.stdin!, "drain");
  child.kill("SIGINT");
  expect(await ended).toEqual({ code: 130, stdout: "", stderr: "topk-sdca: interrupted; no file was written\n" });
  expect(await folder.list()).toEqual([]);
  child.stdin!.destroy();
});
