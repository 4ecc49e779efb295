import { STEP, type Steps } from "../pace/steps.ts";

/** Numbers, each with a tag. */
export interface Tagged {
  keys: Float64Array;
  tags: Uint32Array;
}

/**
 * Finite numbers in ascending order, each with its tag. Byte by byte from the lowest: doubles sort as their bits do,
 * once the bits of negative ones are turned over. Little-endian, like WebAssembly's memory. O(n) and the same time for
 * any input. The arrays given are overwritten; beside them it takes as much memory again.
 */
export function* sortTagged({ keys, tags }: Tagged): Steps<Tagged> {
  const n = keys.length;
  const counts = Array.from({ length: 8 }, () => new Uint32Array(256));
  const bytes = new Uint8Array(keys.buffer, keys.byteOffset, 8 * n);
  for (let p = 0; p < 8 * n; p += 8) {
    if (p % (8 * STEP) === 0) yield;
    const turned = bytes[p + 7] & 128 ? 255 : 0;
    for (let d = 0; d < 7; d++) counts[d][bytes[p + d] ^ turned]++;
    counts[7][bytes[p + 7] ^ (turned || 128)]++;
  }
  let from: Tagged = { keys, tags };
  let to: Tagged = { keys: new Float64Array(n), tags: new Uint32Array(n) };
  for (const [d, count] of counts.entries()) {
    if (count.includes(n)) continue; // this byte is the same everywhere
    for (let c = 0, start = 0; c < 256; c++) [count[c], start] = [start, start + count[c]]; // where each byte begins
    const sign = d === 7 ? 128 : 0;
    const source = new Uint8Array(from.keys.buffer, from.keys.byteOffset, 8 * n);
    for (let p = 0; p < n; p++) {
      if (p % STEP === 0) yield;
      const turned = source[8 * p + 7] & 128 ? 255 : sign;
      const place = count[source[8 * p + d] ^ turned]++;
      to.keys[place] = from.keys[p];
      to.tags[place] = from.tags[p];
    }
    [from, to] = [to, from];
  }
  return from;
}
