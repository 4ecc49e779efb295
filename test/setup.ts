import { expect } from "vitest";

type Numbers = ArrayLike<unknown>;

const isTyped = (value: unknown): value is Numbers => ArrayBuffer.isView(value) && !(value instanceof DataView);

/** Of arrays of numbers of one type entry by entry, as elsewhere: vitest takes their places for names of members, which takes minutes in all. */
expect.addEqualityTesters([
  (a: unknown, b: unknown) => {
    if (!isTyped(a) || !isTyped(b) || a.constructor !== b.constructor) return undefined;
    if (a.length !== b.length) return false;
    for (let j = 0; j < a.length; j++) if (!Object.is(a[j], b[j])) return false;
    return true;
  },
]);
