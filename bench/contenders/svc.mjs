/**
 * scikit-learn's SVC with an rbf kernel: libsvm, sequential minimal optimisation in C++, float64. Of two classes it is our "hinge" with
 * half the C, but for the bias, which it does not penalise. An epoch is n of its iterations, of two dual variables each.
 */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { trainFile } from "../workloads/load.mjs";
import { findPython, oneThread } from "./lbfgs.mjs";

const run = promisify(execFile);
const script = fileURLToPath(new URL("svc.py", import.meta.url));

export const svc = {
  name: "libsvm",
  solves: ({ id }) => id === "hinge",
  ladder: [1, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 0.0003, 0.0001].map((tol) => ({ tol })),

  async probe() {
    const found = await findPython();
    if (!found) return { missing: "scikit-learn, Debian: apt-get install python3-sklearn" };
    return { version: `scikit-learn ${found.version}` };
  },

  async train({ workload, settings: { C, kernel, tol } }) {
    const { python } = await findPython();
    const args = [script, trainFile(workload, "features"), trainFile(workload, "labels"), workload.d, 2 * C];
    const all = [...args, kernel.gamma, tol].map(String);
    const { stdout } = await run(python, all, { env: { ...process.env, ...oneThread } });
    return { status: "stopped", ...JSON.parse(stdout) };
  },
};
