/** Seeded data for fits: the same everywhere. */

/** Numbers in [0, 1) from a 32-bit seed (Tommy Ettinger's mulberry32). */
export function uniforms(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let z = state;
    z = Math.imul(z ^ (z >>> 15), z | 1);
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
    return ((z ^ (z >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Standard normal numbers, Box and Muller. */
export function normals(seed: number): () => number {
  const next = uniforms(seed);
  return () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
}

export interface Data {
  features: number[][];
  labels: number[];
}

/** n points around m class means in d dimensions; with noise 1 the classes overlap. */
export function clouds(n: number, d: number, m: number, seed = 1, noise = 1): Data {
  const normal = normals(seed);
  const means = Array.from({ length: m }, () => Array.from({ length: d }, normal));
  const labels = Array.from({ length: n }, (_, i) => i % m);
  const features = labels.map((y) => means[y].map((mean) => mean + noise * normal()));
  return { features, labels };
}
