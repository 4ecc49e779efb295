// The package as npm would publish it, in a project that has nothing else. Needs dist/.
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);

/** Runs npm in a folder and returns what it printed. */
export async function npm(cwd, ...args) {
  const { stdout } = await run("npm", args, { cwd, shell: process.platform === "win32", maxBuffer: 2 ** 24 });
  return stdout;
}

/** Writes the tarball into a folder and returns its path. */
export async function pack(folder) {
  const output = await npm(root, "pack", "--json", "--ignore-scripts", "--pack-destination", folder);
  return join(folder, JSON.parse(output)[0].filename);
}

/** A fresh project with the packed tarball installed, offline, which a package without dependencies allows. */
export async function installPacked() {
  const folder = await mkdtemp(join(tmpdir(), "topk-sdca-user-"));
  const tarball = await pack(folder);
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "user", private: true }));
  await npm(folder, "install", "--offline", "--no-audit", "--no-fund", tarball);
  return { folder, tarball, remove: () => rm(folder, { recursive: true, force: true }) };
}
