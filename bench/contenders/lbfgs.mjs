/**
 * scikit-learn's multinomial logistic regression, solver "lbfgs", float64, without intercept: the same objective as our
 * "softmax". One thread, like all the others. The time is that of its `fit`, measured inside Python.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findPython, runScript } from "../lib/python.mjs";
import { trainFile } from "../workloads/load.mjs";

const script = fileURLToPath(new URL("lbfgs.py", import.meta.url));

/** The reference library, Debian's libblas3, is not blocked, and slow: that would be no comparison. */
export function describeBlas(found) {
  const quick = found.find((one) => /openblas|mkl|blis|atlas|accelerate/i.test(one));
  if (quick) return { blas: quick.split("/").at(-1) };
  const blas = found.length > 0 ? "reference BLAS" : "unknown BLAS";
  return { blas, warning: `L-BFGS computes with ${blas}; Debian: apt-get install libopenblas0` };
}

export const lbfgs = {
  name: "L-BFGS",
  solves: ({ id }) => id === "softmax",
  /** From the loosest; steps grow by a factor of about 1.25, so that the fastest run that suffices is hit closely. */
  ladder: [1, 2, 3, 4, 5, 7, 9, 11, 14, 17, 21, 26, 33, 41, 51, 64, 80, 100, 125, 156, 195, 244, 305].map((steps) => ({
    steps,
  })),

  async probe() {
    const found = await findPython();
    if (!found) return { missing: "scikit-learn, Debian: apt-get install python3-sklearn libopenblas0" };
    const { blas, warning } = describeBlas(found.blas);
    return { version: `scikit-learn ${found.version}, ${blas}`, warning };
  },

  async train({ workload, settings: { C, steps } }) {
    const folder = mkdtempSync(join(tmpdir(), "lbfgs-"));
    try {
      const out = join(folder, "weights");
      const args = [trainFile(workload, "features"), trainFile(workload, "labels"), out, workload.d, C, steps];
      const found = await runScript(script, args);
      const bytes = readFileSync(out);
      const weights = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
      return { status: "stopped", ...found, weights };
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};
