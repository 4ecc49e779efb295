/** Seeded numbers for the synthetic workloads: the same on every run, whatever else a program draws. */

/** Chris Doty-Humphrey's sfc32: 128 bits of state, quick in JavaScript, passes PractRand. */
export function createRandom(seed) {
  let a = seed | 0;
  let b = 0x9e3779b9 | 0;
  let c = 0x243f6a88 | 0;
  let counter = 1;
  let spare = NaN;

  function next() {
    const t = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + t;
    c |= 0;
    return t >>> 0;
  }
  for (let i = 0; i < 15; i++) next(); // until the seed is in every bit

  /** In [0, 1), 32 bits. */
  const uniform = () => next() / 2 ** 32;

  /** Standard normal, by Marsaglia's polar method: two at a time. */
  function normal() {
    if (spare === spare) {
      const kept = spare;
      spare = NaN;
      return kept;
    }
    for (;;) {
      const u = 2 * uniform() - 1;
      const v = 2 * uniform() - 1;
      const s = u * u + v * v;
      if (s >= 1 || s === 0) continue;
      const scale = Math.sqrt((-2 * Math.log(s)) / s);
      spare = v * scale;
      return u * scale;
    }
  }

  const integer = (bound) => Math.floor(uniform() * bound);

  function normals(count) {
    const values = new Float32Array(count);
    for (let i = 0; i < count; i++) values[i] = normal();
    return values;
  }

  /** 0, 1, ..., m - 1, 0, 1, ... in random order: classes of equal size. */
  function balancedLabels(count, m) {
    const labels = Int32Array.from({ length: count }, (_, i) => i % m);
    for (let i = count - 1; i > 0; i--) {
      const j = integer(i + 1);
      const swapped = labels[i];
      labels[i] = labels[j];
      labels[j] = swapped;
    }
    return labels;
  }

  return { uniform, normal, integer, normals, balancedLabels };
}
