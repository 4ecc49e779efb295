/**
 * scikit-learn's SVC with an rbf kernel: libsvm, sequential minimal optimisation in C++, float64. Of two classes it is our "hinge" with
 * half the C, but for the bias, which it does not penalise. An epoch is n of its iterations, of two dual variables each.
 */
import { fileURLToPath } from "node:url";
import { findPython, runScript } from "../lib/python.mjs";
import { trainFile } from "../workloads/load.mjs";

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
    const args = [trainFile(workload, "features"), trainFile(workload, "labels"), workload.d, 2 * C, kernel.gamma, tol];
    return { status: "stopped", ...(await runScript(script, args)) };
  },
};
