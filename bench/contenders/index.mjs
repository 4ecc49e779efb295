/**
 * Who takes part. A contender is
 *   name       as tables call it
 *   solves     (loss) => whether it minimises that loss
 *   probe      () => { version, warning? } or { missing: how to install it }
 *   ladder     for peers that stop by a rule of their own: settings from loose to tight
 *   train      ({ workload, data, loss, settings, want }) => { status, seconds, cpuSeconds, peakBytes, ... }, and what was found:
 *              weights (m x d), which may be left out unless want.score, or the classes `predicted` for the test rows
 *
 * What they train with is loaded by `train`, before its clock starts: a process that only asks about them needs none of it.
 */
import { baseline } from "./baseline.mjs";
import { lbfgs } from "./lbfgs.mjs";
import { liblinear } from "./liblinear.mjs";
import { libsvmJs } from "./libsvmJs.mjs";
import { mlLogistic } from "./mlLogistic.mjs";
import { ours } from "./ours.mjs";
import { svc } from "./svc.mjs";

export const contenders = { ours, baseline, liblinear, lbfgs, libsvmJs, mlLogistic, svc };
