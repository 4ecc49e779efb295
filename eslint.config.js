import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";

/** Imports by path: packages, then what is in folders above, then what is beside. */
const sortedImports = {
  create(context) {
    const keyOf = ({ source: { value } }) => (value.startsWith("../") ? 1 : value.startsWith("./") ? 2 : 0) + value;
    return {
      Program({ body }) {
        const imports = body.filter(({ type }) => type === "ImportDeclaration");
        imports.slice(1).forEach((node, i) => {
          if (keyOf(node) > keyOf(imports[i])) return;
          context.report({ node, message: `"${node.source.value}" belongs before "${imports[i].source.value}"` });
        });
      },
    };
  },
};

export default defineConfig(
  // assembly/ is AssemblyScript: function decorators and its own types, which no TypeScript parser takes.
  { ignores: ["assembly/", "build/", "coverage/", "dist/", "**/*.generated.ts"] },
  tseslint.configs.recommended,
  {
    linterOptions: { reportUnusedDisableDirectives: "error" },
    plugins: { house: { rules: { "sorted-imports": sortedImports } } },
    rules: { eqeqeq: "error", "@typescript-eslint/consistent-type-imports": "error", "house/sorted-imports": "error" },
  },
  {
    // What is published: runs anywhere, prints nothing, can be replayed from its seed.
    files: ["src/**"],
    rules: {
      "no-console": "error",
      "no-restricted-imports": ["error", { patterns: ["node:*"] }],
      "no-restricted-properties": [
        "error",
        { object: "Math", property: "random", message: "Use the seeded generator." },
      ],
      "max-len": ["error", { code: 120, ignoreStrings: true, ignoreTemplateLiterals: true }], // of comments, which prettier leaves
      "no-restricted-syntax": ["error", { selector: "TSEnumDeclaration", message: "Use a union of strings." }],
      "@typescript-eslint/explicit-module-boundary-types": "error",
    },
  },
  {
    // The command line runs in Node only.
    files: ["src/cli/**"],
    rules: { "no-restricted-imports": "off" },
  },
  {
    files: ["test/**"],
    rules: { "@typescript-eslint/no-explicit-any": "off" }, // tests of bad input
  },
);
