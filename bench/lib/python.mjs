/** The Python that has scikit-learn, and what its fits run with. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const versions = fileURLToPath(new URL("pythonVersions.py", import.meta.url));
/** PYTHON names one; otherwise the first that has scikit-learn: Debian's may stand behind another on the PATH. */
const candidates = process.env.PYTHON ? [process.env.PYTHON] : ["python3", "/usr/bin/python3", "python"];
const oneThread = { OPENBLAS_NUM_THREADS: "1", OMP_NUM_THREADS: "1", MKL_NUM_THREADS: "1" };

/** Its matrix products are those of the BLAS library that numpy finds: `blas` has names with versions, or files. */
export async function findPython() {
  for (const python of candidates) {
    const asked = await run(python, [versions]).catch(() => undefined);
    if (asked) return { python, ...JSON.parse(asked.stdout) };
  }
}

/** Runs a script, on one thread like all the others, and returns the JSON that it prints. */
export async function runScript(script, args) {
  const { python } = await findPython();
  const { stdout } = await run(python, [script, ...args].map(String), { env: { ...process.env, ...oneThread } });
  return JSON.parse(stdout);
}
