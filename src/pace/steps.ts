/** Long work that can be left off wherever it yields, and gone on with later. */
export type Steps<result> = Generator<undefined, result>;

/** Between two yields about so many numbers are looked at: well below a millisecond. */
export const STEP = 16384;

/** The parts [from, end) of [0, count), in ascending order. */
export function* upwards(count: number, part: (from: number, end: number) => void): Steps<void> {
  for (let from = 0; from < count; from += STEP) {
    yield;
    part(from, Math.min(from + STEP, count));
  }
}

/** The parts [from, end) of [0, count), in descending order. */
export function* downwards(count: number, part: (from: number, end: number) => void): Steps<void> {
  for (let end = count; end > 0; end -= STEP) {
    yield;
    part(Math.max(end - STEP, 0), end);
  }
}

/** Calls visit(i) for i from 0 to count - 1, in steps, where each looks at so many numbers. */
export function* eachOf(count: number, numbers: number, visit: (i: number) => void): Steps<void> {
  const atOnce = Math.ceil(STEP / numbers);
  for (let i = 0; i < count; i++) {
    if (i % atOnce === 0) yield;
    visit(i);
  }
}

/** Copies numbers into the beginning of another array. */
export const copyInto = <array extends Float32Array | Float64Array | Uint32Array>(
  source: array,
  target: array,
): Steps<void> => upwards(source.length, (from, end) => target.set(source.subarray(from, end), from));

/** Does it all at once. */
export function finish<result>(steps: Steps<result>): result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
