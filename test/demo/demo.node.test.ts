// The demos as a visitor has them: built, served as files, trained and operated in Chromium, and looked at by axe. Screenshots go to
// build/demo-screenshots. Needs `npm run build` first.
import { AxeBuilder } from "@axe-core/playwright";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Locator, Page } from "playwright";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { skipBrowser } from "../../scripts/chromium.mjs";
import { buildDemo, pages } from "../../scripts/lib/demo.mjs";
import { useBrowser } from "../page/helpers.ts";

const screenshots = fileURLToPath(new URL("../../build/demo-screenshots/", import.meta.url));
const desktop = { width: 1200, height: 900 };
const phone = { width: 375, height: 740 };
/** Rules of axe whose outcome depends on colours and sizes. */
const whatViewsChange = ["color-contrast", "scrollable-region-focusable", "target-size"];

describe.skipIf(skipBrowser)("demos", () => {
  const { visit } = useBrowser();
  let folder: string;
  beforeAll(async () => {
    await mkdir(screenshots, { recursive: true });
    folder = await mkdtemp(join(tmpdir(), "topk-sdca-demo-"));
    await buildDemo(folder);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** Operates a page; it must not complain, must keep its shape, and must please axe, in light and dark, on a desk and a phone. */
  async function tryOut(name: string, operate: (page: Page) => Promise<void>): Promise<void> {
    // From a folder, as on many a host.
    const site = {
      ...{ folders: { "/some/where/": folder }, path: `/some/where/${name}.html`, view: { viewport: desktop } },
      scriptsTake: 300, // so that the page is seen before they come
    };
    const { complaints } = await visit(site, async (page) => {
      await operate(page);
      const { sum, moved } = await layoutShift(page);
      expect(sum, `moved by itself: ${moved.join("; ")}`).toBeLessThan(0.002);
      const look = async (view: string, colorScheme: "light" | "dark", viewport: typeof desktop): Promise<void> => {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize(viewport);
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
        await page.screenshot({ path: join(screenshots, `${name}-${view}.png`), fullPage: true });
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        expect(width, view).toBeLessThanOrEqual(viewport.width);
      };
      const axe = async (builder: AxeBuilder): Promise<void> => {
        const { violations } = await builder.setLegacyMode().analyze(); // which is quicker; the pages have no frames
        expect(violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)])).toEqual([]);
      };
      await look("light", "light", desktop);
      await axe(new AxeBuilder({ page }));
      await look("phone", "light", phone);
      await look("phone-dark", "dark", phone);
      await axe(new AxeBuilder({ page }).withRules(whatViewsChange));
      await look("dark", "dark", desktop);
    });
    expect(complaints).toEqual([]);
  }

  test("the home links every demo, and every demo its source", async () => {
    await tryOut("index", async (page) => {
      const links = page.getByRole("main").getByRole("link");
      const addresses = await links.evaluateAll((all) => all.map((one) => one.getAttribute("href")));
      expect(addresses).toEqual(pages.slice(1).map((name) => `./${name}.html`));
    });
    for (const name of pages.slice(1)) {
      const [, source] = /href="\.\/(source\/[^"]+)"/.exec(await readFile(join(folder, `${name}.html`), "utf8"))!;
      expect(await readFile(join(folder, source), "utf8")).toContain("READ FIRST");
    }
  });

  test("Two guesses: the second is won where two count, points are edited by mouse and by keys", async () => {
    await tryOut("two-guesses", async (page) => {
      const status = page.locator("#status");
      const edits = page.locator("#edits");
      const row = (name: string) => numbersOf(page.getByRole("row", { name: new RegExp(`^${name} `) }));
      const solved = (name: string) => status.filter({ hasText: new RegExp(`^${name}: Solved .* gain 0\\.\\d+ %`) });
      await page.emulateMedia({ reducedMotion: "reduce" }); // no pauses for the eye
      await page.getByRole("button", { name: "Train again" }).click();
      await solved("hinge").waitFor();
      await page.getByRole("radio", { name: "two" }).check();
      await solved("top-2 hinge").waitFor();
      const [one, two] = [await row("hinge"), await row("top-2 hinge")];
      expect(two[0]).toBeLessThan(one[0] - 3); // in percent
      expect(two[1]).toBeGreaterThan(one[1] + 3);
      expect(two[1]).toBeLessThanOrEqual(98.6);

      await page.getByLabel("Cost of a mistake").selectOption("entropy");
      await solved("top-2 entropy").waitFor();
      expect(await page.getByLabel("Smoothing").isDisabled()).toBe(true);
      const before = await status.textContent();
      await page.getByLabel("Weight of mistakes").press("ArrowRight");
      await expect.poll(() => status.textContent(), { timeout: 20_000 }).not.toBe(before);
      await solved("top-2 entropy").waitFor();
      expect(await page.locator("output[for=c]").textContent()).toBe("3.2");

      const points = page.locator("#circle [class^=class-][transform]");
      expect(await points.count()).toBe(200);
      const circle = page.getByRole("application");
      await circle.focus();
      await page.keyboard.press("Enter");
      await edits.filter({ hasText: "Added a point of kind A; there are 201." }).waitFor();
      await page.keyboard.press(" ");
      const place = await page.locator(".marked").getAttribute("transform");
      await page.keyboard.press("ArrowLeft");
      expect(await page.locator(".marked").getAttribute("transform")).not.toBe(place);
      await page.keyboard.press("Delete");
      await edits.filter({ hasText: "Removed a point of kind A; 200 are left." }).waitFor();
      await solved("top-2 entropy").waitFor();

      const box = (await circle.boundingBox())!;
      const at = (turns: number, radius: number): [number, number] => [
        box.x + (box.width / 3) * (1.5 + radius * Math.cos(2 * Math.PI * turns)),
        box.y + (box.height / 3) * (1.5 - radius * Math.sin(2 * Math.PI * turns)),
      ];
      await page.getByRole("radio", { name: "adds C" }).check();
      await page.mouse.move(...at(0.3, 1.1)); // on the inner ring, where no point is
      await page.mouse.down();
      await edits.filter({ hasText: "Added a point of kind C; there are 201." }).waitFor();
      const added = await page.locator(".marked").getAttribute("transform");
      await page.mouse.move(...at(0.35, 0.94), { steps: 3 });
      expect(await page.locator(".marked").getAttribute("transform")).not.toBe(added);
      await page.mouse.up();
      await page.getByRole("radio", { name: "removes" }).check();
      await page.mouse.click(...at(0.35, 0.94));
      await edits.filter({ hasText: "200 are left." }).waitFor();
      await page.getByRole("button", { name: "New points" }).click();
      await page.getByRole("radio", { name: "one" }).check();
      await page.getByLabel("Cost of a mistake").selectOption("hinge");
      await solved("hinge").waitFor();
    });
  });

  test("Which section?: learns, answers while one types, and the losses differ", async () => {
    await tryOut("which-section", async (page) => {
      await page.getByLabel("Packages to learn from").selectOption("0.08");
      const status = page.getByRole("status");
      const solved = (name: string) => status.filter({ hasText: new RegExp(`^${name}: Solved `) });
      await solved("softmax").waitFor({ timeout: 30_000 });
      const sections = page.locator("#sections tbody tr:not(.words)");
      const text = page.getByLabel("Describe a program");
      await text.fill("Perl module for qwrtz");
      expect(await sections.first().textContent()).toMatch(/^perl\d+\.\d\d\d+\.\d %$/);
      expect(await page.locator("#read s").allTextContents()).toEqual(["qwrtz"]);
      expect(await page.locator("#sections tbody tr.words").first().textContent()).toMatch(/^perl \+\d/);
      await page
        .getByText("Solved after", { exact: false })
        .and(page.locator("#tags-status"))
        .waitFor({ timeout: 30_000 });
      expect(await page.locator("#tags tbody th").allTextContents()).toContain("devel::lang:perl");
      expect(await page.locator("#tags-status").textContent()).toMatch(
        /reach the threshold, [−-]?\d+\.\d\d, 8 at most\.$/,
      );
      expect(await page.locator("#parts li").allTextContents()).toEqual([
        "words for the section",
        "words against it",
        "its constant",
      ]);
      await text.fill("qwrtz");
      expect(await page.locator("#sections tbody tr:not(.empty)").count()).toBe(0);
      await page.getByRole("button", { name: "a text editor for programmers" }).click();

      for (const name of ["top-5 hinge", "hinge"]) {
        await page.getByRole("radio", { name: `(${name})` }).check();
        await solved(name).waitFor();
        expect(await sections.first().locator("td").last().textContent()).toBe("–");
      }
      const accuracies = (name: string) => numbersOf(page.getByRole("row", { name: new RegExp(`^${name} `) }));
      const [hinge, top5] = [await accuracies("hinge"), await accuracies("top-5 hinge")];
      expect(hinge[0]).toBeGreaterThan(50);
      expect(top5[2]).toBeGreaterThan(hinge[2]);
      await page.getByRole("radio", { name: "(softmax)" }).check();
    });
  });

  test("Race: both reach the same objective, and one that is stopped stops", async () => {
    await tryOut("race", async (page) => {
      const status = page.getByRole("status");
      const size = async (n: number, d: number, m: number): Promise<void> => {
        await page.getByLabel("Examples (n)").selectOption(String(n));
        await page.getByLabel("Numbers each (d)").selectOption(String(d));
        await page.getByLabel("Kinds to tell apart (m)").selectOption(String(m));
      };
      await size(500, 32, 10);
      await page.getByLabel("Order", { exact: true }).selectOption("turns");
      const start = page.getByRole("button", { name: "Start" });
      await start.click();
      await status
        .filter({ hasText: /^Both reached the goal: topk-sdca was \d+\.\d times (faster|slower), / })
        .waitFor();
      const [wasm, plain] = (
        await page
          .getByRole("row", { name: /^objective/ })
          .getByRole("cell")
          .allTextContents()
      ).map(Number);
      expect(Math.abs(wasm - plain) / plain).toBeLessThan(2e-3); // each within 1e-3 of the optimum
      expect(
        await page
          .getByRole("row", { name: /^status/ })
          .getByRole("cell")
          .allTextContents(),
      ).toEqual(["solved", "solved"]);

      await size(20_000, 128, 50); // long enough to be stopped
      await page.getByLabel("Order", { exact: true }).selectOption("together");
      await start.click();
      await status.filter({ hasText: "running" }).waitFor();
      await page.getByRole("button", { name: "Stop" }).click();
      await status.filter({ hasText: "Stopped." }).waitFor();
      expect(await start.isEnabled()).toBe(true);
      await size(500, 32, 10);
      await start.click();
      await status.filter({ hasText: "Both reached the goal" }).waitFor();
    });
  });
});

/** The numbers of a row's cells. */
async function numbersOf(row: Locator): Promise<number[]> {
  const cells = await row.getByRole("cell").allTextContents();
  return cells.map((text) => parseFloat(text));
}

/** How much of the page has moved by itself so far: the sum of the browser's layout shifts that followed no input. */
function layoutShift(page: Page): Promise<{ sum: number; moved: string[] }> {
  interface LayoutShift extends PerformanceEntry {
    value: number;
    hadRecentInput: boolean;
    sources: { node: Element | null }[];
  }
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        let sum = 0;
        const moved: string[] = [];
        new PerformanceObserver((list) => {
          for (const { hadRecentInput, value, startTime, sources } of list.getEntries() as LayoutShift[]) {
            if (hadRecentInput) continue;
            sum += value;
            moved.push(
              `${value} at ${startTime}: ${sources.map(({ node }) => node?.outerHTML?.slice(0, 60)).join(", ")}`,
            );
          }
        }).observe({ type: "layout-shift", buffered: true });
        setTimeout(() => resolve({ sum, moved }), 50);
      }),
  );
}
