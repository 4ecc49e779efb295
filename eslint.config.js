import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";

export default defineConfig(
  // assembly/ is AssemblyScript: function decorators and its own types, which no TypeScript parser takes.
  { ignores: ["assembly/", "build/", "coverage/", "dist/", "**/*.generated.ts"] },
  tseslint.configs.recommended,
  {
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: { eqeqeq: "error", "@typescript-eslint/consistent-type-imports": "error" },
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
