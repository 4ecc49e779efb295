// The demos where something goes wrong or everything comes at once: files that do not come, quick hands, the way back. Needs
// `npm run build` first.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { skipBrowser } from "../../scripts/chromium.mjs";
import { buildDemo } from "../../scripts/lib/demo.mjs";
import { useBrowser } from "../page/helpers.ts";

describe.skipIf(skipBrowser)("demos in trouble", () => {
  const { visit } = useBrowser();
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "topk-sdca-demo-"));
    await buildDemo(folder);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** Operates a page, which is opened when nothing but the home has been loaded; returns what it complained of. */
  async function tryOut(name: string, operate: (page: Page, open: () => Promise<unknown>) => Promise<void>) {
    const site = { folders: { "/": folder }, path: "/index.html", view: { viewport: { width: 1200, height: 900 } } };
    const { complaints } = await visit(site, (page) =>
      operate(page, () => page.goto(page.url().replace("index", name))),
    );
    return complaints;
  }

  const statusOf = (page: Page, text: string | RegExp) => page.locator("#status").filter({ hasText: text }).waitFor();
  const tagsOf = (page: Page, text: string | RegExp) =>
    page.locator("#tags-status").filter({ hasText: text }).waitFor();
  const choose = (page: Page, share: string) => page.getByLabel("Packages to learn from").selectOption(share);

  test("Which section?: shares chosen while the packages are still being read do not get into each other's way", async () => {
    const complaints = await tryOut("which-section", async (page, open) => {
      let asked = 0;
      await page.route(/packages.*\.gz/, async (route) => {
        if (asked++ === 0) await new Promise((done) => setTimeout(done, 500)); // the first to be asked for comes last
        await route.continue();
      });
      await open();
      await expect.poll(() => asked).toBe(1);
      for (const share of ["0.25", "0.08", "1", "0.08"]) await choose(page, share);
      await tagsOf(page, /^Solved after/);
      await statusOf(page, /^softmax: Solved/);
      expect(asked).toBe(1);
    });
    expect(complaints).toEqual([]);
  });

  test("Which section?: says that the packages did not come, and gets them when another share is chosen", async () => {
    await tryOut("which-section", async (page, open) => {
      await page.route(/packages.*\.gz/, (route) => route.fulfill({ status: 404, body: "not here" }));
      await open();
      await statusOf(page, "This did not work: the packages could not be loaded: the host answered 404");
      expect(await page.locator("#read").textContent()).toBe("Could not be learned.");
      await tagsOf(page, "Could not be learned.");
      await page.unrouteAll();
      await choose(page, "0.08");
      await tagsOf(page, /^Solved after/);
      await statusOf(page, /^softmax: Solved/);
      expect(await page.locator("#read").textContent()).toMatch(/^Words read: a text editor/);
    });
  });

  test("Which section?: says that the worker did not come", async () => {
    await tryOut("which-section", async (page, open) => {
      await page.route(/prepare.*\.js/, (route) => route.abort());
      await open();
      await statusOf(page, "This did not work: a worker failed: its script could not be loaded");
      expect(await page.locator("#read").textContent()).toBe("Could not be learned.");
    });
  });

  test("Which section?: a word of any length, which no package has", async () => {
    await tryOut("which-section", async (page, open) => {
      await page.setViewportSize({ width: 375, height: 800 });
      await open();
      await choose(page, "0.08");
      await tagsOf(page, /^Solved after/);
      await statusOf(page, /^softmax: Solved/); // which answers beside it
      await page.locator("#text").fill("q".repeat(300));
      await tagsOf(page, /There is no word to go by\.$/);
      expect(await page.locator("#read").textContent()).toMatch(/none was seen in training: there is no answer\)$/);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(375);
    });
  });

  test("Two guesses: the last points go, and what was learned with them", async () => {
    const complaints = await tryOut("two-guesses", async (page, open) => {
      await open();
      await statusOf(page, /Solved after/);
      const circle = page.getByRole("application");
      await circle.focus();
      const say = (text: string) => page.locator("#edits").filter({ hasText: text }).waitFor();
      for (let left = 200; left > 0; left--) await page.keyboard.press("Delete");
      await say("0 are left.");
      await statusOf(page, "There are no points to learn from: add some.");
      expect(await circle.locator(".figure").allTextContents()).toEqual(["–", "–"]);
      await page.keyboard.press("Delete");
      await say("There is no point to remove.");
      for (const key of ["Enter", "Enter", "Delete"]) await page.keyboard.press(key);
      await say("1 is left.");
      await statusOf(page, /Solved after|First guess right/);
    });
    expect(complaints).toEqual([]);
  });

  test("Which section?: a loss left and chosen again while it is learned keeps its curve", async () => {
    await tryOut("which-section", async (page, open) => {
      await open();
      const plot = page.getByRole("img", { name: /^Nothing has been measured yet\.$|The gap of/ });
      await plot.waitFor();
      await plot.and(page.getByLabel("The gap of the sections")).waitFor();
      await page.getByRole("radio", { name: "(hinge)" }).check();
      await page.getByRole("radio", { name: "(softmax)" }).check();
      expect(await plot.getAttribute("aria-label")).toContain("The gap of the sections");
    });
  });

  test("Race: says that a program did not come, and runs when it does", async () => {
    await tryOut("race", async (page, open) => {
      await page.route(/baselineWorker.*\.js/, (route) => route.abort());
      await open();
      await page.getByLabel("Examples (n)").selectOption("500");
      const start = page.getByRole("button", { name: "Start" });
      await start.click();
      await statusOf(page, "This did not work: a worker failed: its script could not be loaded");
      expect(page.workers()).toEqual([]);
      await page.unrouteAll();
      await start.click();
      await statusOf(page, "Both reached the goal");
    });
  });

  test("Race: stops while the data are made, and keys keep their place", async () => {
    const complaints = await tryOut("race", async (page, open) => {
      await open();
      await page.getByLabel("Examples (n)").selectOption("20000");
      await page.getByLabel("Numbers each (d)").selectOption("512");
      const focused = () => page.evaluate(() => document.activeElement!.id);
      await page.getByRole("button", { name: "Start" }).press("Enter");
      await statusOf(page, "Making the data.");
      expect(await focused()).toBe("start");
      const waited = await page.evaluate(async () => {
        const before = performance.now();
        await new Promise((done) => setTimeout(done, 50));
        return performance.now() - before;
      });
      expect(waited, "milliseconds until the page has time").toBeLessThan(400);
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await statusOf(page, "Stopped.");
      expect(await focused()).toBe("stop");
      const statuses = page.getByRole("row", { name: /^status/ }).getByRole("cell");
      expect(await statuses.allTextContents()).toEqual(["stopped", "stopped"]);
      await expect.poll(() => page.workers().length).toBe(0);
      await page.keyboard.press("Enter"); // which stops nothing
      await statusOf(page, "Stopped.");
    });
    expect(complaints).toEqual([]);
  });

  test("what a page shows goes with its controls after the way back", async () => {
    await tryOut("race", async (page, open) => {
      const thereAndBack = async () => {
        await page.goto(page.url().replace(/[\w-]+\.html/, "index.html"));
        await page.goBack();
      };
      await open();
      await page.getByLabel("Finish").selectOption("1 %");
      await thereAndBack();
      expect(await page.getByLabel("Finish").inputValue()).toBe("0.001");
      expect(await page.locator(".legend").textContent()).toContain("goal: 0.1 %");

      await page.goto(page.url().replace("race", "two-guesses"));
      await page.getByRole("radio", { name: "two" }).check();
      await page.getByLabel("Weight of mistakes").fill("2");
      await thereAndBack();
      await statusOf(page, /^hinge: Solved/);
      expect(await page.getByRole("radio", { name: "one" }).isChecked()).toBe(true);
      expect(await page.getByLabel("Weight of mistakes").inputValue()).toBe("0");

      await page.goto(page.url().replace("two-guesses", "which-section"));
      await choose(page, "0.08");
      await thereAndBack();
      expect(await page.getByLabel("Packages to learn from").inputValue()).toBe("1");
    });
  });

  test("Two guesses: two fingers move a point each, and new points are held by nobody", async () => {
    const complaints = await tryOut("two-guesses", async (page, open) => {
      await open();
      const box = (await page.getByRole("application").boundingBox())!;
      const at = (turns: number, radius: number) => ({
        x: box.x + (box.width / 3) * (1.5 + radius * Math.cos(2 * Math.PI * turns)),
        y: box.y + (box.height / 3) * (1.5 - radius * Math.sin(2 * Math.PI * turns)),
      });
      const input = await page.context().newCDPSession(page);
      const touch = (type: "touchStart" | "touchMove" | "touchEnd", ...turns: number[]) =>
        input.send("Input.dispatchTouchEvent", { type, touchPoints: turns.map((t, id) => ({ ...at(t, 1.1), id })) });
      const places = () =>
        page.locator(".marked").evaluateAll((all) => all.map((one) => one.getAttribute("transform")!));
      await touch("touchStart", 0.3);
      await touch("touchStart", 0.3, 0.6);
      const [first, second] = await places();
      await touch("touchMove", 0.35, 0.6);
      expect(await places()).toEqual([expect.not.stringContaining(first), second]);
      await page.locator("#fresh").dispatchEvent("click");
      await touch("touchMove", 0.4, 0.65);
      expect(await places()).toEqual([]);
      expect(await page.locator("#circle [class^=class-][transform]").count()).toBe(200);
      await touch("touchEnd");
    });
    expect(complaints).toEqual([]);
  });
});
