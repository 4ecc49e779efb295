import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach } from "vitest";

/** The command as it is published; needs `npm run build` first. */
export const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A folder of its own for each test, in which the commands run. */
export function useFolder(): {
  path(name: string): string;
  write(name: string, content: string | Uint8Array): Promise<void>;
  list(): Promise<string[]>;
  run(args: string | readonly string[], input?: string | Uint8Array): Promise<Outcome>;
  start(args: string): ChildProcess;
} {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "topk-sdca-cli-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
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
    run(args, input) {
      const child = start(typeof args === "string" ? args.split(" ") : args);
      child.stdin!.end(input);
      return outcome(child);
    },
  };
}

/** Everything a process writes until it ends. */
export function outcome(child: ChildProcess): Promise<Outcome> {
  let stdout = "";
  let stderr = "";
  child.stdout!.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr!.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, stdout, stderr })));
}
