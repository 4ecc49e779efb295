// The packages: their table read, split, and as the two tasks that are learned. No Node API here either.
import { hashFraction } from "./text.js";

/** @typedef {{ name: string, section: string, tags: string[], description: string }} Package */

/**
 * A table as scripts/make-packages-data.mjs writes it: one heading, then lines of name, section, tags and description.
 *
 * @param {string} table
 * @returns {Package[]}
 */
export function parsePackages(table) {
  return table
    .trimEnd()
    .split("\n")
    .slice(1)
    .map((line) => {
      const [name, section, tags, description] = line.split("\t");
      return { name, section, tags: tags === "" ? [] : tags.split(" "), description };
    });
}

/**
 * Splits packages in two by their description, so that a description never stands on both sides, as it would for many a library and
 * its -dev. `share` of the descriptions go to the second part.
 *
 * @param {readonly Package[]} packages
 * @returns {[Package[], Package[]]}
 */
export function splitByDescription(packages, { share = 0.2, seed = 1 } = {}) {
  const isSecond = ({ description }) => hashFraction(description, seed) < share;
  return [packages.filter((one) => !isSecond(one)), packages.filter(isSecond)];
}

/**
 * The sections that occur, ascending.
 *
 * @param {readonly Package[]} packages
 */
export const sectionsOf = (packages) => [...new Set(packages.map(({ section }) => section))].sort();

/**
 * The tags that at least `minUses` of the packages carry, ascending.
 *
 * @param {readonly Package[]} packages
 * @returns {string[]}
 */
export function frequentTags(packages, minUses) {
  const uses = new Map();
  for (const tag of packages.flatMap(({ tags }) => tags)) uses.set(tag, (uses.get(tag) ?? 0) + 1);
  return [...uses.keys()].filter((tag) => uses.get(tag) >= minUses).sort();
}

/**
 * The packages that carry any of the tags, with those tags only. One without tags is not known to have none: nobody has tagged it.
 *
 * @param {readonly Package[]} packages
 * @param {readonly string[]} tags
 */
export function keepTags(packages, tags) {
  const kept = new Set(tags);
  return packages
    .map((one) => ({ ...one, tags: one.tags.filter((tag) => kept.has(tag)) }))
    .filter((one) => one.tags.length > 0);
}
