// What is bundled of @assemblyscript/loader.
import { readFile } from "node:fs/promises";

/**
 * Of the loader, `instantiate` is used, and of what that returns the plain instance: the kernels take and give numbers. So the
 * bundled copy leaves out what wraps the exports for strings, arrays and classes of AssemblyScript, imports that they do not
 * have, `abort` and `trace`, and sources that are no compiled module. Its TextDecoder would be made when it is needed, not when
 * imported: importing this package does nothing.
 */
export const leanLoader = {
  name: "lean-loader",
  setup(bundle) {
    bundle.onLoad({ filter: /@assemblyscript[\\/]loader[\\/]index\.js$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      const changes = [
        [/^const utf16 = (new TextDecoder\(.*\));/m, "const utf16 = { decode: (units) => $1.decode(units) };"],
        [/^Object\.hasOwn = [\s\S]*?^\};\n/m, ""],
        [/^ *const env = \(imports\.env = [\s\S]*?^ *imports\.Date = .*\n/m, ""],
        [
          /^ *const module = isModule\(source\) \? source : await WebAssembly\.compile\(source\);/m,
          "const module = source;",
        ],
        [/^ *if \(isResponse\(source = await source\)\) return instantiateStreaming\(.*\n/m, ""],
        [
          /^ *const exports = postInstantiate\(extended, instance\);\n *return \{ module, instance, exports \};/m,
          "return { instance };",
        ],
        [/^export default \{[\s\S]*?^\};?\n/m, ""],
      ];
      const contents = changes.reduce((text, [from, to]) => text.replace(from, to), source);
      for (const [from] of changes) {
        if (!from.test(source)) throw new Error(`build: @assemblyscript/loader has changed; it has no ${from}`);
      }
      return { contents, loader: "js" };
    });
  },
};
