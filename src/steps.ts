/** Long work that can be left off wherever it yields, and gone on with later. */
export type Steps<result> = Generator<undefined, result>;

/** Between two yields about so many numbers are looked at: well below a millisecond. */
export const STEP = 16384;

/** Does it all at once. */
export function finish<result>(steps: Steps<result>): result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
