/** The binary form of saved models put together and taken apart, see format.ts. */
import { CHECKSUM_AT, checksumOfBytes, HEADER_AT, MAGIC, padded } from "./format.ts";

/** `writeFrom` gives the bytes of the body, in a new array from an offset on. */
export function assemble(
  header: object,
  version: number,
  writeFrom: (bodyAt: number) => Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(JSON.stringify(header));
  const bodyAt = HEADER_AT + padded(text.length);
  const bytes = writeFrom(bodyAt);
  const view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode(MAGIC));
  view.setUint16(6, version, true);
  view.setBigUint64(8, BigInt(bytes.length), true);
  view.setUint32(16, bodyAt - HEADER_AT, true);
  bytes.fill(0x20, HEADER_AT, bodyAt);
  bytes.set(text, HEADER_AT);
  view.setUint32(CHECKSUM_AT, checksumOfBytes(bytes), true);
  return bytes;
}

/** What was assembled, in a buffer of its own, without a check. */
export function takeApart(bytes: Uint8Array<ArrayBuffer>): { header: object; body: DataView } {
  const bodyAt = HEADER_AT + new DataView(bytes.buffer).getUint32(16, true);
  const text = new TextDecoder().decode(bytes.subarray(HEADER_AT, bodyAt));
  return { header: JSON.parse(text) as object, body: new DataView(bytes.buffer, bodyAt) };
}
