import { at, put } from "../linalg/simd";

/**
 * Sorts keysPtr: f64[n] into descending order, equal keys by their places: placesPtr: i32[n] moves along. Shell's sort,
 * with gaps that shrink by 2.25 (Tokuda 1992): a few dozen keys are the common case.
 */
export function sortDescending(keysPtr: usize, placesPtr: usize, n: i32): void {
  let gap = 1;
  while (gap < n) gap = <i32>(2.25 * <f64>gap) + 1;
  do {
    gap = gap <= 4 ? 1 : <i32>(<f64>gap / 2.25);
    for (let j = gap; j < n; ++j) {
      const key = at<f64>(keysPtr, j);
      const place = at<i32>(placesPtr, j);
      let p = j;
      for (; p >= gap; p -= gap) {
        const other = at<f64>(keysPtr, p - gap);
        if (other > key || (other == key && at<i32>(placesPtr, p - gap) < place)) break;
        put<f64>(keysPtr, p, other);
        put<i32>(placesPtr, p, at<i32>(placesPtr, p - gap));
      }
      put<f64>(keysPtr, p, key);
      put<i32>(placesPtr, p, place);
    }
  } while (gap > 1);
}
