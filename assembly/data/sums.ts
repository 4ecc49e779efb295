/** What an evaluation adds up: the places in problem.sums, f64[NUM_SUMS]. W0 is the proximal centre. */
export const PRIMAL_LOSS: i32 = 0;
export const DUAL_LOSS: i32 = 1;
/** ||W - W0||^2 of the weights as stored. */
export const WEIGHTS_NORM2: i32 = 2;
/** ||A^T X||^2. */
export const DUAL_WEIGHTS_NORM2: i32 = 3;
/** <A^T X, W0>. */
export const ANCHOR_PRODUCT: i32 = 4;
/** What of the gap terms is probably rounding. */
export const EXCESS: i32 = 5;
/**
 * sum C_i, and sum C_i ||x_i||, of the examples with a loss or dual variables: of the others both are 0, rounding or
 * not.
 */
export const PARTAKING_COSTS: i32 = 6;
export const PARTAKING_NORMS: i32 = 7;
// What the host does not take for sums of an evaluation:
/** max ||w_j||^2; 0 where no rough scores are taken. */
export const LARGEST_WEIGHT2: i32 = 8;
/** max ||x_i||, and sum C_i ||x_i||, of all examples. */
export const LARGEST_NORM: i32 = 9;
export const WEIGHTED_NORMS: i32 = 10;
export const NUM_SUMS: i32 = 11;
