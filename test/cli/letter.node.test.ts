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

/** Numbers of other machines and builds may differ a little; words, classes and layout may not. */
const layout = (text: string): string => text.replace(/\d+(\.\d+)?(e-\d+)?/g, "#");
const percentages = (text: string): number[] => [...text.matchAll(/([\d.]+) %/g)].map(([, number]) => Number(number));

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

      const blocks = [...(await readFile(readme, "utf8")).matchAll(/^```(sh|text)\n([^]*?)^```$/gm)];
      expect(blocks.map(([, kind]) => kind).join(" ")).toBe("sh sh text sh text sh text sh sh text");
      let stdout = "";
      for (const [, kind, text] of blocks) {
        if (kind === "sh") {
          ({ stdout } = await promisify(execFile)("sh", ["-e", "-c", text], { cwd: folder, env }));
          continue;
        }
        expect(layout(stdout)).toBe(layout(text));
        const stated = percentages(text);
        percentages(stdout).forEach((found, p) => expect(Math.abs(found - stated[p]), text).toBeLessThan(0.5));
      }

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
