import type { Pacer } from "../pace/pace.ts";
import type { Shape } from "../wasm/layout.ts";
import type { ResidentMultipliers } from "../wasm/multipliers.ts";
import type { ResidentProblem } from "../wasm/problem.ts";

/** Directions are found from a sample of so many values of features, of so many examples at least and at most. */
const SAMPLE = { numbers: 2 ** 18, least: 32, most: 256 };
/** Directions that take less than this part of K + gamma/C off make steps little longer. */
const WORTH_LEAVING = 0.3;
/** Multipliers move after each of so many parts of n visits, and after each pass. */
const PARTS = 16;
/**
 * Where more than this part of what steps gain is lost again when multipliers move, they are of no use: where C is
 * small there is little to gain, and they move as far. At first it may be more.
 */
const TOO_MUCH = 0.5;
const AT_FIRST = 2;

/**
 * Passes of steps that leave what features have in common, a constant or their mean, to multipliers: see
 * assembly/solver/deflation.ts. After the last of a round the steps of another pass, which maximise D itself, are to
 * mend what the multipliers are off by. Where most of the features lie in few directions a fit takes two to three times
 * fewer epochs.
 *
 * What the steps maximise is above D by what is known, and rises by half their movement at least. So it is known by how
 * much D has risen, at least, too.
 */
export class Deflation {
  readonly #shape: Shape;
  readonly #multipliers: ResidentMultipliers;
  readonly #pacer: Pacer;
  /** Whether there are directions worth it; undefined until somebody has looked. */
  #worthIt: boolean | undefined;
  #on = false;
  /** Whether the pass to come, or the present one, is to mend. */
  #mends = false;
  /**
   * Since the beginning: half the movement, that of the present pass, by how much what steps maximise has fallen, and
   * parts of passes.
   */
  #gained = 0;
  #present = 0;
  #lost = 0;
  #parts = 0;

  constructor({ shape, multipliers }: ResidentProblem, pacer: Pacer) {
    this.#shape = shape;
    this.#multipliers = multipliers;
    this.#pacer = pacer;
    if (!multipliers.possible) this.#worthIt = false;
  }

  /**
   * So many visits make a part of a pass, after which `notePart` is due; Infinity where steps are plain ones, and a
   * pass is one part.
   */
  get part(): number {
    return this.#on ? Math.ceil(this.#shape.numExamples / PARTS) : Infinity;
  }

  /** Whether D may have fallen since the beginning. */
  get mayHaveFallen(): boolean {
    return this.#lost > this.#gained + this.#present;
  }

  /** No more of it. */
  renounce(): void {
    this.#worthIt = false;
    this.#gained = this.#lost = 0;
  }

  /** Before a pass over lists: it is deflated, or mends, `hasRoom` saying whether another one may follow. */
  async beforePass(hasRoom: boolean): Promise<void> {
    if (this.#mends) return;
    if (hasRoom) await this.#begin();
    else this.#mends = this.#end();
  }

  /** After the last pass of a round. Returns whether there has to be another one, which mends. */
  afterLastPass(): boolean {
    this.#mends = this.#end();
    return this.#mends;
  }

  /**
   * When a round is over, for whatever reason. Returns whether it was cut short: a pass that mends has not been made to
   * its end.
   */
  close(): boolean {
    const open = this.#end() || this.#mends;
    this.#mends = false;
    return open;
  }

  async #begin(): Promise<void> {
    if (this.#on) return;
    this.#worthIt ??= await this.#find();
    if (!this.#worthIt) return;
    this.#multipliers.deflate(true);
    this.#on = true;
    this.#gained = this.#lost = this.#parts = 0;
  }

  /** Within a pass that has moved so much: multipliers move, or it is over. */
  notePart(movement: number): void {
    if (!this.#on) return;
    this.#present = 0.5 * movement;
    this.#lost += this.#multipliers.move(false);
    const most = TOO_MUCH * (1 + AT_FIRST / ++this.#parts);
    if (this.#lost <= most * (this.#gained + this.#present)) return;
    this.#end();
    this.#worthIt = false;
  }

  /** After a pass that has moved so much. Returns whether it was the one that mends. */
  notePass(movement: number): boolean {
    this.#gained += 0.5 * movement;
    this.#present = 0;
    const mended = this.#mends;
    this.#mends = false;
    return mended;
  }

  /** Steps maximise D again. Returns whether they have not done so before. */
  #end(): boolean {
    if (!this.#on) return false;
    this.#lost += this.#multipliers.move(true);
    this.#multipliers.deflate(false);
    this.#on = false;
    return true;
  }

  async #find(): Promise<boolean> {
    const { numExamples: n, numFeatures: d } = this.#shape;
    const multipliers = this.#multipliers;
    const { numbers, least, most } = SAMPLE;
    const samples = Math.min(Math.max(Math.floor(numbers / d), least), most, n);
    await this.#pacer.breathe();
    if (!(multipliers.findDirections(samples) >= WORTH_LEAVING)) return false;
    await this.#pacer.run("coordinates", n, (from, count) => multipliers.takeCoordinates(from, count));
    return true;
  }
}
