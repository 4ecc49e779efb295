import { dot, sum } from "./sum.ts";

/** The truncated top-k entropy loss, log(1 + sum exp(u_j - u_y) over all but the k - 1 largest others), and its gradient. */
export function truncatedEntropy(u: readonly number[], y: number, k: number): { value: number; gradient: number[] } {
  const others = u.map((_, j) => j).filter((j) => j !== y);
  const kept = others.sort((a, b) => u[b] - u[a] || a - b).slice(k - 1);
  const top = Math.max(u[y], ...kept.map((j) => u[j]));
  const terms = kept.map((j) => Math.exp(u[j] - top));
  const total = sum([...terms, Math.exp(u[y] - top)]);
  const gradient = u.map(() => 0);
  kept.forEach((j, c) => (gradient[j] = terms[c] / total));
  gradient[y] = -sum(gradient);
  const value = top === u[y] ? Math.log1p(sum(terms)) : top - u[y] + Math.log(total);
  return { value, gradient };
}

/** ||gradient of P||_F of C sum L + 1/2 ||W - W0||^2, and P. */
export function gradientOf(
  X: readonly (readonly number[])[],
  y: readonly number[],
  W: readonly (readonly number[])[],
  C: number,
  k: number,
  W0: readonly (readonly number[])[] = W.map((row) => row.map(() => 0)),
): { P: number; norm: number } {
  const G = W.map((row, j) => row.map((w, l) => w - W0[j][l]));
  const P: number[] = [dot(G.flat(), G.flat()) / 2];
  X.forEach((x, i) => {
    const u = W.map((row) => dot(row, x));
    const { value, gradient } = truncatedEntropy(u, y[i], k);
    P.push(C * value);
    gradient.forEach((g, j) => x.forEach((v, l) => (G[j][l] += C * g * v)));
  });
  return { P: sum(P), norm: Math.sqrt(dot(G.flat(), G.flat())) };
}
