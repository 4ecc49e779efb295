import { at, put } from "../linalg/simd";

/** Moves element `root` of a min-heap down to its place. */
function sift(ptr: usize, root: i32, n: i32): void {
  const v = at<f64>(ptr, root);
  for (let child = 2 * root + 1; child < n; child = 2 * root + 1) {
    if (child + 1 < n && at<f64>(ptr, child + 1) < at<f64>(ptr, child)) ++child;
    if (at<f64>(ptr, child) >= v) break;
    put<f64>(ptr, root, at<f64>(ptr, child));
    root = child;
  }
  put<f64>(ptr, root, v);
}

/** Heapsort of ptr: f64[n], largest first. O(n log n), in place, whatever the order of the input. */
export function sortDescending(ptr: usize, n: i32): void {
  for (let root = (n >> 1) - 1; root >= 0; --root) sift(ptr, root, n);
  for (let end = n - 1; end > 0; --end) {
    const v = at<f64>(ptr, end);
    put<f64>(ptr, end, at<f64>(ptr, 0));
    put<f64>(ptr, 0, v);
    sift(ptr, 0, end);
  }
}
