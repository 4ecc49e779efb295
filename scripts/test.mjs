// npm test: finds a browser, builds, checks types and style, runs every test in Node and in Chromium, and ends with one line of
// counts. Arguments go to vitest: `npm test -- test/prox`. SKIP_BROWSER=1 leaves the browser out.
import { execFile, execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseCLI, startVitest } from "vitest/node";
import { needChromium, skipBrowser } from "./chromium.mjs";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));

const noBrowser = "SKIP_BROWSER=1: NOTHING IS TESTED IN A BROWSER. Unset it for the whole suite.";
const counts = { passed: 0, failed: 0, skipped: 0 };

if (skipBrowser) banner(noBrowser);
if (await step("browser", findBrowser)) {
  if (await step("build", () => run(process.execPath, "scripts/build.mjs"))) {
    const lint = startLint(); // beside the tests, which leave a processor idle now and then
    await step("test", () => test(process.argv.slice(2)));
    await step("lint", async () => {
      const { status, output } = await lint;
      process.stdout.write(output);
      if (status !== 0) throw Object.assign(new Error("lint"), { status });
    });
  }
}
if (skipBrowser) banner(noBrowser);
const { passed, failed, skipped } = counts;
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
process.exit(failed > 0 ? 1 : 0); // whatever the runner has left open, or says on its way out

function findBrowser() {
  if (skipBrowser) return console.log("none");
  process.env.CHROME_PATH = needChromium(); // vitest.config.ts and test/page find it there
  console.log(process.env.CHROME_PATH);
}

/** Runs vitest and counts over both projects. */
async function test(args) {
  const { filter, options } = parseCLI(["vitest", "run", ...args]);
  const vitest = await startVitest("test", filter, { ...options, watch: false });
  const modules = vitest.state.getTestModules();
  for (const module of modules) {
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      counts[state === "pending" ? "failed" : state] += 1; // pending: the run broke off before it
    }
    const suites = [module, ...module.children.allSuites()];
    counts.failed += suites.filter((suite) => suite.errors().length > 0).length; // did not load, or a hook failed
  }
  counts.failed += vitest.state.getUnhandledErrors().length;
  await vitest.close();
  if (modules.length === 0) throw new Error(`no test file matches ${filter.join(", ")}`);
  if (process.exitCode && counts.failed === 0) throw new Error("vitest reports a failure outside of the tests");
}

/** Runs one step under its name; one that breaks counts as a failure. Returns whether it went through. */
async function step(name, action) {
  console.log(`\n${name}`);
  try {
    await action();
    return true;
  } catch (error) {
    if (error.status === undefined) console.error(error.message); // otherwise a program failed, and has said why
    console.error(`${name}: FAILED`);
    counts.failed += 1;
    return false;
  }
}

/** What it has written comes when it has ended. */
function startLint() {
  const options = { shell: process.platform === "win32", maxBuffer: 2 ** 26 };
  return new Promise((resolve) => {
    execFile("npm", ["run", "--silent", "lint"], options, (error, stdout, stderr) => {
      resolve({ status: error ? (error.code ?? 1) : 0, output: stdout + stderr });
    });
  });
}

function run(program, ...args) {
  execFileSync(program, args, { stdio: "inherit" });
}

function banner(text) {
  const line = "*".repeat(text.length + 6);
  console.log(`\n${line}\n*  ${text}  *\n${line}`);
}
