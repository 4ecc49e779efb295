// npm run demo:pictures: the pictures of the demos in README.md, docs/demos/*.png, from the demos as they are built now.
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright";
import { chromiumArgs, needChromium } from "./chromium.mjs";
import { buildDemo, serveDemo } from "./lib/demo.mjs";

const pictures = fileURLToPath(new URL("../docs/demos/", import.meta.url));
const WIDTH = 1000;
const PATIENCE = 120_000;

/** What is done on each page before its picture, and the part of the page that is shown. */
const scenes = {
  "two-guesses": {
    async play(page) {
      const solved = (name) =>
        page
          .getByRole("status")
          .filter({ hasText: `${name}: Solved` })
          .waitFor();
      await solved("hinge");
      await page.getByLabel("Cost of a mistake").selectOption("entropy");
      await solved("softmax (entropy)");
      await page.getByRole("radio", { name: "two" }).check();
      await solved("top-2 entropy");
    },
    shown: ".two-columns",
  },
  "which-section": {
    async play(page) {
      await page.locator("#tags-status", { hasText: "Solved" }).waitFor();
      await page.getByRole("status").filter({ hasText: "softmax: Solved" }).waitFor();
    },
    shown: ".two-columns >> nth=0",
  },
  race: {
    async play(page) {
      await page.getByRole("button", { name: "Start" }).click();
      await page.getByRole("status").filter({ hasText: "Both reached the goal" }).waitFor();
    },
    shown: "#gap",
  },
};

const folder = await mkdtemp(join(tmpdir(), "topk-sdca-demo-"));
await mkdir(pictures, { recursive: true });
await import("./build.mjs");
await buildDemo(folder);
const { address, close } = await serveDemo(folder);
const browser = await chromium.launch({ executablePath: needChromium(), args: chromiumArgs });
try {
  for (const [name, { play, shown }] of Object.entries(scenes)) {
    const page = await browser.newPage({ viewport: { width: WIDTH, height: 800 } });
    page.setDefaultTimeout(PATIENCE);
    await page.goto(`${address}${name}.html`);
    await play(page);
    await page.locator(shown).screenshot({ path: join(pictures, `${name}.png`) });
    console.log(`demo-pictures: docs/demos/${name}.png`);
  }
} finally {
  await browser.close();
  await close();
  await rm(folder, { recursive: true, force: true });
}
