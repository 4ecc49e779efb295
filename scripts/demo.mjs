// npm run demo: builds the package and the demos, serves them, prints the address. With --build they are only built, into build/demo.
import { fileURLToPath } from "node:url";
import { buildDemo, serveDemo } from "./lib/demo.mjs";

const folder = fileURLToPath(new URL("../build/demo", import.meta.url));
const [option, ...rest] = process.argv.slice(2);
if (rest.length > 0 || (option !== undefined && option !== "--build")) {
  console.error(`demo: unknown argument ${rest[0] ?? option}; the only one there is is --build`);
  process.exit(2);
}

await import("./build.mjs");
await buildDemo(folder);
if (option === "--build") {
  console.log("demo: built into build/demo, for any static host");
} else {
  const { address } = await serveDemo(folder);
  console.log(`demo: ${address} (Ctrl-C ends it)`);
}
