/** Which peers are there, and how to get those that are not. */
import { contenders } from "../contenders/index.mjs";
import { inFreshProcess } from "./inFreshProcess.mjs";

export async function probePeers(names) {
  const found = {};
  for (const name of names)
    found[name] = { name: contenders[name].name, ...(await inFreshProcess({ kind: "probe", contender: name })) };
  return found;
}

/** One line for each peer that is missing. */
export function describeMissing(found) {
  return Object.values(found)
    .filter(({ missing }) => missing)
    .map(({ missing }) => `missing: ${missing}`);
}
