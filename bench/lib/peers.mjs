/** Which peers are there, how to get those that are not, and running them. */
import { contenders } from "../contenders/index.mjs";
import { inFreshProcess } from "./inFreshProcess.mjs";

export async function probePeers(names) {
  const found = {};
  for (const name of names)
    found[name] = { name: contenders[name].name, ...(await inFreshProcess({ kind: "probe", contender: name })) };
  return found;
}

/** A job of a peer. One that breaks must not take the run along: { status: "failed" }. */
export async function runPeer(job, limitSeconds, log) {
  try {
    return await inFreshProcess(job, limitSeconds);
  } catch (error) {
    log(error.message);
    return { status: "failed" };
  }
}

/** One line for each peer that is missing, or not what it should be. */
export function describeMissing(found) {
  return Object.values(found).flatMap(({ missing, warning }) => [
    ...(missing ? [`missing: ${missing}`] : []),
    ...(warning ? [`warning: ${warning}`] : []),
  ]);
}
