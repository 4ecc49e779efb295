import { compare } from "./compare.mjs";
import { convergence } from "./convergence.mjs";
import { growth } from "./growth.mjs";
import { micro } from "./micro.mjs";
import { packages } from "./packages.mjs";

/** Each takes { quick, repeats, log, save } and returns figures: plain data, all that a report needs. */
export const parts = { compare, packages, growth, convergence, micro };

/** Of a quick run: the packages on npm are slow. */
export const quickParts = ["compare", "growth", "convergence", "micro"];
