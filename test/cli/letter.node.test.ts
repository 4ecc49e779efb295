import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { load } from "../../src/index.ts";
import { cli } from "./runCli.ts";

const readme = new URL("../../examples/letter/README.md", import.meta.url);
const data = fileURLToPath(new URL("../../data", import.meta.url));

/** The time that a fit took stays what the page says; all else is the same on every machine. */
const SECONDS = /^seconds .*$/m;

test.skipIf(process.platform === "win32")(
  "examples/letter: every command of the README does what it says",
  async () => {
    const root = await mkdtemp(join(tmpdir(), "topk-sdca-letter-"));
    try {
      const folder = join(root, "examples", "letter");
      await mkdir(folder, { recursive: true });
      await mkdir(join(root, "bin"));
      await symlink(data, join(root, "data"));
      await symlink(cli, join(root, "bin", "topk-sdca")); // as npm link would
      const env = { ...process.env, PATH: `${join(root, "bin")}${delimiter}${process.env.PATH}` };

      const page = await readFile(readme, "utf8");
      let now = page;
      let stdout = "";
      let kinds = "";
      for (const [block, kind, text] of page.matchAll(/^```(sh|text)\n([^]*?)^```$/gm)) {
        kinds += `${kind} `;
        if (kind === "sh") ({ stdout } = await promisify(execFile)("sh", ["-e", "-c", text], { cwd: folder, env }));
        else
          now = now.replace(block, () =>
            block.replace(text, () => stdout.replace(SECONDS, SECONDS.exec(text)?.[0] ?? "")),
          );
      }
      expect(kinds).toBe("sh sh text sh text sh text sh sh text ");
      await expect(now).toMatchFileSnapshot(fileURLToPath(readme)); // npm test -- test/cli/letter -u writes it

      const summary = JSON.parse(await readFile(join(folder, "summary.json"), "utf8"));
      expect(summary).toMatchObject({ loss: "softmax", rows: 15000, features: 16, classes: 26, status: "solved" });
      expect(load(await readFile(join(folder, "softmax.model"))).dualVariables).toMatchObject({
        rows: 15000,
        cols: 26,
      });
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  },
);
