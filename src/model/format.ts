/**
 * Saved models, formats 1 and 2: a header, plain JSON data, and a body, the bytes of some arrays. Two forms:
 *
 *   bytes  offset  0  "TKSDCA", u16 version
 *                  8  u64 number of bytes of the whole
 *                 16  u32 number of bytes of the header
 *                 20  u32 CRC-32 of all bytes but these four
 *                 24  header: JSON in UTF-8, padded with spaces to a multiple of 8
 *                     body
 *   JSON   { format: "topk-sdca", version, ...header, data: body in base64, checksum }
 *          checksum: CRC-32 of the UTF-8 text of everything but data and checksum, without spaces and with the keys of
 *          every object sorted, and then of the body; so a database may reorder and reformat it
 *
 * The body holds, little-endian, each padded with zeros to a multiple of 8 bytes: weights (m x d) and intercepts (m);
 * for the scalings of columns shift and factor (d each); if the header counts `examples`, dual variables (n x m), class
 * indices (n, int32) and costs C_i (n). A model of label sets has a `threshold` in its header, and instead of n class
 * indices n + 1 offsets (int32) and as many class indices as the last of them says, each set ascending. Weights and
 * dual variables are in `precision`, everything else is float64.
 *
 * Format 2 is for models with a kernel or a Gram matrix, which readers of format 1 refuse; models with weights stay in
 * format 1. The header has a `kernel`: its name ("rbf", "poly" or "precomputed") and parameters, the number of support
 * `vectors` and, if they are sparse, of `nonzeros`. `features` counts the columns of the features, of a Gram matrix its
 * training examples. In the place of weights there are the support vectors behind the scaling: s x d, as sparse rows
 * indptr (s + 1, int32), indices (int32) and values, or of a Gram matrix their places among the training examples
 * (int32); then their coefficients (s x m, float64). Vectors are in `precision`.
 *
 * In JSON the body is base64, not decimal numbers: those take twice the space in float64 and four times in float32, and
 * JSON.stringify loses the sign of -0. Readers ignore header fields they do not know. The command line has two of
 * its own, `featureNames` and `labelName`: what the header of a CSV file calls its columns.
 */
export const NAME = "topk-sdca";
export const MAGIC = "TKSDCA";
export const FORMAT_VERSION = 2;
export const HEADER_AT = 24;
export const CHECKSUM_AT = 20;

export const padded = (bytes: number): number => Math.ceil(bytes / 8) * 8;

/** "Float64" of a Float64Array: how DataView names what reads and writes its elements. */
export const elementsOf = (array: { readonly name: string }): "Float64" => array.name.replace("Array", "") as "Float64";

/** Numbers that JSON does not have, and that a certificate may: saved as text. */
export const UNUSUAL = /^(-?Infinity|NaN|-0)$/;

/** CRC-32 as in zip and PNG, of the parts one after the other. */
function crc32(...parts: Uint8Array[]): number {
  const table = Int32Array.from({ length: 256 }, (_, c) => {
    for (let bit = 0; bit < 8; bit++) c = (c >>> 1) ^ (c & 1 && 0xedb88320);
    return c;
  });
  let crc = -1;
  for (const bytes of parts) {
    // By index: an iterator takes twenty times as long.
    for (let i = 0; i < bytes.length; i++) crc = (crc >>> 8) ^ table[(crc ^ bytes[i]) & 255];
  }
  return ~crc >>> 0;
}

export const checksumOfBytes = (bytes: Uint8Array): number =>
  crc32(bytes.subarray(0, CHECKSUM_AT), bytes.subarray(HEADER_AT));

export function checksumOfJSON(content: object, body: Uint8Array): number {
  const keys: string[] = [];
  JSON.stringify(content, (key, value: unknown) => {
    keys.push(key);
    return value;
  });
  // A list of keys makes stringify write those keys, in that order, of every object.
  return crc32(new TextEncoder().encode(JSON.stringify(content, keys.sort())), body);
}
