import { afterEach, describe, expect, test, vi } from "vitest";
import { Pacer } from "../../src/pace/pace.ts";

/** Slices of work against a clock of our own: no test waits, and none depends on the machine. */

let now = 0; // milliseconds
/** Clocks show multiples of `resolution`. */
function setClock(resolution: number): void {
  now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => Math.floor(now / resolution) * resolution);
}
afterEach(() => vi.restoreAllMocks());

/** The milliseconds of each slice of `total` items, the one at i of `cost(i)` milliseconds. */
async function slices(
  total: number,
  cost: (i: number) => number,
  yieldEvery: "auto" | 1 | "never" = "auto",
): Promise<number[]> {
  const taken: number[] = [];
  let next = 0;
  const done = await new Pacer(yieldEvery).run("work", total, (from, count) => {
    expect(from).toBe(next);
    const began = now;
    for (let i = from; i < from + count; i++) now += cost(i);
    taken.push(now - began);
    next = from + count;
  });
  expect([done, next]).toEqual([total, total]);
  return taken;
}

describe.each([0.005, 0.1, 1])("with a clock of %d ms", (resolution) => {
  test.each([
    ["light", 200_000, () => 0.0005],
    ["of a page's usual weight", 20_000, () => 0.05],
    ["heavy", 50, () => 7],
    ["eight times as heavy later on", 20_000, (i: number) => (i < 10_000 ? 0.01 : 0.08)],
  ] as const)("no slice is longer than a frame, and they are not many: %s", async (name, total, cost) => {
    setClock(resolution);
    const taken = await slices(total, cost);
    const whole = taken.reduce((sum, t) => sum + t, 0);
    // Where work becomes heavier one slice, meant for 2 ms, comes out eight times as long.
    expect(Math.max(...taken)).toBeLessThanOrEqual(/later/.test(name) ? 24 : 16);
    expect(taken.length).toBeLessThan(20 + whole);
  });
});

test.each([
  ["light", 0.01, 0.001, 1024],
  ["of a page's usual weight", 0.2, 0.02, 64],
  ["heavy, and most of it for a block of any size", 2, 0.2, 24],
])("work in blocks of 32, %s", async (_, perBlock, perItem, most) => {
  setClock(0.005);
  const counts: number[] = [];
  await new Pacer("auto").run(
    "work",
    20_000,
    (_from, count) => {
      counts.push(count);
      now += perBlock * Math.ceil(count / 32) + perItem * count;
    },
    undefined,
    32,
  );
  const settled = counts.slice(20, -1);
  expect(Math.max(...settled) / most).toBeLessThanOrEqual(2);
  expect(Math.min(...settled) / most).toBeGreaterThanOrEqual(0.5);
  if (most >= 32) expect(settled.filter((count) => count % 32 !== 0)).toEqual([]);
});

test.each([0.005, 0.1])("a millisecond between two yields, with a clock of %d ms", async (resolution) => {
  setClock(resolution);
  const taken = await slices(20_000, () => 0.002, 1);
  expect(Math.max(...taken)).toBeLessThanOrEqual(2);
  expect(taken.length).toBeLessThan(20 + 8 * 40);
});

test("without yielding, budgets are looked at every 50 ms", async () => {
  setClock(0.005);
  const taken = await slices(20_000, () => 0.05, "never"); // a second
  expect(Math.max(...taken)).toBeLessThanOrEqual(50);
  expect(taken.length).toBeGreaterThanOrEqual(20);
  expect(taken.length).toBeLessThan(200);
});

test("stops between two slices, and says how far it has come", async () => {
  setClock(0.005);
  let next = 0;
  const work = (_from: number, count: number): void => {
    next += count;
    now += count;
  };
  const done = await new Pacer("auto").run("work", 1000, work, () => next >= 20);
  expect(done).toBe(next);
  expect(done).toBeGreaterThanOrEqual(20);
  expect(done).toBeLessThan(40);
  expect(await new Pacer("auto").run("work", 1000, work, () => true)).toBe(0);
});

test.each(["auto", "never"] as const)(
  "%s: what is to end it is thrown when it is next looked at",
  async (yieldEvery) => {
    setClock(0.005);
    const reason = new Error("aborted");
    let aborted = false;
    const pacer = new Pacer(yieldEvery, () => {
      if (aborted) throw reason;
    });
    let next = 0;
    const running = pacer.run("work", 1000, (_from, count) => {
      next += count;
      now += count;
      if (next >= 100) aborted = true;
    });
    await expect(running).rejects.toBe(reason);
    expect(next).toBeGreaterThanOrEqual(100);
    expect(next).toBeLessThan(200);
  },
);
