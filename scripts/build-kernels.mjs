// Compiles assembly/ to build/core.wasm and writes it into src/wasm/kernels.generated.ts,
// so that the package is plain JavaScript: nothing to fetch, nothing a bundler must understand. In hexadecimal: gzip sees
// through it (14.6 kB), while base64 hides the repetitions of bytes (16.9 kB).
import { mkdir, readFile, writeFile } from "node:fs/promises";
import asc from "assemblyscript/asc";

const { error, stderr } = await asc.main(["--target", "release"]);
if (error) {
  console.error(stderr.toString());
  process.exit(1);
}

const binary = await readFile("build/core.wasm");
await mkdir("src/wasm", { recursive: true });
await writeFile(
  "src/wasm/kernels.generated.ts",
  `// Written by scripts/build-kernels.mjs from assembly/; do not edit.\nexport const kernelsHex: string =\n  "${binary.toString("hex")}";\n`,
);
console.log(`build-kernels: build/core.wasm, ${binary.length} bytes`);
