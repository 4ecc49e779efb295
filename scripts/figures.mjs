// npm run figures: the pictures in docs/figures that are not of the benchmark's. Trains what they show.
import { writeFile } from "node:fs/promises";
import { kernelsFigure } from "./figures/kernels.mjs";
import { sectionsFigure, tagsFigure } from "./figures/packages.mjs";

const figures = { kernels: kernelsFigure, sections: sectionsFigure, tags: tagsFigure };
for (const [name, draw] of Object.entries(figures)) {
  await writeFile(new URL(`../docs/figures/${name}.svg`, import.meta.url), await draw());
  console.error(`docs/figures/${name}.svg`);
}
