const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Whether a text is a decimal number, with blanks around it at most. */
export const isDecimal = (text: string): boolean =>
  DECIMAL.test(text) || DECIMAL.test(text.replace(/^[ \t]+|[ \t]+$/g, ""));

const FILL_IN = "fill it in, say by the mean of its column";

const MISSING = /^\s*(?:n\/?a|nan|null|none)\s*$/i;

/** Whether it begins with a letter, and not because it stands for a number. */
export const isText = (cell: string): boolean =>
  /^\s*\p{L}/u.test(cell) && !MISSING.test(cell) && !/^\s*inf/i.test(cell);

/** A cell as a finite number, or in words why it is none. */
export function readCell(text: string): number | string {
  const value = isDecimal(text) ? Number(text) : NaN;
  if (Number.isFinite(value)) return value;
  if (/^[ \t]*$/.test(text)) return `the value is missing; ${FILL_IN}`;
  const shown = JSON.stringify(text.length > 40 ? text.slice(0, 37) + "..." : text);
  if (!Number.isNaN(value)) return `${shown} is too large for a number`;
  if (MISSING.test(text)) return `${shown} is not a number; if it is missing, ${FILL_IN}`;
  return `${shown} is not a number${/^\s*[+-]?\d+,\d+\s*$/.test(text) ? '; write decimals with a "."' : ""}`;
}

/** The integer that a label is in its canonical form ("7", not "07" or "+7"); undefined for every other text. */
export function readInteger(text: string): number | undefined {
  const value = Number(text);
  return Number.isSafeInteger(value) && String(value) === text ? value : undefined;
}

/** Numbers of a typed array, as many as come. */
export class Numbers<numbers extends Float64Array | Int32Array> {
  readonly #Type: new (length: number) => numbers;
  #data: numbers;
  length = 0;

  constructor(Type: new (length: number) => numbers) {
    this.#Type = Type;
    this.#data = new Type(1024);
  }

  push(values: ArrayLike<number>): void {
    const needed = this.length + values.length;
    if (needed > this.#data.length) {
      const grown = new this.#Type(Math.max(needed, Math.ceil(1.5 * this.#data.length)));
      grown.set(this.#data.subarray(0, this.length));
      this.#data = grown;
    }
    this.#data.set(values, this.length);
    this.length = needed;
  }

  /** A view of what is there. */
  get view(): numbers {
    return this.#data.subarray(0, this.length) as numbers;
  }
}
