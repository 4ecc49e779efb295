/** Between sweeps and who calls them: the places in problem.progress, f64[NUM_PROGRESS]. */

/** sum K ||new a_i - old a_i||^2 of the steps taken, K = ||x_i||^2. */
export const MOVEMENT: i32 = 0;
/** Scores that they have computed. */
export const WORK: i32 = 1;
/** With a kernel: steps over lists that would move by less than that are taken back. */
export const LEAST_MOVEMENT: i32 = 2;
/** With a kernel: steps that have not been. */
export const TAKEN: i32 = 3;
export const NUM_PROGRESS: i32 = 4;
