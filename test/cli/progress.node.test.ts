import { Writable } from "node:stream";
import { afterEach, describe, expect, test, vi } from "vitest";
import { colorsFor, type Io } from "../../src/cli/console.ts";
import { createProgress } from "../../src/cli/progress.ts";
import { run } from "../../src/cli/run.ts";
import { formatSeconds, secondsLeft } from "../../src/cli/timeLeft.ts";
import type { HistoryRecord } from "../../src/index.ts";
import { useFolder } from "./runCli.ts";

const budgets = { tolerance: 1e-3, maxEpochs: 1000, maxSeconds: Infinity };
/** One evaluation each 2 seconds, the gap falls by 10 in 4 seconds. */
const history = Array.from({ length: 20 }, (_, i): HistoryRecord => {
  const seconds = 2 * (i + 1);
  const relativeGap = 10 ** (-seconds / 4);
  return { epoch: i + 1, visits: i + 1, seconds, relativeGap, primalObjective: 1, dualObjective: 1, dualityGap: 0 };
});

describe("time left", () => {
  test("follows the logarithm of the gap", () => {
    expect(secondsLeft(history.slice(0, 4), budgets)).toBeCloseTo(4, 9); // 8 s of 12
    expect(secondsLeft(history.slice(0, 6), budgets)).toBeCloseTo(0, 9);
  });

  test("goes by the second half of the time so far", () => {
    const faster = [1, 0.5, 0.1].map((relativeGap, i) => ({ seconds: 4 * i + (i > 1 ? 2 : 0), epoch: i, relativeGap }));
    expect(secondsLeft(faster, { ...budgets, tolerance: 0.02 })).toBeCloseTo(6, 9); // a fifth in 6 s, not a tenth in 10
  });

  test("is at most what the budgets leave", () => {
    expect(secondsLeft(history.slice(0, 4), { ...budgets, maxSeconds: 9 })).toBe(1);
    expect(secondsLeft(history.slice(0, 4), { ...budgets, maxEpochs: 5 })).toBe(2);
    expect(secondsLeft(history.slice(0, 4), { ...budgets, maxSeconds: 7 })).toBe(0);
  });

  test("falls back on the budgets where the gap tells nothing", () => {
    const flat = history.map((record) => ({ ...record, relativeGap: 0.5 }));
    expect(secondsLeft(flat.slice(0, 4), { ...budgets, maxEpochs: 10 })).toBe(12);
    expect(secondsLeft(history.slice(0, 4), { ...budgets, tolerance: 0, maxEpochs: 10 })).toBe(12);
    expect(secondsLeft([], budgets)).toBeUndefined();
    const first = { seconds: 0, epoch: 0, relativeGap: 1 };
    expect(secondsLeft([first], budgets)).toBeUndefined();
    expect(secondsLeft([first], { ...budgets, maxSeconds: 9 })).toBe(9);
  });

  test("in words", () => {
    expect([0.2, 8, 99.9, 3599, 9000].map(formatSeconds)).toEqual(["1 s", "8 s", "2 min", "60 min", "2.5 h"]);
  });
});

/** A stream, and what has been written to it. */
function openStream(terminal: boolean): { stream: NodeJS.WriteStream; text: () => string } {
  let text = "";
  const stream = new Writable({
    write(chunk, _, done) {
      text += String(chunk);
      done();
    },
  }) as unknown as NodeJS.WriteStream;
  Object.assign(stream, { isTTY: terminal, columns: 120 });
  return { stream, text: () => text };
}

/** What a fit would leave on a stream. */
function written(terminal: boolean, quiet = false): string {
  const { stream, text } = openStream(terminal);
  const progress = createProgress(stream, colorsFor(stream), quiet, budgets);
  progress.note("data.csv: 3 rows");
  for (const record of history) progress.update(record);
  progress.stop();
  return text();
}

describe("progress", () => {
  afterEach(() => vi.unstubAllEnvs());

  test("without a terminal: plain lines, fewer and fewer", () => {
    const lines = written(false).trimEnd().split("\n");
    expect(lines[0]).toBe("data.csv: 3 rows");
    expect(lines[2]).toBe("epoch 2, relative gap 1e-1, tolerance 1e-3, about 8 s left");
    expect(lines.length).toBeLessThan(10);
    expect(lines.join("")).toMatch(/^[\x20-\x7e]*$/);
  });

  test("on a terminal: a bar, coloured unless NO_COLOR is set", () => {
    vi.stubEnv("TERM", "xterm");
    vi.stubEnv("NO_COLOR", "");
    expect(written(true)).toContain("\u001b[36m█");
    vi.stubEnv("NO_COLOR", "1");
    const plain = written(true);
    expect(plain).toContain("█");
    expect(plain).not.toContain("\u001b[36m");
    expect(plain).toContain("epoch 1, relative gap 3.2e-1, tolerance 1e-3");
  });

  test.each([false, true])(
    "nothing once it has stopped, until there is something to say (terminal: %s)",
    (terminal) => {
      vi.stubEnv("TERM", "xterm");
      const { stream, text } = openStream(terminal);
      const progress = createProgress(stream, colorsFor(stream), false, budgets);
      progress.update(history[3]);
      progress.stop();
      const before = text();
      expect(before).toContain("epoch 4");
      for (const record of history.slice(4)) progress.update(record);
      expect(text()).toBe(before);
      progress.note("interrupted");
      expect(text()).toBe(`${before}interrupted\n`);
    },
  );

  test("on a terminal that can do nothing: lines; with --quiet: nothing", () => {
    vi.stubEnv("TERM", "dumb");
    expect(written(true)).not.toContain("█");
    expect(written(false, true)).toBe("");
  });
});

describe("train on a terminal", () => {
  const folder = useFolder();
  afterEach(() => vi.unstubAllEnvs());

  test("takes the bar away in the end", async () => {
    vi.stubEnv("TERM", "xterm");
    await folder.write("data.csv", "label,x\na,0\na,1\nb,0\nb,1\n");
    const { stream, text } = openStream(true);
    const stdout = openStream(false).stream;
    const io = { stdin: process.stdin, stdout, stderr: stream } as unknown as Io;
    expect(await run("train data.csv --model m --tolerance 1e-6".split(" "), io)).toBe(0);
    expect(text()).toContain("\u2591"); // there was a bar
    expect(text().slice(-4)).toBe("\u001b[2K"); // its line is erased
  });

  test.each([
    ["--tolerance 1e-6", 0, "\u001b[32msolved"],
    ["--tolerance 1e-12 --max-epochs 1", 2, "\u001b[33mmax-epochs"],
  ])("says in green that it is solved, and in yellow that it is not: %s", async (options, code, status) => {
    vi.stubEnv("TERM", "xterm");
    vi.stubEnv("NO_COLOR", "");
    await folder.write("data.csv", "label,x\na,0\na,1\nb,0\nb,1\nb,2\n");
    const { stream: stdout, text } = openStream(true);
    const io = { stdin: process.stdin, stdout, stderr: openStream(false).stream } as unknown as Io;
    expect(await run(`train data.csv --model m ${options}`.split(" "), io)).toBe(code);
    expect(text()).toContain(status);
  });
});
