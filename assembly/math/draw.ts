/** Where the sequence of draws begins, anew for every search: what is drawn depends on nothing but the data. */
export const FIRST_DRAW: u32 = 0x9e3779b9;

/** The draw after this one: the linear congruential generator of Numerical Recipes. */
// @ts-ignore: decorator
@inline
export function nextDraw(draw: u32): u32 {
  return draw * 1664525 + 1013904223;
}

/** One of `count` places, by the high bits of a draw. */
// @ts-ignore: decorator
@inline
export function placeDrawn(draw: u32, count: i32): i32 {
  return <i32>((<u64>draw * <u64>count) >> 32);
}
