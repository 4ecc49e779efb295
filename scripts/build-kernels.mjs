// Compiles assembly/ to build/core.wasm and writes it into src/wasm/kernels.generated.ts,
// so that the package is plain JavaScript: nothing to fetch, nothing a bundler must understand. Deflated and then in base64:
// base64 of the binary itself would hide from gzip what repeats in it, and hexadecimal is 1 kB larger.
// asconfig.json asks for shrinkLevel 1: with 2, which saves half a kilobyte, the optimiser has both branches of a condition computed,
// logarithms and sums included, wherever neither has a side effect.
import asc from "assemblyscript/asc";
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { deflateSync } from "node:zlib";

const { error, stderr } = await asc.main(["--target", "release"]);
if (error) {
  console.error(stderr.toString());
  process.exit(1);
}

const compiled = await readFile("build/core.wasm");
/** Tells these kernels from those of other versions: it stands in a section of its own, for src/wasm/load.ts to compare. */
export const kernelsId = createHash("sha256").update(compiled).digest("hex").slice(0, 16);
const binary = Buffer.concat([compiled, customSection("topk-sdca", kernelsId)]);
await writeFile("build/core.wasm", binary);
await mkdir("src/wasm", { recursive: true });
/** What src/wasm/load.ts makes the binary of, and its length. */
export const kernelsText = deflateSync(binary, { level: 9, memLevel: 9 }).toString("base64");
export const kernelsLength = binary.length;
await writeFile(
  "src/wasm/kernels.generated.ts",
  `// Written by scripts/build-kernels.mjs from assembly/; do not edit.\n/** The binary: deflated, in base64. */\nexport const kernelsText = (): string =>\n  "${kernelsText}";\nexport const kernelsLength = ${kernelsLength};\nexport const kernelsId = "${kernelsId}";\n`,
);
console.log(`build-kernels: build/core.wasm, ${binary.length} bytes`);

/** A section of a WebAssembly binary that engines pass over: 0, its length, and a name and a text, lengths below 128 all. */
function customSection(name, text) {
  const content = Buffer.concat([Buffer.of(name.length), Buffer.from(name), Buffer.from(text)]);
  return Buffer.concat([Buffer.of(0, content.length), content]);
}
