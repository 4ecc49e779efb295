/** What an object is, "Object" if it is nothing else. Not instanceof: it may come from another realm. */
export const kindOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1);
