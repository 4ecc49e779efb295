/** Throws what `mustBe` of errors.ts does, in fewer words: of a value that is no number it gives the type alone. */
export function mustBe(caller: string, what: string, must: string, value: unknown): never {
  const isNumber = typeof value === "number";
  const got = isNumber ? value : typeof value;
  throw new (isNumber ? RangeError : TypeError)(`${caller}: ${what} must be ${must}, got ${got}`);
}
