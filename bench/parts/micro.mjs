/** Kernels and proximal maps by themselves, against the dimension; the measuring is done in one process, by bench/micro. */
import { inFreshProcess } from "../lib/inFreshProcess.mjs";

export async function micro({ quick, log }) {
  log("micro: kernels and proximal maps");
  return inFreshProcess({ kind: "micro", quick });
}
