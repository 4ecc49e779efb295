// The code in README.md and docs/ does what it says: every js block runs, every html block works in a page, and all pass as TypeScript.
// Needs `npm run build` first. A block "js file=NAME" is a file that the other blocks of its page use.
import { execFile } from "node:child_process";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { skipBrowser } from "../scripts/chromium.mjs";
import { installPacked } from "../scripts/lib/pack.mjs";
import { fit } from "../src/index.ts";
import { useBrowser } from "./page/helpers.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const inDocs = (await readdir(join(root, "docs"))).filter((name) => name.endsWith(".md"));
const pages = ["README.md", ...inDocs.map((name) => `docs/${name}`)];

interface Block {
  page: string;
  line: number;
  language: string;
  /** Name of the file it is; undefined for a program. */
  file?: string;
  code: string;
}

async function readBlocks(page: string): Promise<Block[]> {
  const text = await readFile(join(root, page), "utf8");
  return [...text.matchAll(/^```(js|html)(?: file=(\S+))?\n(.*?)^```$/gms)].map(
    ({ 1: language, 2: file, 3: code, index }) => {
      return { page, line: text.slice(0, index).split("\n").length, language, file, code };
    },
  );
}

const blocks = (await Promise.all(pages.map(readBlocks))).flat();
const programs = blocks.filter(({ language, file }) => language === "js" && !file);
/** The files of a page by the path they are served under. */
const filesOf = (page: string): Record<string, string> =>
  Object.fromEntries(
    blocks.flatMap((block) => (block.page === page && block.file ? [[`/${block.file}`, block.code]] : [])),
  );
const html = blocks.filter(({ language }) => language === "html");

test("the pages with programs are found", () => {
  const found = new Set(programs.map(({ page }) => page));
  expect([...found].sort()).toEqual(["README.md", "docs/certificate.md", "docs/losses.md"]);
});

/** A project of a user, where every page has a folder. */
let user: Awaited<ReturnType<typeof installPacked>>;
beforeAll(async () => {
  user = await installPacked();
  await writeFile(join(user.folder, "package.json"), '{ "type": "module" }');
  for (const page of pages) await mkdir(folderOf(page));
});
afterAll(() => user?.remove());
const folderOf = (page: string): string => join(user.folder, page.replaceAll(/\W/g, "-"));

describe("js", () => {
  beforeAll(async () => {
    for (const { page, file, code } of blocks) if (file) await writeFile(join(folderOf(page), file), code);
  });

  test.each(programs)("$page, line $line", async ({ page, line, code }) => {
    const folder = folderOf(page);
    const name = `line-${line}.js`;
    await writeFile(join(folder, name), code);
    const run = promisify(execFile)(process.execPath, [name], { cwd: folder });
    const { stdout, stderr } = await run.catch((error) =>
      expect.fail(`${page}, line ${line}: ${error.stderr || error.message}`),
    );
    expect(stderr).toBe("");
    // What a comment says of a fit is so.
    const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;
    expect(count(stdout, /\bsolved\b/g)).toBeGreaterThanOrEqual(count(code, /\/\/.*"solved/g));
    for (const [, comment] of code.matchAll(/^console\.log\(.*\); \/\/ (.*)$/gm)) {
      for (const [, word] of comment.matchAll(/"(\w[\w-]*)"/g)) expect(stdout, comment).toContain(word);
    }
    const comments = code.match(/^\/\/ .*$/gm)?.join("\n") ?? "";
    const printed = stdout.match(/\d+\.\d+/g) ?? [];
    for (const [number] of comments.matchAll(/\d+\.\d+/g)) expect(printed, "as a comment says").toContain(number);
  });
});

test("as TypeScript they are sound, in a project that is strict", async () => {
  const files = new Map<string, string>();
  for (const { page, line, language, file = `line-${line}.js`, code } of blocks) {
    const script = language === "html" ? /<script type="module">(.*?)<\/script>/s.exec(code)![1] : code;
    const name = join(folderOf(page), file.replace(/js$/, "ts"));
    await writeFile(
      name,
      script.replace('"./dist/index.js"', '"topk-sdca"').replace(/"\.\/dist\/(worker|predict)\.js"/, '"topk-sdca/$1"'),
    );
    files.set(name, `${page}, line ${line}`);
  }
  // Options may be undefined.
  const options = '{ loss: "topk-hinge", k: 1, gamma: undefined, C: undefined, signal: undefined, initial: undefined }';
  const undefinedOptions = join(user.folder, "undefined.ts");
  await writeFile(undefinedOptions, `import { fit } from "topk-sdca";\nawait fit([[1]], ["a"], ${options});\n`);
  files.set(undefinedOptions, "undefined options");
  const parsed = ts.convertCompilerOptionsFromJson(
    {
      ...{ target: "es2022", module: "node16", lib: ["es2022", "dom"], types: ["node"], noEmit: true },
      ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: true },
      typeRoots: [join(root, "node_modules/@types")],
    },
    user.folder,
  );
  const complaints = ts.getPreEmitDiagnostics(ts.createProgram([...files.keys()], parsed.options));
  // JavaScript has no place for the types of parameters.
  const UNTYPED_PARAMETER = 7006;
  const told = complaints
    .filter(({ code }) => code !== UNTYPED_PARAMETER)
    .map(
      ({ file, messageText }) =>
        `${files.get(file?.fileName ?? "")}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`,
    );
  expect(told).toEqual([]);
});

if (skipBrowser) console.warn("SKIP_BROWSER=1: test/docs.node.test.ts opens no page");

describe.skipIf(skipBrowser)("html, in a page that serves dist/", () => {
  const { visit } = useBrowser();

  let saved: Uint8Array;
  beforeAll(async () => {
    saved = (await fit([[0, 1], [1, 0], [1, 1]], ["a", "b", "b"])).toBytes(); // prettier-ignore
  });

  test.each(html)("$page, line $line", async ({ page, code }) => {
    const site = {
      folders: { "/dist/": join(root, "dist") },
      files: {
        ...filesOf(page),
        "/saved.model": saved,
        "/": `<!doctype html><link rel="icon" href="data:,"><body>${code}</body>`,
      },
    };
    // Every such block trains, or loads what was, and says so in the page.
    const { result, complaints } = await visit(site, async (tab) => {
      await tab.waitForFunction(() => /\bsolved\b/.test(document.body.innerText), undefined, { timeout: 20_000 });
      return tab.innerText("body");
    });
    expect(result).toMatch(/\bsolved\b/);
    expect(complaints).toEqual([]);
  });
});
