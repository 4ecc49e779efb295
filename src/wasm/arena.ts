/** The least multiple that is no smaller. */
export const roundUp = (count: number, multiple: number): number => Math.ceil(count / multiple) * multiple;

/** Memory layout: arrays one after the other, each on a 16-byte boundary. */
export class Arena {
  #bytes: number;
  readonly #sizes = new Map<string, number>();

  constructor(base: number) {
    this.#bytes = base;
  }

  /** Reserves `bytes` and returns their offset. `what` groups reservations in `report`. */
  reserve(bytes: number, what: string): number {
    const offset = roundUp(this.#bytes, 16);
    this.#bytes = offset + bytes;
    this.#sizes.set(what, (this.#sizes.get(what) ?? 0) + bytes);
    return offset;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** What was reserved for what, largest first. */
  get report(): readonly (readonly [what: string, bytes: number])[] {
    return [...this.#sizes].sort((a, b) => b[1] - a[1]);
  }
}
