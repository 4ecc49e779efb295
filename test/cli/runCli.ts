import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach } from "vitest";
import type { Io } from "../../src/cli/console.ts";
import { run } from "../../src/cli/run.ts";

/** The command as it is published; needs `npm run build` first. */
export const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

type Run = (args: string | readonly string[], input?: string | Uint8Array) => Promise<Outcome>;

export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A folder of its own for each test, in which the commands run: here, `run`, or as processes, which take many times as long. */
export function useFolder(): {
  path(name: string): string;
  write(name: string, content: string | Uint8Array): Promise<void>;
  list(): Promise<string[]>;
  run: (args: string | readonly string[], ...pieces: readonly (string | Uint8Array)[]) => Promise<Outcome>;
  runProcess: Run;
  start(args: string): ChildProcess;
} {
  let folder: string;
  const home = process.cwd();
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "topk-sdca-cli-"));
    process.chdir(folder);
  });
  afterEach(() => {
    process.chdir(home);
    return rm(folder, { recursive: true, force: true });
  });
  const start = (args: readonly string[]): ChildProcess => {
    // Build services set CI, which some libraries take as leave to colour pipes.
    const child = spawn(process.execPath, [cli, ...args], { cwd: folder, env: { ...process.env, CI: "true" } });
    child.stdin.on("error", () => {}); // the command may be gone before it has read everything
    return child;
  };
  return {
    path: (name) => join(folder, name),
    write: (name, content) => writeFile(join(folder, name), content),
    list: async () => (await readdir(folder)).sort(),
    start: (args) => start(args.split(" ")),
    run: (args, ...pieces) => runHere(split(args), pieces),
    runProcess(args, input) {
      const child = start(split(args));
      child.stdin!.end(input);
      return outcome(child);
    },
  };
}

const split = (args: string | readonly string[]): readonly string[] =>
  typeof args === "string" ? args.split(" ") : args;

async function runHere(args: readonly string[], pieces: readonly (string | Uint8Array)[]): Promise<Outcome> {
  const written = { stdout: "", stderr: "" };
  const stream = (name: keyof typeof written): PassThrough =>
    new PassThrough({ encoding: "utf8" }).on("data", (text: string) => (written[name] += text));
  const stdin = Readable.from(pieces.map((piece) => Buffer.from(piece)));
  const streams = { stdin, stdout: stream("stdout"), stderr: stream("stderr") };
  const code = await run(args, streams as unknown as Io);
  const { stdout, stderr } = streams;
  await Promise.all([stdout, stderr].map((stream) => once(stream.end(), "end")));
  return { code, ...written };
}

/** Everything a process writes until it ends. */
export function outcome(child: ChildProcess): Promise<Outcome> {
  let stdout = "";
  let stderr = "";
  child.stdout!.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr!.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, stdout, stderr })));
}
