// node scripts/make-packages-data.mjs FULL.tsv.gz: writes examples/packages/packages.tsv.gz, a part of a table of Debian's packages
// (name, section, tags, description; a heading above). Every package with tags stays; of those without, every one in a section of
// fewer than 100 packages, elsewhere those whose description's hash falls below SHARE, so that equal descriptions stay together.
import { readFileSync, writeFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import { parsePackages, sectionsOf } from "../examples/packages/packages.js";
import { hashFraction } from "../examples/packages/text.js";

const SHARE = 0.5;
const SEED = 2026;
const SMALL_SECTION = 100;
const MAX_BYTES = 1.5e6;
const path = new URL("../examples/packages/packages.tsv.gz", import.meta.url);

const [source, ...rest] = process.argv.slice(2);
if (source === undefined || rest.length > 0) {
  console.error("usage: node scripts/make-packages-data.mjs FULL.tsv.gz");
  process.exit(2);
}

const table = gunzipSync(readFileSync(source)).toString();
const [heading, ...lines] = table.trimEnd().split("\n");
const packages = parsePackages(table);
const sizes = new Map();
for (const { section } of packages) sizes.set(section, (sizes.get(section) ?? 0) + 1);
const stays = ({ section, tags, description }) =>
  tags.length > 0 || sizes.get(section) < SMALL_SECTION || hashFraction(description, SEED) < SHARE;

const kept = packages.filter(stays);
const part = gzipSync(`${[heading, ...lines.filter((_, i) => stays(packages[i]))].join("\n")}\n`, { level: 9 });
if (sectionsOf(kept).length < sizes.size) throw new Error("a section would be lost");
if (part.length > MAX_BYTES) throw new Error(`${part.length} bytes, more than ${MAX_BYTES}; SHARE must be smaller`);
writeFileSync(path, part);

const tagged = kept.filter(({ tags }) => tags.length > 0).length;
console.log(
  `${kept.length} of ${packages.length} packages, ${tagged} with tags, ${sizes.size} sections, ${part.length} bytes`,
);
