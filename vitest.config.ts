import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";
import { chromiumArgs, needChromium, skipBrowser } from "./scripts/chromium.mjs";

const tests = ["test/**/*.test.ts"];
/**
 * What looks at files, starts programs or drives a browser of its own; the oracle's own tests, where nothing of the package runs;
 * long sweeps over hard cases and the solver's parts, whose arithmetic no browser changes. Everything else runs in Node and in Chromium.
 */
const nodeOnly = ["test/package.test.ts", "test/page/**", "test/reference/**", "test/**/*.node.test.ts"];

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    setupFiles: ["test/setup.ts"],
    maxWorkers: 2, // vitest leaves a core free, of two as of twenty
    projects: [
      // A process, or a page, runs many files, and loads what they share once: half a second for each of them.
      { extends: true, test: { name: "node", include: tests, isolate: false } },
      ...(skipBrowser
        ? []
        : [
            {
              extends: true as const,
              optimizeDeps: { include: ["fast-check", "@assemblyscript/loader"] }, // found late, they would reload the page
              test: {
                name: "chromium",
                include: tests,
                exclude: nodeOnly,
                isolate: false,
                browser: {
                  enabled: true,
                  headless: true,
                  screenshotFailures: false,
                  provider: playwright({ launchOptions: { executablePath: needChromium(), args: chromiumArgs } }),
                  instances: [{ browser: "chromium" as const }],
                },
              },
            },
          ]),
    ],
  },
});
