import { at, madd, put, sumLanes } from "../linalg/simd";
import { fill, sum } from "../linalg/vectors";
import { TOPK, TOPK_BETA } from "../prox/domain";
import { AT_BOUND } from "../prox/sets";

/**
 * C L'' v in the place of vPtr: f64[n], at the margins where x/C is the maximiser z of
 *     <g, z> - <z, log z> - (1 - s) log(1 - s)   over DOM(1), s = sum z: an entropy loss, gamma = 0, or of
 *     <1 + g, z> - gamma/2 ||z||^2:              a smoothed hinge loss,
 * DOM being SIMPLEX, TOPK or TOPK_BETA. L'' v is how z moves with the margins. Entries at a bound stay there, so the
 * maximum is over the directions left. Its curvature is 1/w_j in each free entry, w_j = z_j, or gamma. In the sum it is
 * 1/(1 - s) of an entropy loss; a sum at its bound stays there, too. In TOPK the bound s/k moves, and rho entries with
 * it: with r = rho/k the sum moves by (sum of the free dz_j)/(1 - r), and the entropies or penalties of those entries
 * add to its curvature: r/s, or gamma r/k.
 *
 * Everything is C times as large here.
 */
export function curvatureProduct(domain: i32, k: i32, gamma: f64, xPtr: usize, n: i32, C: f64, vPtr: usize): void {
  const s = sum(xPtr, n);
  if (s <= 0) {
    fill(vPtr, n, 0); // nothing is free
    return;
  }
  const moving = domain == TOPK;
  const bound = moving || domain == TOPK_BETA ? ((moving ? s : C) / <f64>k) * (1 - AT_BOUND) : Infinity;
  const penalised = gamma > 0 ? C / gamma : 0;
  let cut = 0;
  let pull: f64 = 0; // of the entries at the moving bound, on the sum
  let mass: f64 = 0;
  let product: f64 = 0;
  for (let j = 0; j < n; ++j) {
    const x = at<f64>(xPtr, j);
    const v = at<f64>(vPtr, j);
    if (x >= bound) {
      if (!moving) continue;
      ++cut;
      pull += v / <f64>k;
    } else if (x > 0) {
      const w = gamma > 0 ? penalised : x;
      mass += w;
      product += w * v;
    }
  }
  const r = <f64>cut / <f64>k;
  const rest = 1 - r;
  const room = roomOfSum(gamma, s, C, r, k);
  let bySum: f64 = 0; // what the free entries lose to the sum
  let each: f64 = 0; // what each of those at the moving bound gets
  if (rest > 0) {
    pull /= rest;
    const total = mass + rest * rest * room;
    bySum = total > 0 ? (product + pull * mass) / total - pull : 0;
    each = (product - bySum * mass) / (rest * <f64>k);
  } else {
    each = (pull * room) / <f64>k;
  }
  for (let j = 0; j < n; ++j) {
    const x = at<f64>(xPtr, j);
    const v = at<f64>(vPtr, j);
    if (x >= bound) put<f64>(vPtr, j, moving ? each : 0);
    else put<f64>(vPtr, j, rest > 0 && x > 0 ? (gamma > 0 ? penalised : x) * (v - bySum) : 0);
  }
}

/**
 * The product with the curvature of softmax at all m classes and their scores, sum x = C: x_j (v_j - <x, v>/C). xPtr,
 * vPtr: f64[m], rounded up to even.
 */
export function softmaxProduct(xPtr: usize, m: i32, C: f64, vPtr: usize): void {
  if (m & 1) {
    put<f64>(xPtr, m, 0);
    put<f64>(vPtr, m, 0);
  }
  let p = f64x2.splat(0);
  const end = <usize>m << 3;
  for (let o: usize = 0; o < end; o += 16) p = madd<f64>(v128.load(xPtr + o), v128.load(vPtr + o), p);
  const mean = f64x2.splat(C > 0 ? sumLanes<f64>(p) / C : 0);
  for (let o: usize = 0; o < end; o += 16) {
    v128.store(vPtr + o, f64x2.mul(v128.load(xPtr + o), f64x2.sub(v128.load(vPtr + o), mean)));
  }
}

/** C over the curvature in the sum alone. */
function roomOfSum(gamma: f64, s: f64, C: f64, r: f64, k: i32): f64 {
  if (gamma > 0) {
    if (s >= C * (1 - AT_BOUND)) return 0;
    return r > 0 ? (C * <f64>k) / (gamma * r) : Infinity;
  }
  const left = Math.max(C - s, 0);
  return (left * s) / (s + r * left);
}
