import { compare } from "./compare.mjs";
import { convergence } from "./convergence.mjs";
import { costs } from "./costs.mjs";
import { frankWolfe } from "./frankWolfe.mjs";
import { growth } from "./growth.mjs";
import { hard } from "./hard.mjs";
import { heldOut } from "./heldOut.mjs";
import { intercept } from "./intercept.mjs";
import { kernels } from "./kernels.mjs";
import { micro } from "./micro.mjs";
import { packages } from "./packages.mjs";
import { passes } from "./passes.mjs";
import { sparse } from "./sparse.mjs";
import { tall } from "./tall.mjs";

/** Each takes { quick, repeats, log, save } and returns figures: plain data, all that a report needs. */
export const parts = {
  compare,
  passes,
  packages,
  sparse,
  tall,
  hard,
  kernels,
  growth,
  costs,
  intercept,
  "held-out": heldOut,
  convergence,
  "frank-wolfe": frankWolfe,
  micro,
};

/** Of a quick run: the packages on npm are slow, and small sparse data say nothing of large ones. */
export const quickParts = ["compare", "passes", "growth", "convergence", "micro"];
