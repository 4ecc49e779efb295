/** Runs one job of bench/job.mjs in a process of its own, so that memory, caches and compiled code are those of that job. */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

const script = fileURLToPath(new URL("../job.mjs", import.meta.url));

/**
 * @param {object} job what to do, see bench/job.mjs
 * @param {number} [limitSeconds] after which the process and all it has started are ended
 * @returns {Promise<object>} the job's answer, or { status: "over-budget", seconds: limitSeconds }
 */
export function inFreshProcess(job, limitSeconds = Infinity) {
  return new Promise((resolve, reject) => {
    // A group of its own, so that a peer it runs ends with it. What peers print is not for the table.
    const child = fork(script, { detached: true, stdio: ["ignore", "ignore", "pipe", "ipc"] });
    let complaints = "";
    let answer;
    child.stderr.on("data", (chunk) => (complaints = (complaints + chunk).slice(-4000)));
    const endAll = () => {
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {
        // it has ended by itself
      }
    };
    const timer =
      limitSeconds === Infinity
        ? undefined
        : setTimeout(() => {
            answer ??= { status: "over-budget", seconds: limitSeconds };
            endAll();
          }, limitSeconds * 1000);
    process.once("exit", endAll);
    child.on("message", (message) => (answer = message));
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(timer);
      process.removeListener("exit", endAll);
      if (answer) resolve(answer);
      else reject(new Error(`bench: ${JSON.stringify(job)} ended with code ${code}\n${complaints}`));
    });
    child.send(job);
  });
}
