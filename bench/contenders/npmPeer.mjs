/** What the peers from npm have in common. They are no dependencies: who wants them installs them by hand. */
import { readFileSync } from "node:fs";

/** The version of an installed package, or how to install the one that is known to work. */
export function installed(name, version) {
  try {
    const file = new URL(`../../node_modules/${name}/package.json`, import.meta.url);
    return { version: JSON.parse(readFileSync(file, "utf8")).version };
  } catch {
    return { missing: `${name}: npm install --no-save ${name}@${version}` };
  }
}

/** Rows as arrays of numbers, which is what these packages take. */
export function rowsOf({ features: { data, rows, cols } }) {
  return Array.from({ length: rows }, (_, i) => Array.from(data.subarray(i * cols, (i + 1) * cols)));
}
