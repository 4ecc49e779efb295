/** Seeded data for fits: the same everywhere. */
import { uniforms } from "../../scripts/lib/uniforms.mjs";

export { uniforms };

/** Standard normal numbers, Box and Muller. */
export function normals(seed: number): () => number {
  const next = uniforms(seed);
  return () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
}

export interface Data {
  features: number[][];
  labels: number[];
}

/** The first n rows, and the others: new points around the same means, where the rows are clouds. */
export const split = ({ features, labels }: Data, n: number): [Data, Data] => [
  { features: features.slice(0, n), labels: labels.slice(0, n) },
  { features: features.slice(n), labels: labels.slice(n) },
];

/** n points around m class means in d dimensions; with noise 1 the classes overlap. */
export function clouds(n: number, d: number, m: number, seed = 1, noise = 1): Data {
  const normal = normals(seed);
  const means = Array.from({ length: m }, () => Array.from({ length: d }, normal));
  const labels = Array.from({ length: n }, (_, i) => i % m);
  const features = labels.map((y) => means[y].map((mean) => mean + noise * normal()));
  return { features, labels };
}
