import { afterEach, expect, test, vi } from "vitest";
import { compileKernels, instantiate } from "../../src/wasm/load.ts";

/** With nothing else to wait for Node 20 may hang for good: see src/platform/awake.ts. */

afterEach(() => void vi.restoreAllMocks());

/** How many timers that this test knows of are running. */
function watchTimers(): () => number {
  const running = new Set<unknown>();
  const { setInterval, clearInterval } = globalThis;
  vi.spyOn(globalThis, "setInterval").mockImplementation(((...args: Parameters<typeof setInterval>) => {
    const timer = setInterval(...args);
    running.add(timer);
    return timer;
  }) as typeof setInterval);
  vi.spyOn(globalThis, "clearInterval").mockImplementation((timer) => {
    running.delete(timer);
    clearInterval(timer);
  });
  return () => running.size;
}

test("the event loop has something to wait for while the engine compiles and makes instances", async () => {
  const running = watchTimers();
  const during: number[] = [];
  for (const name of ["compile", "instantiate"] as const) {
    const original: (...args: any[]) => Promise<unknown> = WebAssembly[name].bind(WebAssembly);
    vi.spyOn(WebAssembly, name).mockImplementation((async (...args: unknown[]) => {
      const result = await original(...args);
      during.push(running());
      return result;
    }) as never);
  }
  await compileKernels(undefined);
  expect(during).toEqual([1]);
  await instantiate("test", 1);
  expect(during.at(-1)).toBe(1);
  expect(during.length).toBeGreaterThan(1);
  expect(running()).toBe(0);
});

test("and nothing is left of it where that fails", async () => {
  const running = watchTimers();
  await expect(compileKernels(new Uint8Array([0, 1, 2]))).rejects.toThrow("could not be compiled");
  expect(running()).toBe(0);
});
