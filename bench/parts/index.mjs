import { compare } from "./compare.mjs";
import { convergence } from "./convergence.mjs";
import { growth } from "./growth.mjs";
import { micro } from "./micro.mjs";

/** Each takes { quick, log } and returns figures: plain data, all that a report needs. */
export const parts = { compare, growth, convergence, micro };
