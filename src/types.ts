/**
 * The public types. Throughout, n examples, d features, m classes, and the problem solved is
 *
 *     P(W) = C sum_i c_i loss(W x_i) + 1/2 ||W - W0||_F^2,     W is m x d, one row per class,
 *
 * with weights c_i = 1 and W0 = 0 unless asked otherwise.
 */

export type * from "./types/data.ts";
export type * from "./types/options.ts";
export type * from "./types/certificate.ts";
export type * from "./types/evaluation.ts";
export type * from "./types/model.ts";
export type * from "./types/remote.ts";
export type * from "./types/select.ts";
