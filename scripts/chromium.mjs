// Where the tests take their browser from. Playwright's own download is not used: the tests run the Chromium that is installed.
import { execFileSync } from "node:child_process";
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

/** No sandbox, because continuous integration runs as root; no calls home. */
export const chromiumArgs = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"];

/** True where the caller asked for tests without a browser. */
export const skipBrowser = process.env.SKIP_BROWSER === "1";

/** @returns {string | undefined} CHROME_PATH, or else the first Chromium or Chrome on the PATH. */
function findChromium() {
  const asked = process.env.CHROME_PATH;
  if (asked) {
    if (!isProgram(asked)) throw new Error(`chromium: CHROME_PATH is not a program that can be run: ${asked}`);
    return asked;
  }
  const folders = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

/** @returns {string} As findChromium; on Debian as root the package is installed when there is none. Throws with what to do. */
export function needChromium() {
  const found = findChromium();
  if (found) return found;
  if (existsSync("/etc/debian_version") && process.getuid?.() === 0) {
    console.log("chromium: none on the PATH; installing Debian's package\n");
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    try {
      execFileSync("apt-get", ["update", "-qq"], { stdio: "inherit", env });
      execFileSync("apt-get", ["install", "-y", "-qq", "chromium"], { stdio: "inherit", env });
    } catch (error) {
      console.error(error.message);
    }
    const installed = findChromium();
    if (installed) return installed;
  }
  throw new Error(
    `chromium: no browser found. Do one of these and run the tests again:\n` +
      `  set CHROME_PATH to a Chromium or Chrome program;\n` +
      `  install one of ${names.join(", ")} on the PATH (Debian, as root: apt-get install chromium);\n` +
      `  set SKIP_BROWSER=1 to run the tests in Node only.`,
  );
}

/** @param {string} file */
function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
