/** What is measured for docs/papers.md, by section. */
import { runCircle } from "./circle.mjs";
import { runLetter, runReadings, runTruncated } from "./letter.mjs";
import { runWeighted } from "./weighted.mjs";

export const sections = {
  letter: (options) => runLetter({ ...options, maxSeconds: 5 }),
  readings: (options) => runReadings({ ...options, maxSeconds: 3 }),
  truncated: (options) => runTruncated({ ...options, maxSeconds: 2 }),
  weighted: (options) => runWeighted({ ...options, maxSeconds: 2 }),
  circle: (options) => runCircle({ ...options, seeds: [1, 2, 3], maxSeconds: 0.2 }),
};
